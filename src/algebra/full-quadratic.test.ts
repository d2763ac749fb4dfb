import { expect, test } from 'vitest'
import { hessianOf, lowestWithin, quadraticSize, quadraticValue, recenter, writeMonomials } from './full-quadratic.ts'
import { dot, norm } from './vectors.ts'

/** 1 + 2 u - 3 v + (4 u^2 + 2 u v + 6 v^2) / 2, in the order value, gradient, upper triangle. */
const quadratic = Float64Array.of(1, 2, -3, 4, 1, 6)

test('has a number for the value, each slope, and each entry of the upper triangle', () => {
  expect([1, 2, 9, 30].map(quadraticSize)).toEqual([3, 6, 55, 496])
  expect(Array.from(hessianOf(quadratic, 2))).toEqual([4, 1, 1, 6])
})

test('its value is its product with the monomials', () => {
  const monomials = new Float64Array(6)
  writeMonomials([0.5, -2], 2, monomials)
  expect(quadraticValue(quadratic, 2, [0.5, -2])).toBe(1 + 1 + 6 + (1 - 2 + 24) / 2)
  expect(dot(monomials, quadratic)).toBe(quadraticValue(quadratic, 2, [0.5, -2]))
})

test('is the same function from another origin', () => {
  const moved = recenter(quadratic.slice(), 2, Float64Array.of(1, 2))
  for (const [u, v] of [
    [0, 0],
    [1, -1],
    [0.25, 3],
  ] as const) {
    expect(quadraticValue(moved, 2, [u, v])).toBeCloseTo(quadraticValue(quadratic, 2, [u + 1, v + 2]), 12)
  }
})

test('is lowest where its gradient is 0, if that is within the radius', () => {
  const lowest = lowestWithin(quadratic, 2, 10)
  expect(lowest[0]).toBeCloseTo(-15 / 23, 12)
  expect(lowest[1]).toBeCloseTo(14 / 23, 12)
})

test('the lowest point stays within the radius and near its edge', () => {
  const lowest = lowestWithin(quadratic, 2, 0.5)
  expect(norm(lowest)).toBeLessThanOrEqual(0.5)
  expect(norm(lowest)).toBeGreaterThan(0.3)
  expect(quadraticValue(quadratic, 2, lowest)).toBeLessThan(0)
})

test('a saddle is left downhill', () => {
  const saddle = Float64Array.of(0, 0.1, 0, -2, 0, 1)
  const lowest = lowestWithin(saddle, 2, 3)
  expect(lowest[0]).toBeLessThan(-0.05)
  expect(quadraticValue(saddle, 2, lowest)).toBeLessThan(-0.01)
  expect(norm(lowest)).toBeLessThanOrEqual(3)
})
