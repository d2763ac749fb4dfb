import { describe, expect, test } from 'vitest'
import { projected } from '../../../../test/conformance/set.ts'
import { box, boxAndLinfBall, linfBall } from './boxes.ts'

describe('box', () => {
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
    expect(() => box({ lower: 1, upper: [2, 0] }).check(2)).toThrow(
      'box is empty: coordinate 1 has lower 1 and upper 0',
    )
    expect(() => box({ lower: Infinity }).check(1)).toThrow('box is empty: coordinate 0 has lower Infinity')
    expect(() => box({ upper: -Infinity }).check(1)).toThrow('box is empty')
    expect(() => box({ lower: [1, 2] }).check(3)).toThrow('box.lower has 2 entries, but there are 3 coordinates')
    expect(() => box({ upper: [Number.NaN] })).toThrow('box.upper must be')
    expect(() => box({ lower: Number.NaN })).toThrow('box.lower must be')
  })
})

describe('linf ball', () => {
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
})

describe('box and linf ball', () => {
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
})
