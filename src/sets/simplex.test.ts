import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { simplex } from './simplex.ts'

test('spreads what is missing evenly, and takes surplus from the largest', () => {
  expect(projected(simplex(), Float64Array.of(0, 0, 0, 0))).toStrictEqual(Float64Array.of(0.25, 0.25, 0.25, 0.25))
  expect(projected(simplex({ sum: 2 }), Float64Array.of(3, 2, -5))).toStrictEqual(Float64Array.of(1.5, 0.5, 0))
})

test('says its sum, for the mirror map that lives on it', () => {
  expect(simplex().simplexSum).toBe(1)
  expect(simplex({ sum: 2.5 }).simplexSum).toBe(2.5)
})

test('has a single point in one dimension', () => {
  expect(projected(simplex({ sum: 3 }), Float64Array.of(-7))).toStrictEqual(Float64Array.of(3))
})

test('finds the right corner for points far away', () => {
  expect(projected(simplex(), Float64Array.of(1e150, 1e150, -1e150))).toStrictEqual(Float64Array.of(0.5, 0.5, 0))
  expect(projected(simplex(), Float64Array.of(-3e150, -2e150, -1e150))).toStrictEqual(Float64Array.of(0, 0, 1))
})

test('refuses a sum that is not above 0', () => {
  expect(() => simplex({ sum: 0 })).toThrow('simplex.sum must be above 0, got 0')
  expect(() => simplex({ sum: -1 })).toThrow('simplex.sum must be above 0, got -1')
})
