import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exponential, logarithm } from './functions.ts'

describe('exponential', () => {
  describe('exponential', () => {
    test('agrees with Math.exp to two units in the last place, from underflow to overflow', () => {
      fc.assert(
        fc.property(fc.double({ min: -745.2, max: 709.8, noNaN: true }), (x) => {
          const reference = Math.exp(x)
          const ulp = Math.max(reference * Number.EPSILON, Number.MIN_VALUE)
          return exponential(x) === reference || Math.abs(exponential(x) - reference) <= 2 * ulp
        }),
        { numRuns: 5000, seed: 1 },
      )
    })

    test.each([
      [0, 1],
      [-0, 1],
      [1, 2.7182818284590455],
      [-1, 0.36787944117144233],
      [709.782712893384, 1.7976931348622732e308],
      [-745.1332191019411, 5e-324],
      [Infinity, Infinity],
      [-Infinity, 0],
      [710, Infinity],
      [-746, 0],
      [1e308, Infinity],
      [-1e308, 0],
    ])('of %f is %f, to the bit', (x, value) => {
      expect(exponential(x)).toBe(value)
    })

    test('is not a number where its argument is none', () => {
      expect(exponential(Number.NaN)).toBeNaN()
    })

    test('never falls', () => {
      fc.assert(
        fc.property(
          fc.double({ min: -700, max: 700, noNaN: true }),
          fc.double({ min: 1e-9, max: 1, noNaN: true }),
          (x, gap) => {
            return exponential(x) <= exponential(x + gap)
          },
        ),
        { numRuns: 2000, seed: 1 },
      )
    })
  })
})

describe('logarithm', () => {
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
})
