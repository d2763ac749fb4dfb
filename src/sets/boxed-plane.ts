import { ZerothError } from '../core/errors.ts'
import type { ConvexSet } from '../core/types.ts'
import { checkBounds, storeWithin, withinBounds } from './bounds.ts'
import { type BoxedPlane, solveOnPlane } from './breakpoints.ts'
import { checkLengths, entryAt } from './entries.ts'
import { moveToPlane, onPlane } from './plane.ts'

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
        moveToPlane(v, metric, normal, offset)
        // The nearest point of the plane, where it is inside the box, needs no sorting and loses no digits.
        if (!withinBounds(v, lower, upper, 0)) {
          v.set(x)
          solveOnPlane(v, metric, set, scratch.subarray(x.length))
        }
        for (let i = 0; i < x.length; i++) storeWithin(x, i, v[i] as number, entryAt(lower, i), entryAt(upper, i))
      }
    },
  }
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
