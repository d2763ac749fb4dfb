import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { box } from './box.ts'

test('clips each coordinate to its own bounds, infinite ones included', () => {
  const set = box({ lower: [-1, -Infinity, 0], upper: [1, 2, Infinity] })
  set.check(3)
  expect(projected(set, Float64Array.of(-3, -3, -3))).toStrictEqual(Float64Array.of(-1, -3, 0))
  expect(projected(set, Float64Array.of(3, 3, 3))).toStrictEqual(Float64Array.of(1, 2, 3))
})

test('is the whole space by default', () => {
  const far = Float64Array.of(-1e300, 1e300)
  expect(projected(box(), far)).toStrictEqual(far)
  expect(box().bounds?.(1)).toStrictEqual({ lower: Float64Array.of(-Infinity), upper: Float64Array.of(Infinity) })
})

test('keeps a private copy of its bounds', () => {
  const upper = Float64Array.of(1, 1)
  const set = box({ upper })
  upper.fill(5)
  expect(projected(set, Float64Array.of(3, 3))).toStrictEqual(Float64Array.of(1, 1))
})

test('never stores a float32 beyond a bound that float32 cannot represent', () => {
  const set = box({ lower: 0.7, upper: 1.1 })
  expect(Math.fround(0.7)).toBeLessThan(0.7)
  expect(Math.fround(1.1)).toBeGreaterThan(1.1)
  for (const value of [-5, 0.7, 0.9, 1.1, 5]) {
    const x = projected(set, Float32Array.of(value))
    expect(set.contains(x)).toBe(true)
    expect(projected(set, x)).toStrictEqual(x)
  }
})

test('allows a point outside by the tolerance it is given', () => {
  expect(box({ upper: 1 }).contains(Float64Array.of(1.001))).toBe(false)
  expect(box({ upper: 1 }).contains(Float64Array.of(1.001), 0.01)).toBe(true)
  expect(box({ upper: 1 }).contains(Float64Array.of(Number.NaN), 1)).toBe(false)
})

test('refuses bounds without a number between them, or of the wrong length', () => {
  expect(() => box({ lower: 1, upper: [2, 0] }).check(2)).toThrow('box is empty: coordinate 1 has lower 1 and upper 0')
  expect(() => box({ lower: Infinity }).check(1)).toThrow('box is empty: coordinate 0 has lower Infinity')
  expect(() => box({ upper: -Infinity }).check(1)).toThrow('box is empty')
  expect(() => box({ lower: [1, 2] }).check(3)).toThrow('box.lower has 2 entries, but there are 3 coordinates')
  expect(() => box({ upper: [Number.NaN] })).toThrow('box.upper must be')
  expect(() => box({ lower: Number.NaN })).toThrow('box.lower must be')
})
