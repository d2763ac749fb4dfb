import { expect, test } from 'vitest'
import { dampedUpdate, positive } from './quasi-newton-matrix.ts'
import { multiply } from './vectors.ts'

test('an update takes the move to the change of the gradient', () => {
  const b = Float64Array.of(2, 0, 0, 1)
  const [move, change] = [Float64Array.of(1, 1), Float64Array.of(3, 2)]
  dampedUpdate(b, move, change)
  const product = new Float64Array(2)
  multiply(b, move, product)
  expect(product[0]).toBeCloseTo(3, 14)
  expect(product[1]).toBeCloseTo(2, 14)
})

test('a gradient that falls along the move is damped: the matrix stays positive definite', () => {
  const b = Float64Array.of(1, 0, 0, 1)
  dampedUpdate(b, Float64Array.of(1, 0), Float64Array.of(-5, 0))
  expect(b[0]).toBeCloseTo(0.2, 14)
  expect(b[3]).toBe(1)
})

test('eigenvalues become magnitudes, none below 1e-8 of the largest', () => {
  expect(Array.from(positive(Float64Array.of(-4, 0, 0, 0), 2))).toEqual([4, 0, 0, 4e-8])
})
