import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { functionObjective } from '../../index.ts'
import type { RunResult } from '../store/index.ts'
import { type Comparison, compareWithStart, gainOf, readComparison } from './compare-start.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-compare-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pairs = (start: Comparison['start'], best: Comparison['best']): Comparison => {
  return { hash: 'x', wanted: start.length, start, best }
}

test('a gain is the geometric mean of quotients with the interval of Student over pairs', () => {
  // Logarithms of the quotients: ln 2 - 0.1, ln 2, ln 2 + 0.1; their standard error is 0.1 / sqrt(3).
  const best = [1, 1, 1]
  const start = [2 * Math.exp(-0.1), 2, 2 * Math.exp(0.1)]
  const gain = gainOf(pairs(start, best), false)
  expect(gain).toMatchObject({ kind: 'factor', pairs: 3, failed: 0 })
  expect(gain?.value).toBeCloseTo(2, 12)
  expect(gain?.low).toBeCloseTo(2 * Math.exp((-4.303 * 0.1) / Math.sqrt(3)), 9)
  expect(gain?.high).toBeCloseTo(2 * Math.exp((4.303 * 0.1) / Math.sqrt(3)), 9)
})

test('of a maximum, the other quotient counts: the values come as they are minimised', () => {
  expect(gainOf(pairs([-10, -10], [-30, -30]), true)).toMatchObject({ kind: 'factor', low: expect.closeTo(3, 9) })
})

test('values that are not above 0 have differences, and what failed is left out and counted', () => {
  const gain = gainOf(pairs([0, 2, null, 4], [-1, 0, 1, null]), false)
  expect(gain).toMatchObject({ kind: 'difference', value: 1.5, pairs: 2, failed: 2 })
  // A standard deviation of sqrt(0.5) over two pairs.
  expect(gain?.high).toBeCloseTo(1.5 + 12.706 * 0.5, 9)
  expect(gainOf(pairs([1, null], [1, 1]), false)).toBeUndefined()
})

test('both are measured in turns, each pair is kept at once, and what is there is not measured again', async () => {
  const asked: number[] = []
  const stop = new AbortController()
  const objective = functionObjective(
    ([x = 0]) => {
      asked.push(x)
      if (asked.length === 5) stop.abort()
      return x * x
    },
    { dim: 1 },
  )
  const start = Float64Array.of(3)
  const result = { hash: 'h', point: [1] } as unknown as RunResult
  let begun = 0
  const options = { objective, start, seed: 0, wanted: 4, onBegin: () => void begun++ }
  await compareWithStart(folder, result, options, stop.signal)
  expect(asked).toEqual([3, 1, 1, 3, 3])
  expect(readComparison(folder)).toEqual({ hash: 'h', wanted: 4, start: [9, 9], best: [1, 1] })
  asked.length = 0
  await compareWithStart(folder, result, options, new AbortController().signal)
  expect(asked).toEqual([3, 1, 1, 3])
  expect(readComparison(folder)?.start).toEqual([9, 9, 9, 9])
  expect(begun).toBe(2)
  // Another best point is another comparison; the start itself needs none.
  await compareWithStart(folder, { hash: 'i', point: [3] } as unknown as RunResult, options, stop.signal)
  expect(readComparison(folder)).toEqual({ hash: 'i', wanted: 0, start: [], best: [] })
  expect(begun).toBe(2)
})
