import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedImages } from '../../src/robustness/embedded/index.ts'
import { encodePng } from '../../src/robustness/images/index.ts'
import { call } from './call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-kept-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const asset = (name: string) => fileURLToPath(new URL(`../../assets/digits/${name}`, import.meta.url))

const network = join(folder, 'model.onnx')
const images = join(folder, 'images')
const kept = join(folder, 'kept')
const subject = ['--model', network, '--images', images, '--preprocessing', asset('model.preprocessing.json')]
const wanted = ['table-a3', 'fig-1', 'table-2', 'fig-2', '--scale', 'full', '--sizes', 'universal=2x5']
const some = ['--only', 'zo-psgd,zo-scd,zo-adamm', '--workers', '1', '--iterations', '12', '-q']

/** Runs a reproduction of so many images, to its end. */
async function reproduced(name: string, count: number, ...more: string[]): Promise<string> {
  const out = join(folder, name)
  const { code, stderr } = await call(...wanted, ...some, '--count', String(count), '--out', out, ...more)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return out
}

/** The tables and figures of a folder, and its verdicts. */
function drawn(out: string): Record<string, string> {
  const files = readdirSync(out).filter((file) => /\.(csv|svg)$/.test(file))
  const { claims } = JSON.parse(readFileSync(join(out, 'claims.json'), 'utf8'))
  const texts = files.map((file) => [file, readFileSync(join(out, file), 'utf8')])
  return { ...Object.fromEntries(texts), claims: JSON.stringify(claims) }
}

/** Keeps the attacks of a reproduction; returns the names of the files. */
async function keep(out: string, ...more: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await call('keep', out, '--into', kept, ...more)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return stdout.trim().split('\n')
}

beforeAll(async () => {
  copyFileSync(asset('model.onnx'), network)
  mkdirSync(images)
  const set = await embeddedImages('digits')
  const rows = Array.from({ length: 5 }, (_, i) => [`${i}.png`, set.label(i)] as const)
  for (const [i, [file]] of rows.entries()) writeFileSync(join(images, file), encodePng(await set.read(i)))
  writeFileSync(join(images, 'labels.csv'), `file,label\n${rows.map((row) => row.join(',')).join('\n')}\n`)
})

describe('attacks that were kept', () => {
  test('are drawn again to the same bytes, without model and images', async () => {
    const out = await reproduced('first', 2, ...subject)
    const files = await keep(out, '--network', network, '--images', images, '--computed', 'by hand')
    expect(files).toHaveLength(6)
    const again = await reproduced('again', 2, '--kept', kept, '--redraw')
    expect(drawn(again)).toEqual(drawn(out))
    expect(existsSync(join(again, 'cells'))).toBe(false)
    const sessions = (place: string) => JSON.parse(readFileSync(join(place, 'claims.json'), 'utf8')).provenance.sittings
    expect(sessions(again)).toEqual(sessions(out))
    const read = JSON.parse(readFileSync(files[0] as string, 'utf8'))
    expect(read).toMatchObject({ format: 'zeroth-kept-attack', count: 2, model: { computed: 'by hand' } })
  })

  test('are gone on from: images attacked before are not attacked again, and the bytes are those of one go', async () => {
    const inOneGo = await reproduced('one-go', 3, ...subject)
    const further = await reproduced('further', 3, ...subject, '--kept', kept)
    expect(drawn(further)).toEqual(drawn(inOneGo))
    const attacked = (index: string) =>
      existsSync(join(further, 'cells', 'per-image-constrained-zo-psgd', 'images', index, 'journal'))
    expect(['0000', '0001', '0002'].map(attacked)).toEqual([false, false, true])
    expect(existsSync(join(further, 'cells', 'universal-2x5-zo-psgd'))).toBe(false)
    // The larger one takes the place of the smaller, with the sessions of both.
    await keep(further)
    const last = await reproduced('last', 3, '--kept', kept, '--redraw')
    expect(drawn(last)).toEqual(drawn(inOneGo))
    const { provenance } = JSON.parse(readFileSync(join(last, 'claims.json'), 'utf8'))
    expect(provenance.sittings).toHaveLength(2)
  })

  test('serve fewer images than were attacked, and those that an interrupted attack is done with', async () => {
    const two = await reproduced('two-of-three', 2, '--kept', kept, '--redraw')
    expect(drawn(two)).toEqual(drawn(join(folder, 'first')))
    const file = join(kept, 'paper', 'per-image-constrained-zo-psgd-12-seed-1.json')
    const whole = readFileSync(file, 'utf8')
    const status = (text: string) =>
      text.replace(/^"count": 3/m, '"count": 5').replace(/^"report": .*$/m, '"report": null,')
    writeFileSync(file, status(whole))
    const shown = async (name: string) => {
      const out = await reproduced(name, 2, '--kept', kept, '--redraw')
      return readFileSync(join(out, 'table-a3.csv'), 'utf8').includes('constrained,ZO-PSGD,0.0001,2,')
    }
    expect(await shown('first-of-some')).toBe(true)
    // The first image is missing: nothing can be said of the first two.
    writeFileSync(file, status(whole).replace(/^\[0,.*\n/m, ''))
    expect(await shown('not-the-first')).toBe(false)
    writeFileSync(file, whole)
  })

  test('are refused for other images, and where they are damaged', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    for (const file of readdirSync(images)) copyFileSync(join(images, file), join(other, file))
    copyFileSync(join(images, '0.png'), join(other, '1.png'))
    const args = [...wanted, ...some, '--count', '4', '--out', join(folder, 'refused'), '--kept', kept]
    const moved = ['--model', network, '--images', other, '--preprocessing', asset('model.preprocessing.json')]
    const refused = await call(...args, ...moved)
    expect(refused.stderr).toContain('keeps attacks of other images: 1.png is another')
    expect(refused.code).toBe(2)
    const file = join(kept, 'paper', 'per-image-constrained-zo-psgd-12-seed-1.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"confirmations"]', '"fool"]'))
    const damaged = await call(...args, ...subject, '--redraw', '--out', join(folder, 'damaged'))
    expect(damaged.stderr).toMatch(/seed-1.json is damaged: it has other columns/)
    expect(damaged.code).not.toBe(0)
  })

  test.each([
    ['universal', 'must be PART=IMAGESxITERATIONS with commas between, got "universal"'],
    [
      'universals=2x5',
      'the parts are per-image, search, betas, universal, patterns, universal-search, universal-betas',
    ],
    ['universal=0x5', 'got "universal=0x5"'],
  ])('--sizes %s is refused', async (sizes, message) => {
    const { code, stderr } = await call('table-2', '--sizes', sizes, '--out', join(folder, 'none'))
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})

const results = fileURLToPath(new URL('../../docs/results/', import.meta.url))

test.each([
  ['full', ['table-a1'], ['table-a1']],
  [
    'full-reference',
    ['table-a3', 'fig-1', 'table-2', 'fig-2', '--profile', 'reference', '--sizes', 'universal=10x9000'],
    ['table-a3', 'table-a3-queries', 'fig-1', 'table-2', 'fig-2'],
  ],
])('the tables of docs/results/%s follow from the attacks kept there', async (name, args, tables) => {
  const out = join(folder, `committed-${name}`)
  const cells = join(results, 'full', 'cells')
  const { code } = await call(...args, '--scale', 'full', '--kept', cells, '--redraw', '-q', '--out', out)
  expect(code).toBe(0)
  const texts = (place: string) => tables.map((table) => readFileSync(join(place, `${table}.csv`), 'utf8'))
  expect(texts(out)).toEqual(texts(join(results, name)))
})
