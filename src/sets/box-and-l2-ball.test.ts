import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { box } from './box.ts'
import { boxAndL2Ball } from './box-and-l2-ball.ts'
import { l2Ball } from './l2-ball.ts'

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
  for (const x of [projected(set, far, weights), projected(set, Float32Array.from(far), Float32Array.from(weights))]) {
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
