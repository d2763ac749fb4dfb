import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleTrace, thinTrace } from './read-trace.ts'
import type { TraceRecord } from './trace-file.ts'

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

/** A trace with these values, one per iteration. */
function traceOf(values: readonly number[]): TraceRecord[] {
  let best = Number.NaN
  return values.map((value, i) => {
    if (!(best <= value) && !Number.isNaN(value)) best = value
    return { iteration: i + 1, queries: 5 * (i + 1), value, best, seconds: i }
  })
}

const waves = (length: number) => traceOf(Array.from({ length }, (_, i) => Math.sin(i / 7) + 1000 / (i + 1)))

test('a trace that is short enough stays as it is', () => {
  const trace = waves(100)
  expect(thinTrace(trace, 100)).toEqual({ records: trace, length: 100 })
  expect(thinTrace([], 100)).toEqual({ records: [], length: 0 })
})

test('a longer one keeps its first and last, its lowest and highest, and the first with the best value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.double(), fc.integer({ min: -3, max: 3 })), { maxLength: 300 }),
      fc.integer({ min: 9, max: 60 }),
      (values, points) => {
        const trace = traceOf(values)
        const { records, length } = thinTrace(trace, points)
        expect(length).toBe(trace.length)
        expect(records.length).toBeLessThanOrEqual(points)
        expect(records).toEqual(trace.filter((each) => records.includes(each)))
        const finite = trace.filter(({ value }) => Number.isFinite(value)).map(({ value }) => value)
        const kept = records.map(({ value }) => value)
        for (const extreme of finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : []) {
          expect(kept).toContain(extreme)
        }
        const bests = trace.filter(({ best }) => Number.isFinite(best)).map(({ best }) => best)
        const first = trace.find(({ best }) => best === Math.min(...bests))
        for (const each of [trace[0], trace.at(-1), first]) if (each !== undefined) expect(records).toContain(each)
      },
    ),
  )
})

test('each stretch of a long trace keeps its peaks and dips', () => {
  const trace = waves(10_000)
  const { records } = thinTrace(trace, 1000)
  expect(records.length).toBeGreaterThan(400)
  for (let from = 0; from < trace.length; from += 128) {
    const values = trace.slice(from, from + 128).map(({ value }) => value)
    const kept = records
      .filter(({ iteration }) => iteration > from && iteration <= from + 128)
      .map(({ value }) => value)
    expect([Math.min(...kept), Math.max(...kept)]).toEqual([Math.min(...values), Math.max(...values)])
  }
})
