import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { slab } from './slab.ts'

test('moves points to the side they left by', () => {
  const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
  expect(projected(set, Float64Array.of(1, 1))).toStrictEqual(Float64Array.of(0.5, 0.5))
  expect(projected(set, Float64Array.of(-1, -1))).toStrictEqual(Float64Array.of(-0.5, -0.5))
  expect(projected(set, Float64Array.of(5, -5))).toStrictEqual(Float64Array.of(5, -5))
})

test('lets the sign step of the counter-example escape along (1, -1) in the metric (2, 1), never in Euclid (R5.1)', () => {
  const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
  const step = Float64Array.of(0.6, 0.6)
  expect(projected(set, step)).toStrictEqual(Float64Array.of(0.5, 0.5))
  const x = projected(set, step, Float64Array.of(2, 1))
  expect(x[0]).toBeCloseTo(0.5 + 0.1 / 3, 14)
  expect(x[1]).toBeCloseTo(0.5 - 0.1 / 3, 14)
})

test('refuses planes in the wrong order', () => {
  expect(() => slab({ normal: 1, lower: 1, upper: 0 })).toThrow('slab.lower must be at most slab.upper (0), got 1')
  expect(() => slab({ normal: 0, lower: 0, upper: 1 })).toThrow('slab.normal must not be 0')
  expect(() => slab({ normal: 1, lower: Number.NaN, upper: 0 })).toThrow('slab.lower must be a finite number')
})
