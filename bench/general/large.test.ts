import { describe, expect, it } from 'vitest'
import { large } from './large.ts'

describe('large problems', () => {
  const [ellipsoid, rosenbrock, logistic] = large(100) as [Large, Large, Large]
  type Large = ReturnType<typeof large>[number]

  it('have 20 queries per variable, 5 at 10,000 variables', () => {
    expect(ellipsoid.budget).toBe(2000)
    expect(large(10_000)[1]?.budget).toBe(50_000)
  })

  it('are Rosenbrock from the usual start', () => {
    // 50 pairs (-1.2, 1) and 49 pairs (1, -1.2): 24.2 and 484 each.
    expect(rosenbrock.initial).toBeCloseTo(50 * 24.2 + 49 * 484, 8)
    expect(rosenbrock.value(new Float64Array(100).fill(1))).toBe(0)
  })

  it('are an ellipsoid whose curvatures go from 1 to 1e4', () => {
    const curvatures = Array.from({ length: 100 }, (_, i) => {
      const at = (t: number): number => ellipsoid.value(Float64Array.from({ length: 100 }, (_, j) => (j === i ? t : 0)))
      return (at(1) + at(-1) - 2 * at(0)) / 2
    }).sort((a, b) => a - b)
    expect(curvatures[0]).toBeCloseTo(1, 6)
    expect((curvatures[99] as number) / 1e4).toBeCloseTo(1, 6)
  })

  it('are a logistic regression whose best value is below all around it and above none', () => {
    expect(logistic.initial).toBeCloseTo(Math.LN2, 12)
    expect(logistic.best).toBeGreaterThan(0)
    expect(logistic.best).toBeLessThan(0.5 * Math.LN2)
  })

  it('are the same whenever they are made', () => {
    const again = large(100)
    expect(again.map(({ initial, best }) => [initial, best])).toEqual(
      [ellipsoid, rosenbrock, logistic].map(({ initial, best }) => [initial, best]),
    )
  })
})
