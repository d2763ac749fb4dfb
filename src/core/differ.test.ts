import { expect, test } from 'vitest'
import { differ } from './differ.ts'

test('one coordinate is enough, also the last', () => {
  expect(differ(Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 3))).toBe(false)
  expect(differ(Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 4))).toBe(true)
  expect(differ(Float32Array.of(0.1), Float32Array.of(0.1))).toBe(false)
})
