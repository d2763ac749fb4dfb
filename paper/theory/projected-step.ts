import type { ConvexSet } from '../../src/index.ts'

/** x+ = argmin over the set of <g, x> + ||x - x-||_H^2 / (2 omega), eq. (6), which is the projection of x- - omega g / h. */
export function projectedStep(
  set: ConvexSet,
  x: Float64Array,
  gradient: Float64Array,
  metric: Float64Array,
  rate: number,
): Float64Array {
  const next = x.map((each, i) => each - (rate * (gradient[i] as number)) / (metric[i] as number))
  set.project(next, metric, new Float64Array(set.scratchSize(x.length)))
  return next
}

/** P(x, g, omega) = (x - x+) / omega, eq. (7). */
export function gradientMapping(
  set: ConvexSet,
  x: Float64Array,
  gradient: Float64Array,
  metric: Float64Array,
  rate: number,
): Float64Array {
  const next = projectedStep(set, x, gradient, metric, rate)
  return x.map((each, i) => (each - (next[i] as number)) / rate)
}

/** A point of the set near the given one. */
export function nearestIn(set: ConvexSet, x: Float64Array): Float64Array {
  const point = x.slice()
  set.project(point, null, new Float64Array(set.scratchSize(x.length)))
  return point
}
