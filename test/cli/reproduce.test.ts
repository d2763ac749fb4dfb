import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from './call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-reproduce-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const asset = (name: string) => fileURLToPath(new URL(`../../assets/digits/${name}`, import.meta.url))

const small = ['--count', '2', '--iterations', '4', '--workers', '1']
const csv = (out: string, name: string) =>
  readFileSync(join(out, `${name}.csv`), 'utf8')
    .trim()
    .split('\n')

/** Every file below a folder, with when it was written. */
function written(out: string): Record<string, number> {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((file) => !file.endsWith('lock'))
  return Object.fromEntries(files.map((file) => [file, statSync(join(out, file)).mtimeMs]))
}

describe('a reproduction of some tables and figures', () => {
  const out = join(folder, 'some')
  const network = join(folder, 'model.onnx')
  copyFileSync(asset('model.onnx'), network)
  const images = JSON.stringify({ idx: { images: asset('images-idx3-ubyte'), labels: asset('labels-idx1-ubyte') } })
  const preprocessing = asset('model.preprocessing.json')
  const subject = ['--scale', 'full', '--model', network, '--images', images, '--preprocessing', preprocessing]
  const whole = ['reproduce', 'table-2', 'fig-2', 'fig-a2', 'prop-1', '--out', out]
  const first = call(...whole, ...subject, ...small, '--json')

  test('runs each attack once for all that need it', async () => {
    const { code, stdout, stderr } = await first
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ status: 'finished', cells: 4, done: 4, page: join(out, 'index.html') })
    // Four methods, 2 images: a look at each, 4 iterations of 11 queries and the last point, and the saved pictures.
    expect(result.modelCalls).toBeGreaterThanOrEqual(4 * 2 * 45)
    expect(result.modelCalls).toBeLessThan(4 * 2 * 50)
    expect(readdirSync(join(out, 'cells')).sort()).toEqual(
      ['adamm', 'nes', 'psgd', 'smd'].map((name) => `universal-2x4-zo-${name}`),
    )
    expect(result.claims.map(({ id }: { id: string }) => id)).toEqual(['C1', 'C2', 'C3', 'C4', 'C5'])
    expect(result.claims[0].verdict).toBe('cannot be said from this scale')
  })

  test("has the paper's numbers beside its own", async () => {
    await first
    const [head, ...rows] = csv(out, 'table-2')
    expect(head).toBe('method,rate,images,success,paperSuccess,finalL2sq,paperFinalL2sq,objective,queries')
    expect(rows).toHaveLength(4)
    expect(rows[3]).toMatch(/^ZO-AdaMM,0\.002,2,[01.]+,0\.84,0\.0\d+,38\.4,\d+\.\d+,45$/)
    expect(csv(out, 'prop-1').filter((row) => row.includes(',yes,'))).toHaveLength(9)
  })

  test('keeps the perturbation at every iteration that Fig. A2 shows', async () => {
    await first
    const [head, ...rows] = csv(out, 'fig-a2')
    // Four iterations, of which a twentieth and a quarter are both the first.
    expect(head).toBe('method,at1,paper0,paper1,at2,paper2,at4,paper3')
    expect(rows).toHaveLength(4)
    expect(rows[3]).toMatch(/^ZO-AdaMM,0\.00\d+,0\.055,0\.071,0\.00\d+,0\.081,0\.0\d+,0\.079$/)
    const summary = readFileSync(join(out, 'cells/universal-2x4-zo-adamm/summary.json'), 'utf8')
    const { linf } = JSON.parse(summary).universal.curve
    const [, early, , , later, , last] = rows[3]?.split(',').map(Number) ?? []
    expect([early, later, last]).toEqual([linf[1], linf[2], linf[4]])
    expect(existsSync(join(out, 'fig-a2-zo-adamm-4.png'))).toBe(true)
    expect(readFileSync(join(out, 'fig-a2.svg'), 'utf8').match(/data:image\/png;base64/g)).toHaveLength(4 * (4 + 2))
  })

  test('asks nothing again: without its network it is drawn from what is saved, the same bytes', async () => {
    await first
    rmSync(network)
    const before = written(join(out, 'cells'))
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    const again = await call('reproduce', '--out', out, '--json')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    const redrawn = await call('reproduce', '--out', out, '--redraw')
    expect(redrawn.code).toBe(0)
    expect(redrawn.stdout).toContain(`Report: ${join(out, 'index.html')}`)
    expect(written(join(out, 'cells'))).toEqual(before)
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe(page)
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse((await first).stdout))
  })

  test('is no other: what was asked before decides', async () => {
    await first
    const other = await call('reproduce', '--out', out, '--seed', '7')
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('is another reproduction: its seed is not given, not 7')
    expect((await call('reproduce', '--out', out, '--scale', 'quick')).stderr).toContain(
      'its scale is "full", not "quick"',
    )
  })
})

describe('mistakes', () => {
  test.each([
    [['tabel-a3'], 'got "tabel-a3"; did you mean table-a3?'],
    [['--scale', 'quik'], '--scale must be one of quick, standard, full, got "quik"; did you mean quick?'],
    [['--profile', 'tund'], 'did you mean tuned?'],
    [['--scale', 'full'], '--scale full needs --model and --images'],
    [['--model', 'digits'], '--model goes with --scale full: quick has a model of its own'],
    [['--images', 'photos'], '--images goes with --model'],
    [['--redraw'], '--redraw: there is no reproduction in'],
  ])('%j', async (args, text) => {
    const out = join(folder, 'never')
    const { code, stdout, stderr } = await call('reproduce', ...args, '--out', out)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(text)
    expect(existsSync(out)).toBe(false)
  })

  test('a folder of something else is left alone', async () => {
    const { code, stderr } = await call('reproduce', '--out', folder)
    expect(code).toBe(2)
    expect(stderr).toContain('and no reproduction: choose another folder')
  })
})
