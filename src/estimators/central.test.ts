import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Estimator } from '../core/types.ts'
import { coordinate } from '../directions/coordinate.ts'
import { sphere } from '../directions/sphere.ts'
import { central } from './central.ts'

const square = (a: number): number => a * a
const cubic = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, each, i) => sum + (each * each * each) / 3 + i * each, 0)

function estimate(estimator: Estimator, start: number[], f: (x: ArrayLike<number>) => number, failed: number[] = []) {
  const at = beginning(start.length, { start, seed: 2, trackBest: false })
  const estimation = estimator.begin(at)
  const queries = estimation.queries(at.start, 1)
  const answers = makeAnswers(queries.rows)
  const row = new Float64Array(start.length)
  for (let i = 0; i < queries.rows; i++) {
    queries.write(i, row)
    answers.values[i] = f(row)
  }
  for (const each of failed) answers.failed[each] = 1
  const gradient = new Float64Array(start.length)
  const kept = estimation.estimate(at.start, 1, answers, gradient)
  return { kept, gradient: Array.from(gradient), rows: queries.rows }
}

test('along all coordinates it is the textbook difference', () => {
  const mu = 1e-3
  const start = [0.5, -1, 2]
  const { kept, gradient, rows } = estimate(central({ along: coordinate({ all: true }), smoothing: mu }), start, cubic)
  expect([kept, rows]).toEqual([3, 6])
  // [(a + mu)^3 - (a - mu)^3] / 6 mu = a^2 + mu^2 / 3.
  gradient.forEach((each, i) => expect(each).toBeCloseTo(square(start[i] as number) + square(mu) / 3 + i, 9))
})

test('on a quadratic it has no smoothing error: any radius gives the same estimate', () => {
  const f = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
  const wide = estimate(central({ along: sphere(), directions: 3, smoothing: 0.5 }), [1, 2, 3, 4], f).gradient
  const narrow = estimate(central({ along: sphere(), directions: 3, smoothing: 1e-3 }), [1, 2, 3, 4], f).gradient
  wide.forEach((each, i) => expect(Math.abs(each - (narrow[i] as number))).toBeLessThan(1e-8))
})

test.each([
  [10, 1, true, 21],
  [10, 1, false, 20],
  [3, 2, true, 14],
  [3, 2, false, 12],
])('q = %i, b = %i, trackBest %s costs %i queries', (directions, samples, trackBest, rows) => {
  const at = beginning(3, { trackBest })
  expect(central({ along: coordinate(), directions, samples }).begin(at).rows).toBe(rows)
})

describe('a failed query', () => {
  test('takes its partner with it', () => {
    const estimator = central({ along: coordinate({ all: true }), smoothing: 1e-3 })
    const all = estimate(estimator, [1, 2, 3], cubic).gradient
    for (const failed of [[2], [3], [2, 3]]) {
      const { kept, gradient } = estimate(estimator, [1, 2, 3], cubic, failed)
      expect(kept).toBe(2)
      // The average over the two directions left: 3/2 of their share.
      expect(gradient[1]).toBe(0)
      expect(gradient[0]).toBeCloseTo(1.5 * (all[0] as number), 10)
      expect(gradient[2]).toBeCloseTo(1.5 * (all[2] as number), 10)
    }
  })
})
