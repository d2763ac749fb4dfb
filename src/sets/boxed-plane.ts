import { ZerothError } from '../core/errors.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { checkBounds, storeWithin, withinBounds } from './bounds.ts'
import { type BoxedPlane, solveOnPlane } from './breakpoints.ts'
import { checkLengths, entryAt, weightAt } from './entries.ts'
import { levelOf, onPlane } from './plane.ts'

/** Each round leaves a share of about 1e-16 of the last error, so even far points need few. */
const rounds = 16

/** The part of a plane inside a box: simplex, capped simplex, budget. */
export function boxedPlane(owner: string, set: BoxedPlane): ConvexSet {
  const { normal, offset, lower, upper } = set
  const contains: ConvexSet['contains'] = (x, tolerance = 0) =>
    withinBounds(x, lower, upper, tolerance) && onPlane(normal, offset, x, tolerance)
  return {
    needsMetric: true,
    check: (dim) => checkMeets(owner, set, dim),
    contains,
    scratchSize: (dim) => 3 * dim,
    project(x, metric, scratch) {
      const v = scratch.subarray(0, x.length)
      // Repeated because a point far outside leaves a rounding error of its own size; mostly once is enough.
      for (let round = 0; round < rounds && !contains(x); round++) {
        v.set(x)
        solveOnPlane(v, metric, set, scratch.subarray(x.length))
        settle(v, metric, set)
        for (let i = 0; i < x.length; i++) storeWithin(x, i, v[i] as number, entryAt(lower, i), entryAt(upper, i))
      }
    },
  }
}

/** Takes back what rounding left of c'v - offset, by the coordinates that lie between their bounds. */
function settle(v: Float64Array, metric: Vector | null, set: BoxedPlane): void {
  let speed = 0
  for (let i = 0; i < v.length; i++) {
    if (isFree(v, set, i)) speed += (entryAt(set.normal, i) * entryAt(set.normal, i)) / weightAt(metric, i)
  }
  if (speed === 0) return
  const lambda = (levelOf(set.normal, v) - set.offset) / speed
  for (let i = 0; i < v.length; i++) {
    if (isFree(v, set, i)) v[i] = (v[i] as number) - (lambda * entryAt(set.normal, i)) / weightAt(metric, i)
  }
}

function isFree(v: Float64Array, set: BoxedPlane, i: number): boolean {
  return (v[i] as number) > entryAt(set.lower, i) && (v[i] as number) < entryAt(set.upper, i)
}

/** Refuses a plane that misses the box. */
function checkMeets(owner: string, { normal, offset, lower, upper }: BoxedPlane, dim: number): void {
  checkLengths(owner, { normal }, dim)
  checkBounds(owner, lower, upper, dim)
  let smallest = 0
  let largest = 0
  for (let i = 0; i < dim; i++) {
    const c = entryAt(normal, i)
    if (c === 0) continue
    smallest += c * entryAt(c > 0 ? lower : upper, i)
    largest += c * entryAt(c > 0 ? upper : lower, i)
  }
  // Sums such as 0.1 + 0.1 + 0.1 may miss the offset by a rounding error.
  const allowance = 1e-14 * Math.abs(offset)
  if (offset >= smallest - allowance && offset <= largest + allowance) return
  const range = `normal'x lies between ${smallest} and ${largest} in the box`
  throw new ZerothError('invalid-set', `${owner} is empty: ${range}, but ${owner}.offset is ${offset}`)
}
