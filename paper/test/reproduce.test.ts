import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { lockFolder } from '../../src/app/store/index.ts'
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
  const whole = ['table-2', 'fig-2', 'fig-a2', 'prop-1', '--out', out]
  const first = call(...whole, ...subject, ...small, '--json')

  test('runs each attack once for all that need it', async () => {
    const { code, stdout, stderr } = await first
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ status: 'finished', cells: 4, done: 4, page: join(out, 'index.html') })
    // Four methods, 2 images: a look at each, 4 iterations of 11 queries and the last point, the saved pictures, and what confirms them.
    expect(result.modelCalls).toBeGreaterThanOrEqual(4 * 2 * 45)
    expect(result.modelCalls).toBeLessThan(4 * 2 * 60)
    expect(readdirSync(join(out, 'cells')).sort()).toEqual(
      ['adamm', 'nes', 'psgd', 'smd'].map((name) => `universal-2x4-zo-${name}`),
    )
    const ids = ['C1', 'C2', 'C3', 'C4', 'C5a', 'C5b', 'C6', 'C7', 'C8', 'C9']
    expect(result.claims.map(({ id }: { id: string }) => id)).toEqual(ids)
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
    const again = await call('--out', out, '--json')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    const redrawn = await call('--out', out, '--redraw')
    expect(redrawn.code).toBe(0)
    expect(redrawn.stdout).toContain(`Report: ${join(out, 'index.html')}`)
    expect(written(join(out, 'cells'))).toEqual(before)
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe(page)
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse((await first).stdout))
  })

  test('says how it was made, in the folder, on both pages and for programs', async () => {
    const { provenance } = JSON.parse(readFileSync(join(out, 'claims.json'), 'utf8'))
    const result = JSON.parse((await first).stdout)
    expect(provenance).toMatchObject({ seed: 1, done: 4, cells: 4, modelCalls: result.modelCalls })
    expect(provenance.command).toMatch(/^npm run reproduce -- table-2 .* --model model\.onnx .* --out some$/)
    expect(result.sittings).toEqual(provenance.sittings)
    expect(result.sittings).toMatchObject([{ attacks: 4, zeroth: expect.any(String), command: expect.any(String) }])
    const [{ seconds }] = result.sittings
    expect(result.seconds).toBe(seconds)
    expect(seconds).toBeGreaterThan(0)
    for (const page of ['index.html', 'index.md']) {
      const text = readFileSync(join(out, page), 'utf8')
      expect(text).toContain('images classified')
      expect(text).toContain(process.versions.node)
      expect(text).not.toMatch(/\bNaN\b|undefined/)
    }
  })

  test('is shown, listed, and drawn elsewhere', async () => {
    await first
    const shown = await call('show', out)
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      /^status +finished\nreproduces +table-2 fig-2 fig-a2 prop-1, full scale, paper settings\n/,
    )
    expect(JSON.parse((await call('show', out, '--json')).stdout)).toMatchObject({
      status: 'finished',
      done: 4,
      cells: 4,
    })
    expect((await call('list', folder)).stdout).toMatch(/some +4 attacks finished/)
    expect((await call('list', out)).stdout).toMatch(/some +4 attacks finished/)
    const elsewhere = join(folder, 'page')
    const report = await call('report', out, '--out', elsewhere, '--title', 'Mine')
    expect(report).toMatchObject({ code: 0, stdout: `${join(elsewhere, 'index.html')}\n` })
    expect(readFileSync(join(elsewhere, 'index.html'), 'utf8')).toContain('<h1>Mine</h1>')
    expect(csv(elsewhere, 'table-2')).toEqual(csv(out, 'table-2'))
    expect(existsSync(join(elsewhere, 'reproduce.json'))).toBe(false)
  })

  test('is no other: what was asked before decides', async () => {
    await first
    const other = await call('--out', out, '--seed', '7')
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('is another reproduction: its seed is not given, not 7')
    expect((await call('--out', out, '--scale', 'quick')).stderr).toContain('its scale is "full", not "quick"')
  })
})

describe('resume', () => {
  const out = join(folder, 'resumed')
  const part = ['table-2', '--scale', 'quick', '--profile', 'paper', '--class', '4', ...small]

  test('continues a reproduction as the same command would', async () => {
    const first = await call(...part, '--only', 'nes', '--out', out, '--json')
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'partial', cells: 4, done: 1 })
    const cells = join(out, 'cells')
    const report = (name: string) =>
      JSON.parse(readFileSync(join(cells, `universal-2x4-zo-${name}`, 'summary.json'), 'utf8'))
    expect(report('nes').images.map(({ label }: { label: number }) => label)).toEqual([4, 4])
    // It was told to make those alone: there is nothing to do.
    expect((await call('resume', out)).stdout).toContain('from 1 of 4 attacks')
    // One that was interrupted, as far as its files go.
    rmSync(join(cells, 'universal-2x4-zo-nes', 'summary.json'))
    rmSync(join(cells, 'universal-2x4-zo-nes', 'universal'), { recursive: true })
    const again = await call('resume', out, '--json')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toMatchObject({
      status: 'partial',
      done: 1,
      sittings: [{ attacks: 1 }, { attacks: 1 }],
    })
    const all = await call('--out', out, '--workers', '1', '--json')
    expect(JSON.parse(all.stdout)).toMatchObject({ status: 'finished', done: 4, sittings: [{}, {}, { attacks: 3 }] })
    expect(report('adamm').images.map(({ label }: { label: number }) => label)).toEqual([4, 4])
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('2 images of class 4')
  })

  test('refuses other limits, a folder without a reproduction and one whose record is damaged', async () => {
    const limits = await call('resume', out, '--max-queries', '5')
    expect(limits.code).toBe(2)
    expect(limits.stderr).toContain("unknown option '--max-queries'")
    expect((await call('resume', join(folder, 'nowhere'))).stderr).toContain('there is no reproduction in')
    const damaged = join(folder, 'damaged')
    mkdirSync(damaged)
    writeFileSync(join(damaged, 'reproduce.json'), '{')
    expect((await call('resume', damaged)).stderr).toContain('reproduce.json is damaged: it is no JSON')
    expect((await call('list', folder)).stdout).toMatch(/damaged +\S+reproduce\.json is damaged/)
  })
})

test('stops when its time is up, draws what there is, and ends with the same tables', async () => {
  const some = ['--count', '2', '--iterations', '40', '--only', 'zo-scd,zo-psgd']
  const whole = ['table-a3', '--scale', 'quick', '--profile', 'paper', ...some]
  const [inOneGo, limited] = [join(folder, 'in-one-go'), join(folder, 'limited')]
  expect((await call(...whole, '--workers', '1', '--out', inOneGo)).code).toBe(0)
  const first = await call(...whole, '--workers', '1', '--out', limited, '--max-time', '1ms', '--json')
  expect(first.stderr).toContain(
    `the time is up, and all is saved: continue with npm run reproduce -- resume ${limited}`,
  )
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({ status: 'partial', cells: 8 })
  expect(existsSync(join(limited, 'index.html'))).toBe(true)
  let [done, limit] = [0, 100]
  while (done < 2) {
    const more = await call('resume', limited, '--max-time', `${limit}ms`, '--json')
    expect(more.code).toBe(0)
    done = JSON.parse(more.stdout).done
    limit *= 3
  }
  expect(csv(limited, 'table-a3')).toEqual(csv(inOneGo, 'table-a3'))
})

test('two processes do not work in one folder', async () => {
  const out = join(folder, 'busy')
  const whole = ['table-2', '--count', '1', '--iterations', '1', '--workers', '1', '--out', out]
  expect((await call(...whole, '--only', 'none of them')).code).toBe(0)
  const lock = await lockFolder(out)
  const refused = await call(...whole)
  lock.release()
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain(`${out} is in use by process ${process.pid}`)
  expect(existsSync(join(out, 'cells'))).toBe(false)
})

describe('a model over HTTP', () => {
  const subject = ['--scale', 'full', '--images', asset(''), '--model']
  const served = ['table-2', ...subject, 'http://127.0.0.1:9/v2/models/m', ...small]

  test('is not asked, and leaves no folder, without permission', async () => {
    const out = join(folder, 'served')
    const { code, stderr } = await call(...served, '--out', out)
    expect(code).toBe(2)
    expect(stderr).toContain('spec.permitted: the model is reached over HTTP')
    expect(existsSync(out)).toBe(false)
  })

  test('with a secret in its address is refused before anything is recorded', async () => {
    const out = join(folder, 'secret')
    const { code, stderr } = await call(...subject, 'http://me:secret@127.0.0.1:9/v2/models/m', '--out', out)
    expect(code).toBe(2)
    expect(stderr).not.toContain('me:secret')
    expect(existsSync(out)).toBe(false)
  })

  test('of a folder that lacks permission is not asked by resume, which says what gives it', async () => {
    const out = join(folder, 'unpermitted')
    const settings = { scale: 'full', subject: { model: 'http://127.0.0.1:9/v2/models/m', images: asset('') } }
    const record = { created: '2026-01-01T00:00:00.000Z', zeroth: '0.1.0', machine: {}, seconds: 0, what: ['table-2'] }
    mkdirSync(out)
    const text = JSON.stringify({ format: 'zeroth-reproduction', version: 1, ...record, settings })
    writeFileSync(join(out, 'reproduce.json'), text)
    const { code, stderr } = await call('resume', out)
    expect(code).toBe(2)
    expect(stderr).toContain('the model is reached over HTTP')
    expect(stderr).toContain(`npm run reproduce -- --out ${out} --permitted continues`)
    expect(readFileSync(join(out, 'reproduce.json'), 'utf8')).toBe(text)
    const permitted = await call('--out', out, '--permitted', '--retries', '0', '--workers', '1')
    expect(permitted.stderr).not.toContain('--permitted')
    expect(JSON.parse(readFileSync(join(out, 'reproduce.json'), 'utf8')).settings.subject.permitted).toBe(true)
    expect((await call('--out', out, '--images', 'x')).stderr).toContain('--images needs --model')
  })
})

describe('mistakes', () => {
  test.each([
    [['tabel-a3'], 'got "tabel-a3"; did you mean table-a3?'],
    [['--scale', 'quik'], '--scale must be one of quick, standard, full, got "quik"; did you mean quick?'],
    [['--profile', 'tund'], 'did you mean tuned?'],
    [['--scale', 'full'], '--scale full needs --model and --images'],
    [['--model', 'digits'], '--model needs --scale full: quick has its own model'],
    [['--images', 'photos'], '--images needs --model'],
    [['--redraw'], '--redraw: there is no reproduction in'],
  ])('%j', async (args, text) => {
    const out = join(folder, 'never')
    const { code, stdout, stderr } = await call(...args, '--out', out)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(text)
    expect(existsSync(out)).toBe(false)
  })

  test('a folder of something else is left alone', async () => {
    const { code, stderr } = await call('--out', folder)
    expect(code).toBe(2)
    expect(stderr).toContain('and is not a reproduction: choose another folder')
  })
})
