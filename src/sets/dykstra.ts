import { ZerothError } from '../core/errors.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { weightAt } from './entries.ts'
import { roundoff } from './roundoff.ts'

/** When to stop sweeping. */
export interface Patience {
  readonly tolerance: number
  readonly maxSweeps: number
}

/**
 * Moves `point` to its projection onto the intersection (Boyle and Dykstra 1986), all projections in one metric.
 * Stops when the corrections p_j no longer change: sum_j ||p_j^k - p_j^{k-1}||_h^2 <= tolerance^2 (Birgin and Raydan,
 * Robust stopping criteria for Dykstra's algorithm, 2005). The point itself can stand still for many sweeps on the way.
 * `scratch` holds a copy of the point, a correction per set, and what the sets need.
 */
export function dykstra(
  point: Float64Array,
  metric: Vector | null,
  sets: readonly ConvexSet[],
  scratch: Float64Array,
  { tolerance, maxSweeps }: Patience,
): void {
  const dim = point.length
  const before = scratch.subarray(0, dim)
  const rest = scratch.subarray((sets.length + 1) * dim)
  scratch.fill(0, dim, (sets.length + 1) * dim)
  const scale = largest(metric, dim)
  const enough = tolerance + roundoff(point) * Math.sqrt(squaredLength(point, metric, scale))
  let change = Infinity
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    change = 0
    for (let j = 0; j < sets.length; j++) {
      const correction = scratch.subarray((j + 1) * dim, (j + 2) * dim)
      before.set(point)
      for (let i = 0; i < dim; i++) point[i] = (point[i] as number) + (correction[i] as number)
      ;(sets[j] as ConvexSet).project(point, metric, rest)
      // The change of p_j is the way from the last set's point to this one's.
      for (let i = 0; i < dim; i++) {
        before[i] = (before[i] as number) - (point[i] as number)
        correction[i] = (correction[i] as number) + (before[i] as number)
      }
      change += squaredLength(before, metric, scale)
    }
    if (change <= enough * enough) return
  }
  throw new ZerothError(
    'invalid-set',
    `intersection.sets have no point in common, or too few sweeps were allowed: after intersection.maxSweeps = ${maxSweeps} they still pull the point ${Math.sqrt(change)} apart, intersection.tolerance is ${tolerance}`,
  )
}

/** Squared length in the metric divided by its largest entry, so that only the shape of the metric matters. */
function squaredLength(v: Float64Array, metric: Vector | null, scale: number): number {
  let sum = 0
  for (let i = 0; i < v.length; i++) sum += (weightAt(metric, i) / scale) * (v[i] as number) * (v[i] as number)
  return sum
}

function largest(metric: Vector | null, dim: number): number {
  let most = 0
  for (let i = 0; i < dim; i++) most = Math.max(most, weightAt(metric, i))
  return most
}
