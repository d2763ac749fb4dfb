import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { linfBall } from './linf-ball.ts'

test('is the box around its center', () => {
  const set = linfBall({ radius: 0.5, center: [1, -1] })
  expect(set.needsMetric).toBe(false)
  expect(set.bounds?.(2)).toStrictEqual({ lower: Float64Array.of(0.5, -1.5), upper: Float64Array.of(1.5, -0.5) })
  expect(projected(set, Float64Array.of(9, -1.25), Float64Array.of(1, 7))).toStrictEqual(Float64Array.of(1.5, -1.25))
})

test('refuses a radius that is not above 0 and a center that does not fit', () => {
  expect(() => linfBall({ radius: 0 })).toThrow('linf-ball.radius must be above 0, got 0')
  expect(() => linfBall({ radius: Infinity })).toThrow('linf-ball.radius must be a finite number, got Infinity')
  expect(() => linfBall({ radius: 1, center: [1] }).check(2)).toThrow(
    'linf-ball.center has 1 entry, but there are 2 coordinates',
  )
  expect(() => linfBall({ radius: 1, center: [Infinity] })).toThrow('linf-ball.center must')
})
