import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { boxAndLinfBall } from './box-and-linf-ball.ts'

test('has the tighter of both bounds in each coordinate', () => {
  const set = boxAndLinfBall({ lower: -0.5, upper: 0.5, radius: 0.25, center: [0.5, 0, -0.375] })
  set.check(3)
  expect(set.bounds?.(3)).toStrictEqual({
    lower: Float64Array.of(0.25, -0.25, -0.5),
    upper: Float64Array.of(0.5, 0.25, -0.125),
  })
  expect(projected(set, Float64Array.of(0, 1, -1))).toStrictEqual(Float64Array.of(0.25, 0.25, -0.5))
})

test('refuses a ball that misses the box', () => {
  expect(() => boxAndLinfBall({ lower: 0, upper: 1, radius: 0.5, center: [0, 2] }).check(2)).toThrow(
    'box-and-linf-ball is empty: coordinate 1 has lower 1.5 and upper 1',
  )
})

test('refuses lists of different lengths', () => {
  const set = boxAndLinfBall({ lower: [0, 0], radius: 1, center: [0, 0, 0] })
  expect(() => set.check(2)).toThrow('box-and-linf-ball.center has 3 entries, but there are 2 coordinates')
  expect(() => set.check(3)).toThrow('box-and-linf-ball.lower has 2 entries, but there are 3 coordinates')
})
