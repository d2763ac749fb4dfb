import { describe, expect, test } from 'vitest'
import type { Solver } from '../core/types.ts'
import { forward, minimizeSync, quadratic, rosenbrock, scalarMoment, sphere } from '../index.ts'
import { descent } from './descent.ts'
import { zoAdaMM } from './zo-adamm.ts'
import { zoNormalized } from './zo-normalized.ts'

/** What is left of the distance to the minimum, as a share of that at the start. */
function left(
  value: (x: ArrayLike<number>) => number,
  start: Float64Array,
  solver: Solver,
  maxQueries: number,
): number {
  return minimizeSync(value, start, { solver, maxQueries, seed: 1 }).value / value(start)
}

describe('without a learning rate', () => {
  const { value, start } = quadratic({ dim: 100 })

  test.each([0.01, 1, 100])('it finds the scale of the variables (times %d)', (scale) => {
    const scaled = (x: ArrayLike<number>) => value(Float64Array.from(x, (each) => each / scale))
    const begin = start.map((each) => each * scale)
    expect(left(scaled, begin, zoNormalized(), 2000)).toBeLessThan(0.01)
    if (scale !== 1) expect(left(scaled, begin, zoAdaMM(), 2000)).toBeGreaterThan(0.5)
  })

  test.each([1e-6, 1, 1e6])('the scale of the values hardly matters (times %d)', (scale) => {
    expect(left((x) => scale * value(x as Float64Array), start, zoNormalized(), 2000)).toBeLessThan(0.001)
  })

  test('it stays stable in a curved valley', () => {
    const valley = rosenbrock({ dim: 30 })
    expect(left(valley.value as (x: ArrayLike<number>) => number, valley.start, zoNormalized(), 3000)).toBeLessThan(
      0.02,
    )
  })
})

test('with a learning rate it is the scalar moment with forward differences', () => {
  const { value, start } = quadratic({ dim: 5 })
  const run = (solver: Solver) => minimizeSync(value, start, { solver, maxIterations: 20 }).point
  const parts = descent({
    estimator: forward({ along: sphere(), directions: 3, smoothing: 1e-2 }),
    step: scalarMoment({ beta1: 0.9, beta2: 0.5 }),
    learningRate: { value: 0.2, decay: 'none' },
  })
  const preset = zoNormalized({ learningRate: 0.2, directions: 3, smoothing: 1e-2, beta2: 0.5 })
  expect(run(preset)).toEqual(run(parts))
})

test('a first step and a learning rate exclude each other', () => {
  expect(() => zoNormalized({ initial: 0.5, learningRate: 0.1 })).toThrow(
    'zo-normalized.initial is the length of the first step of a run without a learning rate; give only one of them, got 0.5',
  )
})

test('the first step is as long as asked for, less what the momentum holds back', () => {
  const { value, start } = quadratic({ dim: 50 })
  const first = (options: object) => {
    const { point } = minimizeSync(value, start, { solver: zoNormalized(options), maxIterations: 1 })
    return Math.hypot(...point.map((each, i) => each - (start[i] as number)))
  }
  expect(first({ initial: 0.4 })).toBeCloseTo(0.2, 12)
  expect(first({ beta1: 0.75 })).toBeCloseTo(0.25 * 0.1 * (1 + Math.sqrt(50)), 12)
})
