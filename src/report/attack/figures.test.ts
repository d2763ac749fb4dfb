import fc from 'fast-check'
import { expect, test } from 'vitest'
import { iterationPlaces } from './figures.ts'

test('about ten round iterations, and the last where it is far from them', () => {
  expect(iterationPlaces(1000)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000])
  expect(iterationPlaces(909)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900])
  expect(iterationPlaces(199)).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 199])
  expect(iterationPlaces(3)).toEqual([1, 2, 3])
  expect(iterationPlaces(0)).toEqual([])
})

test('never none, never many, never beyond the last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e7 }), (last) => {
      const places = iterationPlaces(last)
      expect(places.length).toBeGreaterThanOrEqual(Math.min(last, 5))
      expect(places.length).toBeLessThanOrEqual(12)
      expect(places.at(-1)).toBeLessThanOrEqual(last)
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
      expect(places.every(Number.isInteger)).toBe(true)
    }),
  )
})
