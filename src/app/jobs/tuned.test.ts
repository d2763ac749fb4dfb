import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, expect, test } from 'vitest'
import type { JsonObject } from '../spec/index.ts'
import { openJob } from './any-job.ts'
import { type ExportFormat, exportJob } from './export.ts'
import { openRun } from './run.ts'
import { readPoints, readTuned } from './tuned.ts'

const root = mkdtempSync(join(tmpdir(), 'zeroth-tuned-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A program that logs each of its runs, fails from 3 to 6, and is best at 9. */
const code = `
  const [n, mode] = process.argv.slice(1)
  require('fs').appendFileSync(process.argv.at(-1), n + ' ')
  if (n > 2 && n < 7) { console.error('not ' + n); process.exit(1) }
  console.log(JSON.stringify({ score: 100 - (n - 9) * (n - 9) - (mode === 'fast' ? 0 : 10), size: n * 2 }))`

function spec(folder: string, changes: JsonObject = {}): JsonObject {
  return {
    objective: {
      name: 'command',
      command: [process.execPath, '-e', code, '--', '{n}', '{mode}', '--quick={quick}', join(root, `${folder}.log`)],
      env: { MODE: '{mode}', PLAIN: 'x' },
      measure: 'json:.score',
      maximize: true,
      constraints: ['json:.size <= 24'],
    },
    variables: {
      n: { from: 1, to: 16, step: 1 },
      mode: { choices: ['fast', "sl'ow"] },
      quick: { choices: [false, true], when: { mode: 'fast' } },
    },
    start: { n: 2 },
    failures: 'skip',
    seed: 3,
    maxQueries: 14,
    compare: 2,
    ...changes,
  }
}

async function performed(folder: string, changes: JsonObject = {}): Promise<string[]> {
  const job = await openRun(join(root, folder), spec(folder, changes))
  const messages: string[] = []
  for await (const event of job.perform()) if (event.type === 'warning') messages.push(event.message)
  return messages
}

test('a tuning tells its best setting as a command line, what it began with, and all that it tried', async () => {
  expect(await performed('whole')).toEqual([
    'comparing the best point with the start: 2 measurements of each, in turns',
  ])
  const tuned = await readTuned(join(root, 'whole'))
  const { points = [], details } = tuned?.tried ?? {}
  expect(points.map(({ query }) => query)).toEqual(points.map((_, i) => i + 1))
  expect(points).toHaveLength(14)
  expect(details).toEqual(['measured', 'spread', 'seconds', 'json:.size <= 24'])
  const failed = points.filter(({ values }) => Number(values[0]) > 2 && Number(values[0]) < 7)
  const broken = points.filter(({ values }) => Number(values[0]) > 12)
  expect([failed.length, broken.length].every((count) => count > 0)).toBe(true)
  for (const each of failed) expect(each).toMatchObject({ status: 'failed', value: Number.NaN })
  expect(failed[0]?.reason).toContain(`last line of stderr: not ${failed[0]?.values[0]}`)
  for (const { status, value, values, details: beside } of broken) {
    expect(status).toBe('infeasible')
    expect(value).toBe(100 - (Number(values[0]) - 9) ** 2 - (values[1] === 'fast' ? 0 : 10))
    expect(beside[3]).toBe(2 * Number(values[0]))
  }
  const best = Math.max(...points.filter(({ status }) => status === 'ok').map(({ value }) => value))
  const { n, mode, quick } = tuned?.best?.variables ?? {}
  expect(tuned?.best?.value).toBe(best)
  expect(best).toBe(100 - (Number(n) - 9) ** 2 - (mode === 'fast' ? 0 : 10))
  const words = mode === 'fast' ? `${n} fast --quick=${quick} ` : `${n} 'sl'\\''ow' `
  expect(tuned?.best?.command).toContain(` -- ${words}`)
  expect(tuned?.best?.command).toMatch(/^MODE=/)
  expect(tuned?.start).toMatchObject({ variables: { n: 2, mode: 'fast', quick: false }, value: 51 })
  expect(tuned?.gain).toMatchObject({ kind: 'factor', pairs: 2 })
  expect(tuned?.gain?.value).toBeCloseTo(best / 51, 12)
  // Each query is a run, and so is each measurement of the comparison; nothing else is.
  expect(readFileSync(join(root, 'whole.log'), 'utf8').trim().split(' ')).toHaveLength(14 + 4)
})

test('a choice that does not matter is left out, and quotes are quoted', async () => {
  await performed('quoted', { start: { mode: "sl'ow" }, maxQueries: 1 })
  const tuned = await readTuned(join(root, 'quoted'))
  expect(tuned?.start.command).toContain(` -- 8 'sl'\\''ow' ${join(root, 'quoted.log')}`)
  expect(tuned?.start.command.startsWith(`MODE='sl'\\''ow' `)).toBe(true)
  expect(tuned?.gain).toBeUndefined()
})

test('a tuning that is performed again asks nothing, and one with more queries compares its new best point', async () => {
  await performed('again', { maxQueries: 4 })
  const runs = (): number => readFileSync(join(root, 'again.log'), 'utf8').trim().split(' ').length
  const before = runs()
  const same = await openJob(join(root, 'again'))
  for await (const _ of same.perform());
  expect(runs()).toBe(before)
  const more = await openJob(join(root, 'again'), { maxQueries: 14 })
  for await (const _ of more.perform());
  const tuned = await readTuned(join(root, 'again'))
  expect(tuned?.tried.points).toHaveLength(14)
  expect(tuned?.comparison?.hash).toBe(tuned?.run?.hash)
  expect(tuned?.gain?.pairs).toBe(2)
})

test('points are kept of every run whose variables have names, and of no other', async () => {
  const objective = join(root, 'objective.mjs')
  writeFileSync(objective, 'export default (x) => { if (x.b > 0.9) throw new Error("too much"); return x.a + x.b }')
  const variables = { a: { from: 1, to: 8, step: 1 }, b: { from: 0, to: 1 } }
  const named = { objective: { name: 'module', module: objective }, variables, maxQueries: 30, failures: 'skip' }
  const job = await openRun(join(root, 'named'), named)
  for await (const _ of job.perform());
  const tried = await readPoints(join(root, 'named'))
  expect(tried?.points.length).toBe(job.result()?.queries)
  for (const { values, value, status } of tried?.points ?? []) {
    const [a = 0, b = 0] = values.map(Number)
    expect(value).toEqual(b > 0.9 ? Number.NaN : a + b)
    expect(status).toBe(b > 0.9 ? 'failed' : 'ok')
  }
  const plain = await openRun(join(root, 'plain'), { objective: 'rosenbrock', dim: 2, maxQueries: 30 })
  for await (const _ of plain.perform());
  expect(await readPoints(join(root, 'plain'))).toBeUndefined()
  expect(await readTuned(join(root, 'named'))).toBeUndefined()
})

test('settings are exported as a row each, with what was measured beside them and why there is no value', async () => {
  await performed('exported')
  const folder = join(root, 'exported')
  const { points = [] } = (await readPoints(folder)) ?? {}
  const written = async (format: ExportFormat, of = folder): Promise<Uint8Array<ArrayBuffer>> => {
    const pieces: Uint8Array[] = []
    for await (const piece of await exportJob(of, format, { points: true })) pieces.push(piece)
    return new Uint8Array(Buffer.concat(pieces))
  }
  const columns = 'query,iteration,at,status,value,n,mode,quick,spread,seconds,json:.size <= 24,reason'
  const lines = Buffer.from(await written('csv'))
    .toString()
    .trim()
    .split('\r\n')
  expect(lines[0]).toBe(columns)
  expect(lines).toHaveLength(15)
  const rows = await parquetReadObjects({ file: (await written('parquet')).buffer })
  const json = JSON.parse(Buffer.from(await written('json')).toString())
  expect(Object.keys(rows[0] ?? {})).toEqual(columns.split(','))
  points.forEach(({ query, value, status, values: [n, mode, quick], reason }, i) => {
    const told = { status, n, mode, reason, value: Number.isNaN(value) ? undefined : value }
    expect(json[i]).toMatchObject(JSON.parse(JSON.stringify({ query, ...told, quick })))
    const { reason: why = null, value: measured = null } = told
    const known = { status, n, mode, reason: why, value: measured, quick: quick === undefined ? null : String(quick) }
    expect(rows[i]).toMatchObject({ query: BigInt(query), ...known })
  })
  const refused = 'points are for one run whose variables have names'
  await expect(written('csv', join(root, 'plain'))).rejects.toThrow(refused)
  await expect(written('npy')).rejects.toThrow('points are for csv, json and parquet, not for npy')
})
