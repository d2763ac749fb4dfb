import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCompiled } from '../../src/app/jobs/evaluation/evaluation.ts'
import { openEvaluation } from '../../src/app/jobs/index.ts'
import { type CompiledAttack, compileAttack } from '../../src/app/spec/attack/index.ts'
import { call } from './call.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-ci-'))
const home = process.cwd()
const names = 'zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n=nine\n'
const limits = ['--linf', '0.3,0.05,0.15', '--count', '2', '--max-queries', '220', '--solver', 'nearest-boundary']
const attack = ['attack', '--model', 'digits', '--class-names', 'names.txt', ...limits]
const { GITHUB_STEP_SUMMARY: ofTheJob } = process.env

beforeAll(async () => {
  process.chdir(folder)
  process.env.GITHUB_STEP_SUMMARY = join(folder, 'summary.md')
  writeFileSync('names.txt', names)
  const files = ['--junit', 'a.xml', '--sarif', 'a.sarif', '--write-baseline', 'base.json']
  const { code, stderr } = await call(...attack, '--out', 'a', ...files)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
afterAll(() => {
  process.chdir(home)
  if (ofTheJob === undefined) delete process.env.GITHUB_STEP_SUMMARY
  else process.env.GITHUB_STEP_SUMMARY = ofTheJob
  rmSync(folder, { recursive: true, force: true })
})

test('an evaluation of several limits says what each means, on the console, in files and on the page', async () => {
  const { stdout } = await call('show', 'a')
  expect(stdout).toMatch(/\n {2}linf 0\.05 +\d.* %.*\n {2}linf 0\.15 .*\n {2}linf 0\.3 .*\n/)
  const { summary } = JSON.parse(readFileSync('a/summary.json', 'utf8'))
  const accuracies = summary.limits.map((each: { robustAccuracy: number }) => each.robustAccuracy)
  expect(accuracies).toEqual([...accuracies].sort((a, b) => b - a))
  expect(readFileSync('a/limits.csv', 'utf8').split('\r\n')).toHaveLength(5)
  expect(readFileSync('a/index.html', 'utf8')).toContain('Robust accuracy against the l∞ limit')
  expect(readdirSync('a')).toContain('robust-accuracy-linf.svg')
})

test('JUnit, SARIF and the summary of the job are written', () => {
  expect(readFileSync('a.xml', 'utf8')).toContain('<testcase name="40" classname="zeroth.images" time="0">')
  expect(JSON.parse(readFileSync('a.sarif', 'utf8')).version).toBe('2.1.0')
  expect(readFileSync('summary.md', 'utf8')).toContain('## Robustness of digits')
})

test('classes are called by their names', async () => {
  const [header = '', first = ''] = readFileSync('a/images.csv', 'utf8').split('\r\n')
  expect(first.split(',')[header.split(',').indexOf('labelName')]).toBe('one')
  const { images } = JSON.parse((await call('show', 'a', '--json')).stdout)
  expect(images[0]).toMatchObject({ label: 1, labelName: 'one', predictedName: 'one' })
})

test('interrupted within a smaller limit and resumed, it ends with the same bytes', async () => {
  const { spec } = JSON.parse(readFileSync('a/attack.json', 'utf8'))
  const stopping = new AbortController()
  // The model itself stops it: events are read whenever the reader comes to it, and by then all may be done.
  const evaluation = await openCompiled('b', stoppedAt(480, await compileAttack(spec), stopping))
  for await (const _ of evaluation.perform({ signal: stopping.signal }));
  expect(evaluation.result()).toBeUndefined()
  const again = await openEvaluation('b')
  for await (const _ of again.perform());
  expect(readFileSync('b/summary.json', 'utf8')).toBe(readFileSync('a/summary.json', 'utf8'))
  expect(readFileSync('b/images.csv', 'utf8')).toBe(readFileSync('a/images.csv', 'utf8'))
})

/** The same attack on a model that aborts it once it has been asked this many queries. */
function stoppedAt(most: number, compiled: CompiledAttack, stopping: AbortController): CompiledAttack {
  let asked = 0
  const open: CompiledAttack['model']['open'] = async () => {
    const model = await compiled.model.open()
    return {
      ...model,
      predict(images, signal) {
        asked += images.rows
        if (asked > most) stopping.abort()
        return model.predict(images, signal)
      },
    }
  }
  return { ...compiled, model: { ...compiled.model, open } }
}

test('no worse than its baseline is 0, worse is 3, and the page and the console say it', async () => {
  const same = await call(...attack, '--out', 'a', '--resume', '--baseline', 'base.json')
  expect(same.code).toBe(0)
  expect(same.stdout).toContain('baseline         robust accuracy within linf 0.05')
  const base = JSON.parse(readFileSync('base.json', 'utf8'))
  for (const image of base.images) image.outcomes = ['robust', 'robust', 'robust']
  writeFileSync('better.json', JSON.stringify(base))
  const worse = await call(...attack, '--out', 'a', '--resume', '--baseline', 'better.json')
  expect(worse.code).toBe(3)
  expect(worse.stdout).toMatch(/: worse; \d no longer robust, 0 newly robust\n {17}- 40: fooled/)
  expect(readFileSync('a/index.html', 'utf8')).toContain('No longer robust: image 40')
  const tolerant = ['--baseline', 'better.json', '--tolerance', '1']
  expect((await call(...attack, '--out', 'a', '--resume', ...tolerant)).code).toBe(0)
})

test('an attack is exported as a table and as arrays', async () => {
  for (const out of ['x.parquet', 'x.npy', 'x.csv', 'x.json']) {
    expect(await call('export', 'a', '--out', out)).toMatchObject({ code: 0 })
  }
  const file = readFileSync('x.parquet')
  const rows = await parquetReadObjects({ file: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) })
  expect(rows[0]).toMatchObject({ index: 0n, title: '40', label: 1n, labelName: 'one' })
  expect(readFileSync('x.csv')).toEqual(readFileSync('a/images.csv'))
  expect(JSON.parse(readFileSync('x.json', 'utf8')).images).toHaveLength(rows.length)
  const array = readFileSync('x.npy')
  const fooled = rows.filter(({ adversarial }) => adversarial !== null).length
  expect(array.subarray(10, 128).toString()).toContain(
    `'descr': '|u1', 'fortran_order': False, 'shape': (${fooled}, 1, 28, 28)`,
  )
  expect(array.length).toBe(128 + fooled * 784)
})

test('arrays of originals and labels go with the changed pictures', async () => {
  await call('export', 'a', '--array', 'original', '--pixels', 'float32', '--out', 'o.npy')
  await call('export', 'a', '--array', 'label', '--out', 'l.npy')
  const originals = readFileSync('o.npy')
  const count = (originals.length - 128) / (4 * 784)
  expect(originals.subarray(10, 128).toString()).toContain(`'descr': '<f4'`)
  const values = Array.from({ length: 784 }, (_, i) => originals.readFloatLE(128 + 4 * i))
  expect(Math.max(...values)).toBeGreaterThan(0.5)
  expect(Math.max(...values)).toBeLessThanOrEqual(1)
  const labels = readFileSync('l.npy')
  expect(labels.readBigInt64LE(labels.length - 8 * count)).toBe(1n)
})
