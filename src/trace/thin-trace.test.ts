import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thinTrace } from './thin-trace.ts'
import type { TraceRecord } from './trace-lines.ts'

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
