import { describe, expect, test } from 'vitest'
import { projected } from '../../../../test/conformance/set.ts'
import { boxAndL2Ball, l1Ball, l2Ball } from './balls.ts'
import { box } from './boxes.ts'

describe('l2 ball', () => {
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
})

describe('box and l2 ball', () => {
  const y = Float64Array.of(1.5, -0.7, 0.3, 2)
  const h = Float64Array.of(4, 1, 0.25, 9)

  test('is the ball where the box is large, and the box where the ball is', () => {
    const ball = boxAndL2Ball({ lower: -100, upper: 100, radius: 1 })
    expect(projected(ball, y, h)).toStrictEqual(projected(l2Ball({ radius: 1 }), y, h))
    const clipped = boxAndL2Ball({ lower: -0.5, upper: 0.5, radius: 100 })
    expect(projected(clipped, y, h)).toStrictEqual(projected(box({ lower: -0.5, upper: 0.5 }), y, h))
  })

  test('is not what clipping and then projecting onto the ball gives (SPEC R4.7)', () => {
    const distance = (x: Float64Array) =>
      x.reduce((sum, value, i) => sum + (h[i] as number) * (value - (y[i] as number)) * (value - (y[i] as number)), 0)
    const composed = projected(l2Ball({ radius: 0.8 }), projected(box({ lower: -0.5, upper: 0.5 }), y, h), h)
    expect(distance(composed)).toBeCloseTo(24.954, 3)
    const exact = projected(boxAndL2Ball({ lower: -0.5, upper: 0.5, radius: 0.8 }), y, h)
    expect(distance(exact)).toBeCloseTo(24.37371, 5)
  })

  test('ends on the sphere and within the bounds, by the numbers as they are stored', () => {
    const center = Float64Array.from({ length: 500 }, (_, i) => ((i % 11) - 5) / 10)
    const set = boxAndL2Ball({ lower: -0.5, upper: 0.5, radius: 1.25, center })
    set.check(500)
    const far = center.map((value, i) => value + ((i % 5) - 2) / 3)
    const weights = center.map((_, i) => 1 + (i % 97) * (i % 97))
    for (const x of [
      projected(set, far, weights),
      projected(set, Float32Array.from(far), Float32Array.from(weights)),
    ]) {
      expect(set.contains(x)).toBe(true)
      expect(Math.hypot(...Float64Array.from(x, (value, i) => value - (center[i] as number)))).toBeGreaterThan(1.2499)
    }
  })

  test('finds the one point where a ball outside the box touches it', () => {
    const set = boxAndL2Ball({ lower: 3, upper: [4, Infinity], radius: 5, center: [0, -1] })
    set.check(2)
    expect(projected(set, Float64Array.of(9, 9), Float64Array.of(1, 50))).toStrictEqual(Float64Array.of(3, 3))
  })

  test('refuses a ball that misses the box', () => {
    expect(() => boxAndL2Ball({ lower: 3, radius: 4, center: [0, -1] }).check(2)).toThrow(
      'box-and-l2-ball is empty: box-and-l2-ball.center is 5 away from the box, box-and-l2-ball.radius is 4',
    )
  })

  test('refuses an empty box, a radius that is not above 0 and lists that do not fit', () => {
    expect(() => boxAndL2Ball({ lower: 1, upper: -1, radius: 9 }).check(3)).toThrow('is empty: coordinate 0')
    expect(() => boxAndL2Ball({ radius: 0 })).toThrow('box-and-l2-ball.radius must be above 0, got 0')
    expect(() => boxAndL2Ball({ radius: 1, center: [1, 2] }).check(3)).toThrow('box-and-l2-ball.center has 2 entries')
    expect(() => boxAndL2Ball({ radius: 1, upper: [1, 2] }).check(3)).toThrow('box-and-l2-ball.upper has 2 entries')
  })
})

describe('l1 ball', () => {
  test('keeps the sign of each coordinate and cuts small ones to zero', () => {
    const x = projected(l1Ball({ radius: 1 }), Float64Array.of(-2, 1.5, 0.1))
    expect(x).toStrictEqual(Float64Array.of(-0.75, 0.25, 0))
  })

  test('holds the sign step of the counter-example at (0.5, 0.5) in Euclid, and lets it move in the metric (2, 1)', () => {
    const set = l1Ball({ radius: 1 })
    let [euclid, mahalanobis] = [Float64Array.of(0.5, 0.5), Float64Array.of(0.5, 0.5)]
    for (let t = 1; t <= 2000; t++) {
      const forward = (value: number) => value + 0.1 / Math.sqrt(t)
      euclid = projected(set, euclid.map(forward))
      mahalanobis = projected(set, mahalanobis.map(forward), Float64Array.of(2, 1))
    }
    expect(euclid).toStrictEqual(Float64Array.of(0.5, 0.5))
    expect(mahalanobis).toStrictEqual(Float64Array.of(1, 0))
  })

  test('projects around its center', () => {
    const x = projected(l1Ball({ radius: 1, center: [10, -10] }), Float64Array.of(9, -7))
    expect(x).toStrictEqual(Float64Array.of(10, -9))
  })

  test('contains what it projects to, however large its center is against its radius', () => {
    const set = l1Ball({ radius: 1e-3, center: [1e8, 2e8 / 3] })
    const x = projected(set, Float64Array.of(1e8 + 1, 2e8 / 3 - 1.0625), Float64Array.of(1, 1.5))
    expect(set.contains(x)).toBe(true)
  })

  test('finds the right corner for points far away and for weights far apart', () => {
    const set = l1Ball({ radius: 1 })
    expect(projected(set, Float64Array.of(1e150, 0.999e150, -1e140))).toStrictEqual(Float64Array.of(1, 0, 0))
    expect(projected(set, Float64Array.of(1e150, -1e150))).toStrictEqual(Float64Array.of(0.5, -0.5))
    const x = projected(set, Float64Array.of(5, 5e11, -3), Float64Array.of(1e6, 1e-6, 1))
    expect(set.contains(x)).toBe(true)
    expect(x[0]).toBeGreaterThan(0.4)
  })

  test('refuses a radius that is not above 0 and a center that does not fit', () => {
    expect(() => l1Ball({ radius: -1 })).toThrow('l1-ball.radius must be above 0, got -1')
    expect(() => l1Ball({ radius: Number.NaN })).toThrow('l1-ball.radius must be a finite number, got NaN')
    expect(() => l1Ball({ radius: 1, center: [0, 0] }).check(5)).toThrow(
      'l1-ball.center has 2 entries, but there are 5 coordinates',
    )
  })
})
