import { describe, expect, test } from 'vitest'
import { boxMinimum, type Smooth } from './box-minimum.ts'

/** A quadratic with mixed terms, minimum at (1, -2, 0.5) without bounds. */
const centre = [1, -2, 0.5]
const quadratic: Smooth = (x, slopes) => {
  const [a, b, c] = centre.map((each, i) => (x[i] as number) - each) as [number, number, number]
  slopes.set([6 * a + b, 4 * b + a - c, 2 * c - b])
  return 3 * a * a + 2 * b * b + c * c + a * b - b * c
}

const rosenbrock: Smooth = (x, slopes) => {
  const [a, b] = x as unknown as [number, number]
  slopes.set([-400 * a * (b - a * a) - 2 * (1 - a), 200 * (b - a * a)])
  return 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)
}

describe('a minimum in a box', () => {
  test('is that of a quadratic where it lies inside', () => {
    const { point, value } = boxMinimum(
      quadratic,
      [0, 0, 0],
      { lower: [-5, -5, -5], upper: [5, 5, 5] },
      { evaluations: 40 },
    )
    expect(value).toBeLessThan(1e-12)
    centre.forEach((each, i) => {
      expect(Math.abs((point[i] as number) - each)).toBeLessThan(1e-6)
    })
  })

  test('lies on a side where the lowest value does', () => {
    const { point } = boxMinimum(quadratic, [0, 0, 0], { lower: [-1, -1, -1], upper: [0.5, 1, 1] }, { evaluations: 40 })
    expect(point[0]).toBe(0.5)
    expect(point[1]).toBe(-1)
    // With a = -0.5 and b = 1, the lowest c - 0.5 is b / 2.
    expect(point[2]).toBeCloseTo(1, 9)
  })

  test('is found along a bent valley', () => {
    const { value } = boxMinimum(rosenbrock, [-1.2, 1], { lower: [-2, -2], upper: [2, 2] }, { evaluations: 80 })
    expect(value).toBeLessThan(1e-10)
  })

  test.each([1, 2, 5, 12])('takes %i evaluations at most, all inside, and never ends above the start', (most) => {
    let count = 0
    const counted: Smooth = (x, slopes) => {
      count++
      expect(x.every((each) => each >= -2 && each <= 2)).toBe(true)
      return rosenbrock(x, slopes)
    }
    const { value } = boxMinimum(counted, [-1.2, 1], { lower: [-2, -2], upper: [2, 2] }, { evaluations: most })
    expect(count).toBeLessThanOrEqual(most)
    expect(value).toBeLessThanOrEqual(24.2)
  })

  test('stays where the function is flat', () => {
    const flat: Smooth = (_, slopes) => {
      slopes.fill(0)
      return 7
    }
    expect(boxMinimum(flat, [0.3], { lower: [0], upper: [1] }, { evaluations: 20 })).toEqual({
      point: Float64Array.of(0.3),
      value: 7,
    })
  })
})
