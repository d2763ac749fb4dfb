import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { hyperplane } from './hyperplane.ts'

test('moves points onto the plane from both sides', () => {
  const set = hyperplane({ normal: [1, 1], offset: 1 })
  expect(projected(set, Float64Array.of(1, 1))).toStrictEqual(Float64Array.of(0.5, 0.5))
  expect(projected(set, Float64Array.of(0, 0))).toStrictEqual(Float64Array.of(0.5, 0.5))
})

test('moves the coordinate with the smallest weight most', () => {
  const x = projected(hyperplane({ normal: [1, 1], offset: 0 }), Float64Array.of(1, 1), Float64Array.of(1, 3))
  expect(x).toStrictEqual(Float64Array.of(-0.5, 0.5))
})

test('corrects what rounding leaves of a point far along the normal', () => {
  const set = hyperplane({ normal: [1, 2, -3], offset: 0.125 })
  const x = projected(set, Float64Array.of(1e20 / 3, 2e20 / 3, -1e20))
  expect(set.contains(x)).toBe(true)
  expect(Math.abs((x[0] as number) + 2 * (x[1] as number) - 3 * (x[2] as number) - 0.125)).toBeLessThan(1e-9)
})

test('contains what differs from it by no more than rounding', () => {
  const set = hyperplane({ normal: 1, offset: 0.3 })
  expect(set.contains(Float64Array.of(0.1, 0.2))).toBe(true)
  expect(set.contains(Float64Array.of(0.1, 0.2 + 1e-13))).toBe(false)
})

test('refuses a normal without direction', () => {
  expect(() => hyperplane({ normal: [0], offset: 1 })).toThrow('hyperplane.normal must not be 0')
})
