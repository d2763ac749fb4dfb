import { expect, test } from 'vitest'
import { vectorsOf } from '../../test/conformance/basis.ts'
import { beginning } from '../../test/conformance/directions.ts'
import { givenBasis } from './given-basis.ts'

const vectors = (given: ArrayLike<number>[], dim: number): number[][] => {
  const at = beginning(dim)
  return vectorsOf(givenBasis({ vectors: given }).begin(at), at)
}

test('makes the vectors orthonormal in their order', () => {
  const [first, second] = vectors([[3, 4, 0], Float32Array.of(5, 0, 2)], 3)
  const expected = [3.2, -2.4, 2]
  expect(first).toEqual([0.6, 0.8, 0])
  second?.forEach((each, i) => {
    expect(each).toBeCloseTo((expected[i] as number) / Math.hypot(3.2, 2.4, 2), 14)
  })
})

test('keeps nearly dependent vectors orthogonal to 12 digits', () => {
  const [u = [], v = []] = vectors(
    [
      [1, 1, 1],
      [1, 1, 1 + 1e-7],
    ],
    3,
  )
  expect(Math.abs(u.reduce((sum, each, i) => sum + each * (v[i] as number), 0))).toBeLessThan(1e-12)
})

test('takes vectors of any length', () => {
  const [u = []] = vectors([[3e300, 4e300]], 2)
  expect([u[0], u[1]].map((each) => each?.toFixed(12))).toEqual(['0.600000000000', '0.800000000000'])
})

test.each([
  [[[0, 0]], 'given-basis.vectors[0] is 0; the vectors must be independent'],
  [
    [
      [1, 0],
      [0, 1],
      [1, 1],
    ],
    'given-basis.vectors[2] is a combination of those before it, or 0 (there are 2 variables); the vectors must be independent',
  ],
  [[[1, 2], [1]], 'given-basis.vectors[1] must have an entry for each of 2 variables, got 1'],
  [[[1, Infinity]], 'given-basis.vectors[0][1] must be a finite number, got Infinity'],
])('refuses %j', (given, message) => {
  expect(() => vectors(given, 2)).toThrow(message)
})

test('refuses no vectors, and what is not a list of numbers', () => {
  expect(() => givenBasis({ vectors: [] })).toThrow('given-basis.vectors must hold at least 1, got Array(0)')
  expect(() => givenBasis({ vectors: [[1, 'two' as never]] })).toThrow('must hold numbers only (entry 1 is not one)')
})
