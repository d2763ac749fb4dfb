import fc from 'fast-check'
import { expect, test } from 'vitest'
import { summarize } from './statistics.ts'

test('of a list', () => {
  expect(summarize([4, 1, 3, 2])).toEqual({
    count: 4,
    mean: 2.5,
    median: 2.5,
    deviation: Math.sqrt(5 / 3),
    smallest: 1,
    largest: 4,
    lowerQuartile: 1.75,
    upperQuartile: 3.25,
  })
})

test('of a single number', () => {
  const seven = { mean: 7, median: 7, smallest: 7, largest: 7, lowerQuartile: 7, upperQuartile: 7 }
  expect(summarize([7])).toEqual({ count: 1, deviation: 0, ...seven })
})

test('of nothing is nothing', () => {
  expect(summarize([])).toMatchObject({ count: 0, mean: Number.NaN, median: Number.NaN, smallest: Number.NaN })
})

test('numbers that are not finite spoil only what depends on them', () => {
  expect(summarize([1, 2, Infinity])).toMatchObject({ smallest: 1, median: 2, largest: Infinity, mean: Infinity })
  expect(summarize([1, 2, Number.NaN])).toMatchObject({ smallest: 1, median: 2, largest: Number.NaN, mean: Number.NaN })
})

test('quantiles are in order, and the list stays as it was', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 30 }),
      (values) => {
        const copy = [...values]
        const { smallest, lowerQuartile, median, upperQuartile, largest, mean } = summarize(values)
        expect(values).toEqual(copy)
        expect(
          smallest <= lowerQuartile && lowerQuartile <= median && median <= upperQuartile && upperQuartile <= largest,
        ).toBe(true)
        const slack = 1e-6
        expect(mean >= smallest - slack && mean <= largest + slack).toBe(true)
      },
    ),
    { numRuns: 200, seed: 1 },
  )
})
