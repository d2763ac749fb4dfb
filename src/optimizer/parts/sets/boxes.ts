import { ZerothError } from '../../core/errors.ts'
import {
  join,
  number,
  numbers,
  oneOf,
  positive,
  type ShapeOf,
  type Table,
  table,
  union,
  withDefault,
} from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { unconstrained } from '../../core/session-options.ts'
import type { ConvexSet, Vector } from '../../core/types.ts'
import { centerOption, checkLengths, combine, type Entries, entryAt, spread } from './entries.ts'

const boundOption = union(number, oneOf(Infinity, -Infinity), numbers)

/** The options of every set that has a box in it. */
const declared = table({
  /** One bound for all coordinates, or one each. Default -Infinity. */
  lower: withDefault(boundOption, -Infinity),
  /** One bound for all coordinates, or one each. Default Infinity. */
  upper: withDefault(boundOption, Infinity),
})

export type BoundsShape = ShapeOf<typeof declared>

/** Options of boxes. */
export const boundsOptions: Table<BoundsShape> = declared

/** All of R^d: no constraint. */
export const wholeSpace = definePart({
  kind: 'set',
  name: 'whole-space',
  summary: 'No constraint.',
  options: table({}),
  examples: () => [{}],
  make: (): ConvexSet => ({ ...unconstrained }),
})

/** All x with lower <= x <= upper. For a box the projection is the plain clip, whatever the diagonal metric. */
export const box = definePart({
  kind: 'set',
  name: 'box',
  summary: 'Every coordinate between its lower and upper bound; either may be infinite.',
  options: boundsOptions,
  examples: (dim) => [
    { lower: -0.5, upper: 0.75 },
    { lower: 0 },
    { lower: Array.from({ length: dim }, (_, i) => -1 - (i % 3)), upper: 0.25 },
  ],
  make: ({ lower, upper }) => boundedSet('box', lower, upper),
})

/** All x with max |x_i - center_i| <= radius: a box around the center. */
export const linfBall = definePart({
  kind: 'set',
  name: 'linf-ball',
  summary: 'Every coordinate within the radius of the center.',
  options: table({
    /** Largest distance of a coordinate. Above 0. */
    radius: positive,
    /** One number for all coordinates, or one each. Default 0. */
    center: centerOption,
  }),
  examples: (dim) => [{ radius: 0.5 }, { radius: 1.25, center: Array.from({ length: dim }, (_, i) => (i % 4) - 1) }],
  make: ({ radius, center }): ConvexSet => ({
    ...boundedSet(
      'linf-ball',
      combine(center, radius, (c, r) => c - r),
      combine(center, radius, (c, r) => c + r),
    ),
    check: (dim) => checkLengths('linf-ball', { center }, dim),
  }),
})

/** A box cut to the coordinates within a radius: the reference code's `projection_box_eps`. Again a box. */
export const boxAndLinfBall = definePart({
  kind: 'set',
  name: 'box-and-linf-ball',
  summary: 'Every coordinate between its bounds and within the radius of the center.',
  options: join(
    boundsOptions,
    table({
      /** Largest distance of a coordinate from the center. Above 0. */
      radius: positive,
      /** One number for all coordinates, or one each. Default 0. */
      center: centerOption,
    }),
  ),
  examples: (dim) => [
    { lower: -0.5, upper: 0.5, radius: 16 / 256 },
    { lower: 0, radius: 1, center: Array.from({ length: dim }, (_, i) => 0.25 * (i % 5)) },
  ],
  make: ({ lower, upper, radius, center }): ConvexSet => {
    const cut = boundedSet(
      'box-and-linf-ball',
      combine(lower, center, (low, c) => Math.max(low, c - radius)),
      combine(upper, center, (high, c) => Math.min(high, c + radius)),
    )
    return {
      ...cut,
      check(dim) {
        checkLengths('box-and-linf-ball', { lower, upper, center }, dim)
        cut.check(dim)
      },
    }
  },
})

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
