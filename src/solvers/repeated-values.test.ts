import { expect, test } from 'vitest'
import { rankChange, repeatsOf } from './repeated-values.ts'

const values = Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8])

test('equal repetitions change no rank', () => {
  expect(rankChange(values, Float64Array.from([1, 2]))).toBe(0)
})

test('repetitions at the other end change many', () => {
  expect(rankChange(values, Float64Array.from([9, 9.5]))).toBeCloseTo(2.1, 12)
})

test('failed queries do not count', () => {
  expect(rankChange(values, Float64Array.from([Number.NaN, 2]))).toBe(0)
  expect(rankChange(values, Float64Array.from([Number.NaN, Number.NaN]))).toBe(0)
})

test('a few points of a generation are asked again', () => {
  expect([4, 12, 100].map(repeatsOf)).toEqual([2, 2, 7])
})
