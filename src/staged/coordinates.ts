import { inwardBounds } from '../core/inward-bounds.ts'
import { largestNumber, rounding } from '../core/rounding.ts'
import type { Begin, Vector } from '../core/types.ts'
import { randomInteger } from '../kernels/random.ts'

/** What methods that look along coordinates share: the box, the size of each variable, and rounding. */
export interface Coordinates {
  readonly dim: number
  /** Bounds per coordinate; undefined where the set is no box. */
  readonly bounds: { readonly lower: Float64Array; readonly upper: Float64Array } | undefined
  /** The size of a variable that is near 0. */
  readonly typical: Float64Array
  /** Rounds a number as storing it in a point does. */
  readonly round: (value: number) => number
  /** Half the distance from 1 to the next number that a point can hold: 2^-24 or 2^-53. */
  readonly unit: number
}

/** Reads what a run says about its variables; `scale` is the typical size of each, if the user gave one. */
export function coordinatesOf(at: Begin, scale?: ArrayLike<number>): Coordinates {
  const { dim, precision } = at
  const box = at.set.unbounded === true ? undefined : inwardBounds(at)
  const spread = (values: Vector): Float64Array =>
    Float64Array.from({ length: dim }, (_, i) => values[values.length === 1 ? 0 : i] as number)
  const bounds = box && { lower: spread(box.lower), upper: spread(box.upper) }
  const typical = Float64Array.from({ length: dim }, (_, i) => {
    if (scale !== undefined) return scale[scale.length === 1 ? 0 : i] as number
    const width = bounds === undefined ? 1 : (bounds.upper[i] as number) - (bounds.lower[i] as number)
    return Math.min(1, width > 0 ? width : 1)
  })
  return {
    dim,
    bounds,
    typical,
    round: rounding(precision),
    unit: precision === 'float32' ? 1 / 16_777_216 : Number.EPSILON / 2,
  }
}

/** max(|x_i|, the typical size of x_i). */
export function sizeOf({ typical }: Coordinates, x: Vector, i: number): number {
  return Math.max(Math.abs(x[i] as number), typical[i] as number)
}

/** The longest step that a model is trusted with, in sizes of a variable: where it saw no curvature, it knows no end. */
export const longestStep = 100

/** The length of a step on the coordinate where it is longest, in sizes of that coordinate. */
export function reachOf(at: Coordinates, x: Vector, step: Float64Array): number {
  let reach = 0
  for (let i = 0; i < step.length; i++) reach = Math.max(reach, Math.abs(step[i] as number) / sizeOf(at, x, i))
  return reach
}

/** Shortens a step, in place, to a reach of at most this. */
export function shorten(at: Coordinates, x: Vector, step: Float64Array, most: number): void {
  const excess = reachOf(at, x, step) / most
  if (excess > 1) for (let i = 0; i < step.length; i++) step[i] = (step[i] as number) / excess
}

/**
 * Brings a point into the box and rounds it, in place. Without a box it stays a few differences away from overflow: a
 * function without a minimum would lead it to infinity.
 */
export function settle({ bounds, round, unit }: Coordinates, x: Float64Array): Float64Array {
  const most = 0.25 * largestNumber[unit > 1e-12 ? 'float32' : 'float64']
  for (let i = 0; i < x.length; i++) {
    const value = round(x[i] as number)
    if (bounds === undefined) x[i] = Math.min(Math.max(value, -most), most)
    else x[i] = Math.min(Math.max(value, bounds.lower[i] as number), bounds.upper[i] as number)
  }
  return x
}

/** The first `count` of the coordinates in random order (Fisher and Yates), from one address. */
export function randomCoordinates(
  dim: number,
  count: number,
  at: { seed: number; iteration: number; row: number },
): Int32Array {
  const order = Int32Array.from({ length: dim }, (_, i) => i)
  for (let i = 0; i < Math.min(count, dim - 1); i++) {
    const j = i + randomInteger(at, 'coordinates', i, dim - i)
    const kept = order[i] as number
    order[i] = order[j] as number
    order[j] = kept
  }
  return order.slice(0, count)
}
