import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleTrace } from './sample-trace.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-sample-'))
const count = 20_000
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(() => {
  const lines = Array.from({ length: count }, (_, i) => {
    const best = count - i
    return `${JSON.stringify({ iteration: i + 1, queries: 3 * (i + 1), value: best + 5, best, seconds: i / 100 })}\n`
  })
  writeFileSync(join(folder, 'trace.jsonl'), lines.join(''))
})

describe.each([
  ['read in full', 8 << 20],
  ['read at evenly spaced places', 0],
])('a trace %s', (_, mostBytes) => {
  test('keeps its ends, its order and its length', () => {
    const { records, length } = sampleTrace(folder, { points: 100, mostBytes })
    expect(length).toBe(count)
    expect(records.length).toBeLessThanOrEqual(100)
    expect(records.length).toBeGreaterThan(30)
    expect(records[0]).toMatchObject({ iteration: 1, queries: 3, best: count })
    expect(records.at(-1)).toMatchObject({ iteration: count, queries: 3 * count, best: 1 })
    expect(records.map(({ iteration }) => iteration)).toEqual(
      records.map(({ iteration }) => iteration).sort((a, b) => a - b),
    )
  })

  test('has, between two places, what lies there and the neighbours of that', () => {
    const { records } = sampleTrace(folder, { points: 2000, from: 30_000, to: 30_090, mostBytes })
    const queries = records.map((record) => record.queries)
    expect(queries[0]).toBeLessThanOrEqual(30_000)
    expect(queries[0]).toBeGreaterThanOrEqual(29_900)
    expect(queries.at(-1)).toBeGreaterThanOrEqual(30_090)
    expect(queries.at(-1)).toBeLessThanOrEqual(30_190)
    expect(queries.filter((each) => each > 30_000 && each <= 30_090)).toHaveLength(30)
  })

  test('can be cut by time, too', () => {
    const { records } = sampleTrace(folder, { points: 2000, by: 'seconds', from: 100, to: 100.1, mostBytes })
    expect(records.filter(({ seconds }) => seconds >= 100 && seconds <= 100.1)).toHaveLength(11)
  })
})

test('a run that has no trace yet has no iterations', () => {
  expect(sampleTrace(join(folder, 'none'), { points: 9 })).toEqual({ records: [], length: 0 })
})
