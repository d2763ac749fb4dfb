import { describe, expect, it } from 'vitest'
import { boxed } from './box.ts'

describe('problems with bounds', () => {
  const problems = boxed()

  it('are 30, and begin within their bounds', () => {
    expect(problems).toHaveLength(30)
    for (const { start, box, name } of problems) {
      const inside = start.every((x, i) => x >= (box?.lower[i] as number) && x <= (box?.upper[i] as number))
      expect(inside, name).toBe(true)
    }
  })

  it('have a lowest value below that of the start', () => {
    for (const { initial, best, name } of problems) expect(best, name).toBeLessThan(initial)
  })

  it('of the ellipsoid and the slope reach it at a corner or on a face', () => {
    const slope = problems.find(({ name }) => name === 'box-linear-5')
    const corner = Float64Array.from({ length: 5 }, (_, i) => {
      const unit = new Float64Array(5)
      unit[i] = 1
      return -Math.sign(slope?.value(unit) ?? 0)
    })
    expect(slope?.value(corner)).toBeCloseTo(slope?.best ?? 0, 12)
    const ellipsoid = problems.find(({ name }) => name === 'box-ellipsoid1e4-10')
    expect(ellipsoid?.best).toBeGreaterThan(0)
  })

  it('of Rosenbrock have their lowest value on the lower bound of the second variable', () => {
    const { value, box, best } = problems[0] as (typeof problems)[number]
    const [low, high] = [box?.lower[0] as number, box?.upper[0] as number]
    const along = Array.from({ length: 4001 }, (_, i) =>
      value(Float64Array.of(low + ((high - low) * i) / 4000, box?.lower[1] as number)),
    )
    expect(Math.min(...along)).toBeGreaterThanOrEqual(best - 1e-9)
    expect(Math.min(...along)).toBeLessThan(best + 1e-3)
  })
})
