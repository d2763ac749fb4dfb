import { expect, test } from 'vitest'
import { atLeast, diagonal, dot, isUneven, largest, median, multiply, norm } from './vectors.ts'

test('dot, norm and largest', () => {
  expect(dot([1, 2, 3], [4, -5, 6])).toBe(12)
  expect(norm([3, 4])).toBe(5)
  expect(largest([1, -7, 3])).toBe(7)
  expect(largest([])).toBe(0)
})

test('a matrix times a vector, row by row', () => {
  const into = new Float64Array(2)
  multiply(new Float64Array([1, 2, 3, 4, 5, 6]), new Float64Array([1, 0, -1]), into)
  expect([...into]).toEqual([-2, -2])
  expect([...diagonal(new Float64Array([2, 5]))]).toEqual([2, 0, 0, 5])
})

test('the median is the middle value, or the mean of the two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 7])).toBe(6)
})

test('magnitudes are kept above a share of the largest, and above 0', () => {
  expect([...atLeast(new Float64Array([-4, 0, 1e-9]), 0.25)]).toEqual([4, 1, 1])
  expect(atLeast(new Float64Array(1), 1)[0]).toBe(1e-300)
})

test('magnitudes are uneven beyond a factor', () => {
  expect(isUneven(new Float64Array([1, 100]), 100)).toBe(false)
  expect(isUneven(new Float64Array([1, 101]), 100)).toBe(true)
  expect(isUneven(new Float64Array([0, 0]), 100)).toBe(false)
  expect(isUneven(new Float64Array([0, 1]), 100)).toBe(true)
})
