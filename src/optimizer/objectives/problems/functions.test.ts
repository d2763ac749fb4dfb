import { expect, test } from 'vitest'
import { ballAverage } from './functions.ts'

test.each([1, 2, 3, 6, 25, 100, 400])('has the moments of one coordinate in the ball of R^%i', (dim) => {
  const average = ballAverage(dim)
  expect(average(() => 1, 0, 1)).toBeCloseTo(1, 14)
  expect(average((t) => t, 0, 1)).toBeCloseTo(0, 14)
  expect(average((t) => t * t, 0, 1)).toBeCloseTo(1 / (dim + 2), 14)
  expect(average((t) => t * t * t * t, 0, 1)).toBeCloseTo(3 / ((dim + 2) * (dim + 4)), 14)
  expect(average((t) => t, 3, 0.5)).toBeCloseTo(3, 13)
})

test.each([1, 4, 7])('averages a cosine to the Bessel function of R^%i', (dim) => {
  // E cos(r u_1) = sum_k (-r^2 / 4)^k / (k! (d/2 + 1) ... (d/2 + k)).
  const radius = 1.5
  let term = 1
  let sum = 1
  for (let k = 1; k < 30; k++) {
    term *= (-radius * radius) / 4 / (k * (dim / 2 + k))
    sum += term
  }
  expect(ballAverage(dim)(Math.cos, 0, radius)).toBeCloseTo(sum, 14)
})
