import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exponential } from './exponential.ts'
import { logarithm } from './logarithm.ts'

const positive = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true })

describe('logarithm', () => {
  test('agrees with Math.log to two units in the last place, over all positive numbers', () => {
    fc.assert(
      fc.property(fc.oneof(positive, fc.double({ min: 0.5, max: 2, noNaN: true })), (x) => {
        const reference = Math.log(x)
        return Math.abs(logarithm(x) - reference) <= 2 * Math.abs(reference) * Number.EPSILON
      }),
      { numRuns: 20_000, seed: 1 },
    )
  })

  test.each([
    [1, 0],
    [Math.E, 1],
    [2, 0.6931471805599453],
    [10, 2.302585092994046],
    [0.1, -2.3025850929940455],
    [1e-5, -11.512925464970229],
    [Number.MAX_VALUE, 709.782712893384],
    [Number.MIN_VALUE, -744.4400719213812],
    [2.2250738585072014e-308, -708.3964185322641],
    [0, -Infinity],
    [-0, -Infinity],
    [Infinity, Infinity],
  ])('of %f is %f, to the bit', (x, value) => {
    expect(logarithm(x)).toBe(value)
  })

  test.each([-1, -Infinity, Number.NaN])('is not a number for %f', (x) => {
    expect(logarithm(x)).toBeNaN()
  })

  test('undoes the exponential', () => {
    fc.assert(
      fc.property(fc.double({ min: -700, max: 700, noNaN: true }), (x) => {
        return Math.abs(logarithm(exponential(x)) - x) <= 1e-15 * Math.max(1, Math.abs(x))
      }),
      { numRuns: 2000, seed: 1 },
    )
  })
})
