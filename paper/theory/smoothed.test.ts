import { expect, test } from 'vitest'
import {
  counterexample,
  linear,
  logisticRegression,
  quadratic,
  robustRegression,
  rotatedQuadratic,
  smoothAbsolute,
  sumOfSines,
  type TestProblem,
} from '../../src/index.ts'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { expectGradient, length, randomPoint } from '../../test/conformance/problem.ts'
import { ballAverage, smoothedOf } from './smoothed.ts'

test.each([
  ['a linear function', linear({ dim: 5 })],
  ['a quadratic', quadratic({ dim: 5, condition: 100 })],
  ['a rotated quadratic', rotatedQuadratic({ dim: 5, condition: 10 })],
  ['the counterexample', counterexample()],
  ['absolute values', smoothAbsolute({ dim: 5 })],
  ['sines', sumOfSines({ dim: 5 })],
  ['a regression with a ridge', logisticRegression({ dim: 4, population: 7, ridge: 1, seed: 1 })],
  ['a regression with outliers', robustRegression({ dim: 4, population: 16, seed: 1 })],
])('the smoothed function of %s is the mean over the ball', (_, problem) => {
  expectSmoothed(problem)
})

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

/**
 * A quadrature of our own, over the sphere of radius mu: by the divergence theorem grad f_mu = E[(d / mu) f(x + mu u) u],
 * and antithetic pairs leave little variance. The value is compared through its own gradient.
 */
function expectSmoothed(problem: TestProblem): void {
  const { dim, value } = problem
  const smoothed = (at: Float64Array, mu: number) => smoothedOf(problem, at, mu)
  const x = randomPoint(dim, 0, 1)
  const radius = 0.5
  const count = 4000
  const sum = new Float64Array(dim)
  const squares = new Float64Array(dim)
  for (let k = 0; k < count; k++) {
    const u = onSphere(dim, k)
    const along = (sign: number) => value(x.map((each, i) => each + sign * radius * (u[i] as number)))
    const slope = (dim * (along(1) - along(-1))) / (2 * radius)
    for (let i = 0; i < dim; i++) {
      sum[i] = (sum[i] as number) + slope * (u[i] as number)
      squares[i] = (squares[i] as number) + slope * slope * (u[i] as number) * (u[i] as number)
    }
  }
  smoothed(x, radius).gradient.forEach((entry, i) => {
    const estimate = (sum[i] as number) / count
    const error = Math.sqrt(((squares[i] as number) / count - estimate * estimate) / count)
    expect(Math.abs(estimate - entry)).toBeLessThan(4.5 * error + 1e-12)
  })
  expectGradient(smoothed(x, radius).gradient, (y) => smoothed(y, radius).value, x)
  expect(smoothed(x, 1e-9).value).toBeCloseTo(value(x), 12)
}

/** A uniform direction: normal numbers by Box and Muller, normalised. */
function onSphere(dim: number, row: number): Float64Array {
  const at = { seed: 7, iteration: 2, row }
  const normals = Float64Array.from({ length: dim }, (_, i) => {
    const radius = Math.sqrt(-2 * Math.log(1 - randomUniform(at, 'noise', 2 * i)))
    return radius * Math.cos(2 * Math.PI * randomUniform(at, 'noise', 2 * i + 1))
  })
  return normals.map((each) => each / length(normals))
}
