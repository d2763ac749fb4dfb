import { expect, test } from 'vitest'
import { logarithm } from './logarithm.ts'

test('agrees with the engine to two units in the last place, over the whole range', () => {
  for (let k = -1074; k <= 1023; k += 7) {
    for (const m of [1, 1.0000001, 1.2, 1.41421356, 1.4143, 1.7, 1.9999999]) {
      const x = k < -1022 ? 2 ** k : m * 2 ** k
      const expected = Math.log(x)
      expect(Math.abs(logarithm(x) - expected)).toBeLessThanOrEqual(2 ** -51 * Math.abs(expected))
    }
  }
})

test('is exact where the result is', () => {
  expect([1, 0, Infinity].map(logarithm)).toEqual([0, -Infinity, Infinity])
  expect(logarithm(-1)).toBeNaN()
  expect(logarithm(Number.NaN)).toBeNaN()
  expect(logarithm(Math.E)).toBe(1)
})

test('has the same bits everywhere', () => {
  expect([2, 10, 0.1, 1e-300, 3e300].map(logarithm)).toEqual([
    0.6931471805599453, 2.302585092994046, -2.3025850929940455, -690.7755278982137, 691.8741401868818,
  ])
})
