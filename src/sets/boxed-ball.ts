import { ZerothError } from '../core/errors.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { checkBounds, clip, clipTo, storeWithin, withinBounds } from './bounds.ts'
import { checkLengths, type Entries, entryAt, spread, weightAt } from './entries.ts'
import { roundoff } from './roundoff.ts'

/** Newton needs 4 to 20 passes; bisection, where it must step in, about 80. */
const passes = 300

/** The set ||x - center|| <= radius, lower <= x <= upper. */
export interface BoxedBall {
  readonly radius: number
  readonly center: Entries
  readonly lower: Entries
  readonly upper: Entries
}

/** The part of a Euclidean ball inside a box. */
export function boxedBall(owner: string, ball: BoxedBall): ConvexSet {
  const { radius, center, lower, upper } = ball
  return {
    needsMetric: true,
    check: (dim) => checkMeets(owner, ball, dim),
    contains: (x, tolerance = 0) =>
      withinBounds(x, lower, upper, tolerance) && distanceTo(center, x) <= radius + tolerance,
    scratchSize: (dim) => dim,
    project(x, metric, scratch) {
      const z = scratch.subarray(0, x.length)
      for (let i = 0; i < x.length; i++) z[i] = (x[i] as number) - entryAt(center, i)
      clipTo(x, lower, upper)
      if (distanceTo(center, x) > radius) solveOnSphere(x, metric, ball, z)
    },
  }
}

/**
 * Finds the multiplier with ||x - center|| = radius, where x = clip(center + h z / (h + multiplier)) and z the offset of
 * the projected point. The computed distance falls as the multiplier grows, rounding included, so `low` (outside) and
 * `high` (inside) always enclose the answer. The point it ends with is inside, by at most the rounding of a sum.
 */
function solveOnSphere(x: Vector, metric: Vector | null, ball: BoxedBall, z: Float64Array): void {
  const { radius, center } = ball
  const precision = roundoff(x)
  let low = 0
  let high = Infinity
  let multiplier = smallest(metric, x.length) * (distanceTo(center, x) / radius - 1)
  for (let pass = 0; pass < passes; pass++) {
    const distance = place(x, metric, ball, z, multiplier)
    if (distance > radius) low = multiplier
    else if (distance >= radius * (1 - precision)) return
    else high = multiplier
    // Already closer than rounding allows to see: aim just inside.
    const target = distance > radius * (1 + precision) ? radius : radius * (1 - precision / 2)
    let next = newton(metric, ball, z, multiplier, target)
    if (!(next > low && next < high)) next = between(low, high)
    if (next === low || next === high) break
    multiplier = next
  }
  place(x, metric, ball, z, high)
}

/** Writes x(multiplier) and returns its distance from the center, measured on what was stored. */
function place(x: Vector, metric: Vector | null, ball: BoxedBall, z: Float64Array, multiplier: number): number {
  for (let i = 0; i < x.length; i++) {
    const weight = weightAt(metric, i)
    const value = entryAt(ball.center, i) + (weight / (weight + multiplier)) * (z[i] as number)
    storeWithin(x, i, value, entryAt(ball.lower, i), entryAt(ball.upper, i))
  }
  return distanceTo(ball.center, x)
}

/**
 * Newton's step for 1 / n(multiplier) = 1 / target, where n is the length of the unclipped coordinates: this function is
 * almost straight, so the steps come from the left and few suffice. Not a number where all coordinates are clipped.
 */
function newton(metric: Vector | null, ball: BoxedBall, z: Float64Array, multiplier: number, target: number): number {
  let free = 0
  let slope = 0
  let remaining = target * target
  for (let i = 0; i < z.length; i++) {
    const weight = weightAt(metric, i)
    const offset = (weight / (weight + multiplier)) * (z[i] as number)
    const value = entryAt(ball.center, i) + offset
    const clipped = clip(value, entryAt(ball.lower, i), entryAt(ball.upper, i))
    if (clipped !== value) {
      remaining -= (clipped - entryAt(ball.center, i)) * (clipped - entryAt(ball.center, i))
      continue
    }
    free += offset * offset
    slope += (offset * offset) / (weight + multiplier)
  }
  return multiplier + (Math.sqrt(free) / Math.sqrt(remaining) - 1) * (free / slope)
}

/** A point between two multipliers: by size where they are far apart, in the middle where they are near. */
function between(low: number, high: number): number {
  if (high === Infinity) return low > 0 ? low * 1024 : 1
  if (high > 4 * low) return low > 0 ? Math.sqrt(low) * Math.sqrt(high) : high / 1024
  return low + (high - low) / 2
}

function distanceTo(center: Entries, x: Vector): number {
  let squares = 0
  for (let i = 0; i < x.length; i++) {
    const offset = (x[i] as number) - entryAt(center, i)
    squares += offset * offset
  }
  return Math.sqrt(squares)
}

function smallest(metric: Vector | null, dim: number): number {
  let least = weightAt(metric, 0)
  for (let i = 1; i < dim; i++) least = Math.min(least, weightAt(metric, i))
  return least
}

/** Refuses a ball that misses the box. */
function checkMeets(owner: string, { radius, center, lower, upper }: BoxedBall, dim: number): void {
  checkLengths(owner, { center }, dim)
  checkBounds(owner, lower, upper, dim)
  const nearest = spread(center, dim)
  clipTo(nearest, lower, upper)
  const distance = distanceTo(center, nearest)
  if (distance <= radius) return
  throw new ZerothError(
    'invalid-set',
    `${owner} is empty: ${owner}.center is ${distance} away from the box, ${owner}.radius is ${radius}`,
  )
}
