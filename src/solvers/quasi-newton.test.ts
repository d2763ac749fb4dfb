import { describe, expect, test } from 'vitest'
import type { ConvexSet, Solver } from '../core/types.ts'
import { minimizeSync, type Result } from '../run/minimize.ts'
import { halfspace } from '../sets/halfspace.ts'
import { noisyDescent } from './noisy-descent.ts'
import { quasiNewton } from './quasi-newton.ts'

/** Straight lines from 1 off the minimum at 100 on: no curvature is seen from 0. */
const huber = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, each) => {
    const off = Math.abs(each - 100)
    return sum + (off < 1 ? (off * off) / 2 : off - 0.5)
  }, 0)

/** A run from 0, and the largest magnitude among the coordinates that it asked about. */
function run(solver: Solver, dim: number, set?: ConvexSet): { result: Result; farthest: number } {
  let farthest = 0
  const f = (x: Float64Array): number => {
    for (const each of x) farthest = Math.max(farthest, Math.abs(each))
    return huber(x)
  }
  const result = minimizeSync(f, new Float64Array(dim), { solver, set, maxQueries: 3000 })
  return { result, farthest }
}

describe('where no curvature is seen', () => {
  test.each([
    ['dense', quasiNewton({ matrix: 'dense' }), 2],
    ['dense', quasiNewton({ matrix: 'dense' }), 12],
    ['limited', quasiNewton({ matrix: 'limited' }), 2],
    ['limited', quasiNewton({ matrix: 'limited' }), 12],
    ['noisy', noisyDescent(), 2],
    ['noisy', noisyDescent(), 12],
  ])('%s steps stay within sight, and the minimum is found (%#)', (_, solver, dim) => {
    const { result, farthest } = run(solver, dim)
    expect(result.value).toBeLessThan(1e-9)
    expect(farthest).toBeLessThan(1e5)
  })

  test('so do steps in a set that is no box', () => {
    const { result, farthest } = run(quasiNewton(), 2, halfspace({ normal: [-1, -1], offset: 300 }))
    expect(result.value).toBeLessThan(1e-9)
    expect(farthest).toBeLessThan(1e5)
  })
})

test.each([
  ['dense', 60],
  ['limited', 300],
] as const)('curvatures that differ by factors of up to 25 are looked at one by one: %s', (matrix, dim) => {
  const f = (x: Float64Array): number =>
    x.reduce((sum, each, i) => sum + (1 + (i % 5)) * (1 + (i % 5)) * (each - 1) * (each - 1), 0)
  const { value } = minimizeSync(f, new Float64Array(dim), { solver: quasiNewton({ matrix }), maxQueries: 3 * dim })
  expect(value / f(new Float64Array(dim))).toBeLessThan(1e-7)
})
