import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { l2Ball } from './l2-ball.ts'

test('shortens a point to the radius in the Euclidean metric', () => {
  expect(projected(l2Ball({ radius: 5 }), Float64Array.of(6, 8))).toStrictEqual(Float64Array.of(3, 4))
  expect(projected(l2Ball({ radius: 1, center: [2, 0] }), Float64Array.of(5, 0))).toStrictEqual(Float64Array.of(3, 0))
})

test('ends on the sphere, and never outside by a rounding error', () => {
  for (const [radius, size] of [
    [1e-9, 1e150],
    [1e-3, 1],
    [1, 1.0000000000000002],
    [1e9, 1e10],
    [1, 1e150],
  ] as const) {
    const set = l2Ball({ radius })
    const x = projected(set, Float64Array.of(size, -size, 0.5 * size), Float64Array.of(1e-6, 1, 1e6))
    expect(Math.hypot(...x) / radius).toBeCloseTo(1, 14)
    expect(set.contains(x)).toBe(true)
  }
})

test('puts a float32 point inside although its coordinates are rounded', () => {
  const set = l2Ball({ radius: 1, center: 0.1 })
  const y = Float32Array.from({ length: 1000 }, (_, i) => (i % 7) - 3)
  const x = projected(
    set,
    y,
    Float32Array.from({ length: 1000 }, (_, i) => 1 + (i % 5)),
  )
  expect(set.contains(x)).toBe(true)
  expect(Math.hypot(...x.map((value) => value - 0.1))).toBeGreaterThan(1 - 1e-6)
})

test('stays inside where the center is too large for the radius to be resolved', () => {
  const set = l2Ball({ radius: 1e-3, center: 1e8 })
  const x = projected(set, Float64Array.of(1e8 + 2, 1e8 - 3, 1e8), Float64Array.of(1, 2, 3))
  expect(set.contains(x)).toBe(true)
  expect(Math.hypot(...x.map((value) => value - 1e8))).toBeGreaterThan(0.99e-3)
})

test('refuses a radius that is not above 0 and a center that does not fit', () => {
  expect(() => l2Ball({ radius: -2 })).toThrow('l2-ball.radius must be above 0, got -2')
  expect(() => l2Ball({ radius: 1, center: [0] }).check(2)).toThrow(
    'l2-ball.center has 1 entry, but there are 2 coordinates',
  )
})
