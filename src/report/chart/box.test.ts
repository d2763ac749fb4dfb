import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxOf, evenly } from './box.ts'

describe('a box', () => {
  test('has quartiles, and whiskers that reach 1.5 box lengths at most', () => {
    const box = boxOf([5, 1, 3, 2, 4, 100, -50])
    expect(box).toMatchObject({ count: 7, median: 3, lowerQuartile: 1.5, upperQuartile: 4.5, whiskers: [1, 5] })
    expect(box?.outliers).toEqual([-50, 100])
    expect(box?.values).toEqual([-50, 1, 2, 3, 4, 5, 100])
  })

  test('of one value is flat, and of none there is none', () => {
    expect(boxOf([7])).toMatchObject({ median: 7, lowerQuartile: 7, upperQuartile: 7, whiskers: [7, 7], outliers: [] })
    expect(boxOf([])).toBeUndefined()
    expect(boxOf([Number.NaN, Infinity])).toBeUndefined()
  })

  test('leaves out what is not finite', () => {
    expect(boxOf([Number.NaN, 1, Infinity, 3])).toMatchObject({ count: 2, median: 2 })
  })

  test('holds its whiskers outside of itself, and every value is between them or an outlier', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
        const box = boxOf(values)
        if (box === undefined) throw new Error('no box')
        const [low, high] = box.whiskers
        expect(low).toBeLessThanOrEqual(box.lowerQuartile)
        expect(high).toBeGreaterThanOrEqual(box.upperQuartile)
        const within = values.filter((value) => value >= low && value <= high).length
        expect(within + box.outliers.length).toBe(values.length)
      }),
    )
  })
})

test('evenly keeps the first and the last, and all where they are few', () => {
  const sorted = Array.from({ length: 101 }, (_, i) => i)
  expect(evenly(sorted, 5)).toEqual([0, 25, 50, 75, 100])
  expect(evenly([1, 2], 5)).toEqual([1, 2])
})
