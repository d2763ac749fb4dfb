import { expect, test } from 'vitest'
import { holm, imageVerdicts, medianInterval, pText, rankSumTest, signTest, verdictOf } from './verdict.ts'

const upTo = (count: number, of: (i: number) => number): number[] => Array.from({ length: count }, (_, i) => of(i))

test('the rank test gives the p-values of an independent implementation, ties included', () => {
  expect(rankSumTest([1, 2, 3, 4], [5, 6, 7, 8])).toBeCloseTo(0.02857142857142857, 12)
  expect(rankSumTest([1, 2, 3], [4, 5, 6])).toBeCloseTo(0.1, 12)
  expect(rankSumTest([1.1, 2.2, 3.3, 9], [2, 4, 5, 6, 7])).toBeCloseTo(0.5555555555555556, 12)
  expect(rankSumTest([1, 1, 2, 3, 3], [2, 3, 4, 4, 4, 5])).toBeCloseTo(0.030303030303030304, 12)
  expect(rankSumTest([0, 0, 0, 1], [0, 1, 1, 1, 1])).toBeCloseTo(0.20634920634920634, 12)
})

test('large samples are compared by the normal approximation, ties included', () => {
  const long = rankSumTest(
    upTo(60, (i) => i),
    upTo(60, (i) => i + 9.5),
  )
  expect(long).toBeCloseTo(0.005906794153805775, 7)
  const tied = rankSumTest(
    upTo(60, (i) => Math.floor(i / 3)),
    upTo(60, (i) => Math.floor(i / 3) + 4),
  )
  expect(tied).toBeCloseTo(0.0006689655596650372, 7)
})

test('the rank test does not know which sample came first, and a run without a value is the worst', () => {
  expect(rankSumTest([1, 2, 9], [3, 4, 5, 6])).toBe(rankSumTest([3, 4, 5, 6], [1, 2, 9]))
  expect(rankSumTest([1, 2, Number.NaN], [3, 4, 5, 6])).toBe(rankSumTest([1, 2, 9], [3, 4, 5, 6]))
})

test('the sign test gives the p-values of an independent implementation', () => {
  expect(signTest(31, 7)).toBeCloseTo(0.00011616700794547796, 15)
  expect([signTest(8, 2), signTest(5, 0), signTest(3, 3), signTest(0, 0)]).toEqual([0.109375, 0.0625, 1, 1])
  expect(signTest(1200, 800)).toBeLessThan(1e-15)
})

test('the interval of a median is that of the sign test: none below six values', () => {
  expect(medianInterval([1, 2, 3, 4, 5])).toBeUndefined()
  expect(medianInterval([6, 5, 4, 3, 2, 1])).toEqual([1, 6])
  expect(medianInterval(upTo(30, (i) => i + 1))).toEqual([10, 21])
})

test('several comparisons at once count less each', () => {
  expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06])
  expect(holm([0.9, 0.8])).toEqual([1, 1])
})

test('a sentence says which is better, and by how much', () => {
  const verdict = verdictOf([
    { name: 'auto', values: [5, 6, 7, 8, 9] },
    { name: 'cma-es', values: [1, 2, 3, 4, 4.5] },
  ])
  expect(verdict?.text).toBe(
    'cma-es is better than auto (median 3 against 7, 5 and 5 runs, p = 0.0079). Rank test (Mann-Whitney, two-sided).',
  )
  expect(verdict?.p).toEqual([expect.closeTo(0.0079365, 6), undefined])
})

test('where nothing can be told, it says so, and why', () => {
  const level = verdictOf([
    { name: 'a', values: [1, 3, 5, 7, 9] },
    { name: 'b', values: [2, 4, 6, 8, 10] },
  ])
  expect(level?.text).toMatch(/^a has the lowest median, 5; no difference can be told from b \(.*, p = 0\.69\)\./)
  const few = verdictOf([
    { name: 'a', values: [1, 2, 3] },
    { name: 'b', values: [4, 5, 6] },
  ])
  expect(few?.text).toBe(
    'a has the lowest median, 2; too few runs to tell it from b. Rank test (Mann-Whitney, two-sided).',
  )
  expect(verdictOf([{ name: 'alone', values: [1, 2] }])).toBeUndefined()
  expect(
    verdictOf([
      { name: 'a', values: [1] },
      { name: 'b', values: [2] },
    ]),
  ).toBeUndefined()
})

test('attacks are compared image by image, those that failed last', () => {
  const square = new Map([1, 2, 3, 4, 5, 6, 7, 8].map((image) => [image, 10 + image]))
  const simba = new Map([1, 2, 3, 4, 5, 6, 7, 9].map((image) => [image, image < 3 ? Infinity : 99]))
  const costs = [
    { name: 'square', queries: square, distances: new Map([[3, 0.5]]) },
    { name: 'simba', queries: simba, distances: new Map([[3, 0.4]]) },
  ]
  expect(imageVerdicts(costs)).toEqual([
    'square fools sooner on 7 images, simba on 0: square is better (p = 0.016, sign test). ' +
      'Where both fool, simba ends nearer on 1 image, square on 0: no difference can be told (p = 1, sign test).',
  ])
  expect(imageVerdicts(costs.slice(0, 1))).toEqual([])
})

test('a p-value is never printed as 0', () => {
  expect([pText(1e-9), pText(0.0312)]).toEqual(['p < 0.001', 'p = 0.031'])
})
