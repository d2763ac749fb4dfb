import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addCurvature,
  emptyInterpolation,
  exchange,
  type Interpolation,
  lagrange,
  leastQuadratic,
  recenter,
  star,
} from './interpolation.ts'
import { geometrySteps } from './trust-steps.ts'
import { dot, multiply } from './vectors.ts'

const rowOf = ({ dim, offsets }: Interpolation, k: number): Float64Array => offsets.slice(k * dim, (k + 1) * dim)

/** A set after some exchanges with geometry steps and a move of its base. */
function usedSet(dim: number, outs: readonly number[]): Interpolation {
  const set = emptyInterpolation(dim)
  const { count } = set
  star(set, new Float64Array(dim).fill(1), new Float64Array(dim).fill(-0.7))
  const at = { values: new Float64Array(count + dim), beta: 0 }
  const limits = { below: new Float64Array(dim).fill(-2), above: new Float64Array(dim).fill(1.5), radius: 1.2 }
  const scratch = new Float64Array(count + 3 * dim)
  outs.forEach((each, turn) => {
    const best = turn % count
    const out = each % count === best ? (best + 1) % count : each % count
    const { line } = geometrySteps(set, best, out, limits)
    lagrange(set, best, line, scratch, at)
    exchange(set, out, at, scratch)
    const there = rowOf(set, best).map((y, i) => y + (line[i] as number))
    set.offsets.set(there, out * dim)
    if (turn === 2) recenter(set, best)
  })
  return set
}

test('quadratics take their values at all points, whatever was exchanged and wherever the base is', () => {
  const outs = fc.array(fc.nat(20), { maxLength: 8 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), outs, fc.integer({ min: 1, max: 1000 }), (dim, list, seed) => {
      const set = usedSet(dim, list)
      const { count } = set
      const values = Float64Array.from({ length: count }, (_, k) => ((seed * (k + 3) * 7919) % 101) / 50 - 1)
      const about = rowOf(set, 0)
      const fitted = { weights: new Float64Array(count), gradient: new Float64Array(dim) }
      leastQuadratic(set, values, about, fitted)
      const hessian = new Float64Array(dim * dim)
      addCurvature(set, fitted.weights, hessian)
      const product = new Float64Array(dim)
      for (let k = 0; k < count; k++) {
        const d = rowOf(set, k).map((y, i) => y - (about[i] as number))
        multiply(hessian, d, product)
        const rise = dot(fitted.gradient, d) + 0.5 * dot(d, product)
        expect(rise).toBeCloseTo((values[k] as number) - (values[0] as number), 6)
      }
    }),
    { seed: 11, numRuns: 60 },
  )
})

test('each Lagrange function is 1 at its own point and 0 at the others', () => {
  const set = usedSet(3, [1, 5, 2, 6])
  const at = { values: new Float64Array(10), beta: 0 }
  const about = rowOf(set, 2)
  for (let k = 0; k < 7; k++) {
    const d = rowOf(set, k).map((y, i) => y - (about[i] as number))
    lagrange(set, 2, d, new Float64Array(16), at)
    for (let l = 0; l < 7; l++) expect(at.values[l]).toBeCloseTo(l === k ? 1 : 0, 9)
  }
})

test('geometry steps keep the bounds and the radius', () => {
  const set = usedSet(4, [3, 4])
  const limits = { below: Float64Array.of(0, -0.1, -1, -1), above: Float64Array.of(1, 0.1, 0, 1), radius: 0.5 }
  const { line, free, cauchy } = geometrySteps(set, 0, 5, limits)
  for (const step of [line, free]) {
    expect(Math.sqrt(dot(step, step))).toBeLessThanOrEqual(0.5 + 1e-12)
    expect(step.every((each, i) => each >= (limits.below[i] as number) && each <= (limits.above[i] as number))).toBe(
      true,
    )
  }
  expect(cauchy).toBeGreaterThan(0)
})
