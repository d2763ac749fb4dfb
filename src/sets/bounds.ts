import { ZerothError } from '../core/errors.ts'
import { numberList, option } from '../core/options.ts'
import { anyNumber, oneOf, union } from '../core/schema.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { checkLengths, type Entries, entryAt, spread } from './entries.ts'

const boundOption = union(anyNumber, oneOf(Infinity, -Infinity), numberList)

/** The options of every set that has a box in it. */
export const boundsOptions = {
  lower: option(boundOption, 'one bound for all coordinates, or one each', -Infinity),
  upper: option(boundOption, 'one bound for all coordinates, or one each', Infinity),
}

/** The set lower <= x <= upper. Its projection is the plain clip, whatever the diagonal metric. */
export function boundedSet(owner: string, lower: Entries, upper: Entries): ConvexSet {
  return {
    needsMetric: false,
    check: (dim) => checkBounds(owner, lower, upper, dim),
    bounds: (dim) => {
      const length = typeof lower === 'number' && typeof upper === 'number' ? 1 : dim
      return { lower: spread(lower, length), upper: spread(upper, length) }
    },
    contains: (x, tolerance = 0) => withinBounds(x, lower, upper, tolerance),
    scratchSize: () => 0,
    project: (x) => clipTo(x, lower, upper),
  }
}

/** Whether every coordinate keeps its bounds. */
export function withinBounds(x: Vector, lower: Entries, upper: Entries, tolerance: number): boolean {
  for (let i = 0; i < x.length; i++) {
    const value = x[i] as number
    if (!(value >= entryAt(lower, i) - tolerance && value <= entryAt(upper, i) + tolerance)) return false
  }
  return true
}

/** Moves every coordinate that is out of its bounds to the nearer one. */
export function clipTo(x: Vector, lower: Entries, upper: Entries): void {
  for (let i = 0; i < x.length; i++) storeWithin(x, i, x[i] as number, entryAt(lower, i), entryAt(upper, i))
}

/** x_i = the value, clipped. In float32 the stored number is rounded inwards: a clipped point is a feasible one. */
export function storeWithin(x: Vector, i: number, value: number, low: number, high: number): void {
  const clipped = clip(value, low, high)
  x[i] = x instanceof Float64Array ? clipped : inFloat32(clipped, low, high)
}

/** A clipped value as a float32 run stores it. */
export function inFloat32(clipped: number, low: number, high: number): number {
  const stored = Math.fround(clipped)
  if (stored < low) return Math.fround(stored + ulp32(stored))
  if (stored > high) return Math.fround(stored - ulp32(stored))
  return stored
}

/** The value, or the bound it is beyond. */
export function clip(value: number, low: number, high: number): number {
  if (value < low) return low
  if (value > high) return high
  return value
}

/** Refuses bounds of the wrong length and bounds between which there is no number. */
export function checkBounds(owner: string, lower: Entries, upper: Entries, dim: number): void {
  checkLengths(owner, { lower, upper }, dim)
  for (let i = 0; i < dim; i++) {
    const low = entryAt(lower, i)
    const high = entryAt(upper, i)
    if (low <= high && low < Infinity && high > -Infinity) continue
    throw new ZerothError('invalid-set', `${owner} is empty: coordinate ${i} has lower ${low} and upper ${high}`)
  }
}

/** The distance to the next float32: at most 2^-23 of the value, and 2^-149 below the normal range. */
function ulp32(value: number): number {
  return Math.max(Math.abs(value) * 1.1920928955078125e-7, 1.401298464324817e-45)
}
