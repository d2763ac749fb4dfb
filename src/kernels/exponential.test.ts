import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exponential } from './exponential.ts'

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
