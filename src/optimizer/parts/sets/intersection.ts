import { ZerothError } from '../../core/errors.ts'
import { count, listOf, positive, refine, table, withDefault } from '../../core/options.ts'
import { definePart, part } from '../../core/part.ts'
import type { ConvexSet, Vector } from '../../core/types.ts'
import { l2Ball } from './balls.ts'
import { box } from './boxes.ts'
import { roundoff, weightAt } from './entries.ts'
import { slab } from './planes.ts'

/** Each round leaves a share of about 1e-16 of the last error, so even far points need few. */
const rounds = 16

/**
 * The points that several sets have in common, by Dykstra's algorithm with every projection in the same metric.
 * The answer is exact up to `tolerance`, and a point that all sets contain up to it stays as it is. Where the sets have no
 * point in common, or `maxSweeps` is too small for a point far away, `project` throws instead of guessing: which of the
 * two it was cannot be known, so `check` does not try.
 * For a box with a plane or a ball there are exact sets of their own.
 */
export const intersection = definePart({
  kind: 'set',
  name: 'intersection',
  summary: "What several sets have in common, found by Dykstra's algorithm.",
  options: table({
    /** The sets. */
    sets: refine(listOf(part<ConvexSet>('set', 'project')), (sets) => sets.length > 0, 'must hold at least one set'),
    /** How far the sets may still pull the point apart in a last sweep. Above 0; default 1e-10. */
    tolerance: withDefault(positive, 1e-10),
    /** How many times to go through all sets before giving up. At least 1; default 100000. */
    maxSweeps: withDefault(count, 100_000),
  }),
  examples: () => [
    { sets: [box({ lower: -0.5, upper: 0.5 }), l2Ball({ radius: 0.8 })] },
    { sets: [slab({ normal: 1, lower: -0.1, upper: 0.1 }), box({ lower: -0.4 })] },
  ],
  make: ({ sets, tolerance, maxSweeps }): ConvexSet => {
    // From the last set's point back to the first one's the sweep may still have moved by the tolerance for each.
    const contains: ConvexSet['contains'] = (x, allowed = 0) =>
      sets.every((set) => set.contains(x, allowed + sets.length * tolerance))
    return {
      needsMetric: sets.some((set) => set.needsMetric),
      check(dim) {
        for (const set of sets) set.check(dim)
      },
      contains,
      scratchSize: (dim) =>
        (1 + dykstraVectors(sets.length)) * dim + Math.max(...sets.map((set) => set.scratchSize(dim))),
      project(x, metric, scratch) {
        if (contains(x)) return
        const point = scratch.subarray(0, x.length)
        point.set(x)
        // Repeated because a point far outside leaves a rounding error of its own size; mostly once is enough.
        for (let round = 0; round < rounds && !contains(point); round++) {
          dykstra(point, metric, sets, scratch.subarray(x.length), { tolerance, maxSweeps })
        }
        x.set(point)
      },
    }
  },
})

/** When to stop sweeping. */
export interface Patience {
  readonly tolerance: number
  readonly maxSweeps: number
}

/** How many vectors `dykstra` works with, besides what the sets themselves need. */
function dykstraVectors(sets: number): number {
  return 2 + 2 * sets
}

/**
 * Moves `point` to its projection onto the intersection, all projections in one metric (Boyle and Dykstra 1986): going
 * through the sets, x <- P_j(x + p_j), where p_j is what set j took away in the last sweep.
 * Stops when the corrections p_j no longer change in a sweep: sum_j ||p_j^k - p_j^{k-1}||^2 <= tolerance^2 (Birgin and
 * Raydan, Robust stopping criteria for Dykstra's algorithm, 2005); the point itself can stand still for many sweeps on
 * the way. The norm is the plain one: the metric's own would ask next to nothing of coordinates with a small weight.
 * The corrections gather momentum between sweeps (Chambolle, Tan and Vaiter, Accelerated alternating descent methods for
 * Dykstra-like problems, 2017): with weights 1000 apart that takes tens to hundreds of sweeps instead of thousands.
 */
function dykstra(
  point: Float64Array,
  metric: Vector | null,
  sets: readonly ConvexSet[],
  scratch: Float64Array,
  { tolerance, maxSweeps }: Patience,
): void {
  const dim = point.length
  const rest = scratch.subarray(dykstraVectors(sets.length) * dim)
  scratch.fill(0, 0, dykstraVectors(sets.length) * dim)
  scratch.set(point)
  const enough = tolerance + roundoff(point) * Math.sqrt(squaredDistance(point, scratch, dim))
  let change = Infinity
  let age = 0
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    extrapolate(point, scratch, sets.length, age / (age + 3))
    change = 0
    let turned = 0
    for (let j = 0; j < sets.length; j++) {
      correct(point, scratch, j, sets.length)
      ;(sets[j] as ConvexSet).project(point, metric, rest)
      change += squaredDistance(point, scratch, dim)
      turned += updateCorrection(point, metric, scratch, j, sets.length)
    }
    if (change <= enough * enough) return
    // Momentum that points back where the sweep came from is dropped (O'Donoghue and Candes 2015).
    age = turned > 0 ? 0 : age + 1
  }
  const apart = `still pull the point ${Math.sqrt(change)} apart after ${maxSweeps} sweeps (tolerance ${tolerance})`
  throw new ZerothError(
    'invalid-set',
    `intersection.sets ${apart}: they have no point in common, or intersection.maxSweeps must be larger`,
  )
}

// Scratch holds, each of the point's length: the point to project; a copy of the last point; p_j for each set; then for
// each set p_j of one sweep before, replaced during a sweep by the extrapolated p_j it starts from.

/** Starts a sweep from p_j + momentum (p_j - previous p_j), and the point that belongs to these corrections. */
function extrapolate(point: Float64Array, scratch: Float64Array, sets: number, momentum: number): void {
  const dim = point.length
  for (let i = 0; i < dim; i++) {
    let value = scratch[i] as number
    for (let j = 0; j < sets; j++) {
      const current = scratch[(2 + j) * dim + i] as number
      const previous = (2 + sets + j) * dim + i
      scratch[previous] = current + momentum * (current - (scratch[previous] as number))
      value -= scratch[previous] as number
    }
    point[i] = value
  }
}

/** point += extrapolated p_j, keeping a copy of the point as it was. */
function correct(point: Float64Array, scratch: Float64Array, j: number, sets: number): void {
  const dim = point.length
  for (let i = 0; i < dim; i++) {
    scratch[dim + i] = point[i] as number
    point[i] = (point[i] as number) + (scratch[(2 + sets + j) * dim + i] as number)
  }
}

/** The new p_j. Returns <extrapolated - new, new - previous> in the metric: above 0, the momentum went too far. */
function updateCorrection(
  point: Float64Array,
  metric: Vector | null,
  scratch: Float64Array,
  j: number,
  sets: number,
): number {
  const dim = point.length
  let turned = 0
  for (let i = 0; i < dim; i++) {
    const current = (2 + j) * dim + i
    const previous = (2 + sets + j) * dim + i
    const moved = (scratch[dim + i] as number) - (point[i] as number)
    const next = (scratch[previous] as number) + moved
    turned -= weightAt(metric, i) * moved * (next - (scratch[current] as number))
    scratch[previous] = scratch[current] as number
    scratch[current] = next
  }
  return turned
}

/** Squared distance of the point from the copy of the last one. */
function squaredDistance(point: Float64Array, scratch: Float64Array, dim: number): number {
  let squares = 0
  for (let i = 0; i < dim; i++) {
    const difference = (point[i] as number) - (scratch[dim + i] as number)
    squares += difference * difference
  }
  return squares
}
