import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { l1Ball } from './l1-ball.ts'

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
