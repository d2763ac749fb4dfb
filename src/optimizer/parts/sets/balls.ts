import { ZerothError } from '../../core/errors.ts'
import { join, positive, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { ConvexSet, Vector } from '../../core/types.ts'
import { boundedSet, boundsOptions, checkBounds, clip, clipTo, inFloat32, withinBounds } from './boxes.ts'
import { centerOption, checkLengths, type Entries, entryAt, roundoff, spread, weightAt } from './entries.ts'
import { solveOnPlane } from './planes.ts'

/** All x with ||x - center|| <= radius, in the Euclidean norm whatever metric the projection is taken in. */
export const l2Ball = definePart({
  kind: 'set',
  name: 'l2-ball',
  summary: 'Euclidean distance to the center at most the radius.',
  options: table({
    /** Largest distance. Above 0. */
    radius: positive,
    /** One number for all coordinates, or one each. Default 0. */
    center: centerOption,
  }),
  examples: (dim) => [
    { radius: 1 },
    { radius: 0.75, center: Array.from({ length: dim }, (_, i) => 1 - 0.5 * (i % 4)) },
  ],
  make: (options) => boxedBall('l2-ball', { ...options, lower: -Infinity, upper: Infinity }),
})

/** All x with ||x - center|| <= radius and lower <= x <= upper: valid images near a given one. */
export const boxAndL2Ball = definePart({
  kind: 'set',
  name: 'box-and-l2-ball',
  summary: 'Every coordinate between its bounds, and the Euclidean distance to the center at most the radius.',
  options: join(
    boundsOptions,
    table({
      /** Largest Euclidean distance. Above 0. */
      radius: positive,
      /** One number for all coordinates, or one each. Default 0. */
      center: centerOption,
    }),
  ),
  examples: (dim) => [
    { lower: -0.5, upper: 0.5, radius: 0.8 },
    { lower: -0.5, upper: Array.from({ length: dim }, (_, i) => 0.25 * (1 + (i % 4))), radius: 1, center: 0.125 },
    // The center lies outside the box.
    { lower: 0.5, radius: 0.25 + 0.5 * Math.sqrt(dim) },
  ],
  make: (options) => boxedBall('box-and-l2-ball', options),
})

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
  const listed = { center: listOf(center), lower: listOf(lower), upper: listOf(upper) }
  return {
    needsMetric: true,
    ball: center === 0 ? { box: boundedSet(owner, lower, upper), radius } : undefined,
    check: (dim) => checkMeets(owner, ball, dim),
    contains: (x, tolerance = 0) =>
      withinBounds(x, lower, upper, tolerance) && distanceTo(center, x) <= radius + tolerance,
    scratchSize: (dim) => 2 * dim,
    project(x, metric, scratch) {
      const z = scratch.subarray(0, x.length)
      const placed = scratch.subarray(x.length, 2 * x.length)
      const isSingle = x instanceof Float32Array
      z.set(x)
      const distance = takeOffsets(z, placed, listed, isSingle)
      if (distance > radius) {
        place(z, placed, metric, listed, multiplierFor(distance, metric, radius, listed, z, x), isSingle)
      }
      x.set(placed)
    },
  }
}

/** Entries as lists, and 0 where one entry holds for all: entry i is list[i * step]. Loops over them know what they see. */
interface Listed {
  readonly list: Float64Array
  readonly step: 0 | 1
}

interface ListedBall {
  readonly center: Listed
  readonly lower: Listed
  readonly upper: Listed
}

function listOf(entries: Entries): Listed {
  return typeof entries === 'number' ? { list: Float64Array.of(entries), step: 0 } : { list: entries, step: 1 }
}

/** placed = the clipped points, which become offsets from the center; returns how far what is placed is from it. */
function takeOffsets(
  z: Float64Array,
  placed: Float64Array,
  { center, lower, upper }: ListedBall,
  isSingle: boolean,
): number {
  const [middles, lows, highs] = [center.list, lower.list, upper.list]
  let squares = 0
  for (let i = 0, c = 0, l = 0, u = 0; i < z.length; i++, c += center.step, l += lower.step, u += upper.step) {
    const value = z[i] as number
    const middle = middles[c] as number
    const low = lows[l] as number
    const high = highs[u] as number
    let stored = value
    // A point of float32 is stored as it is, unless it is clipped.
    if (value < low) stored = isSingle ? inFloat32(low, low, high) : low
    else if (value > high) stored = isSingle ? inFloat32(high, low, high) : high
    squares += (stored - middle) * (stored - middle)
    placed[i] = stored
    z[i] = value - middle
  }
  return Math.sqrt(squares)
}

/**
 * Finds the multiplier with ||x - center|| = radius, where x = clip(center + h z / (h + multiplier)) and z the offset of
 * the projected point. The computed distance falls as the multiplier grows, rounding included, so `low` (outside) and
 * `high` (inside) always enclose the answer. The point it ends with is inside, by at most the rounding of a sum.
 */
function multiplierFor(
  clippedDistance: number,
  metric: Vector | null,
  radius: number,
  ball: ListedBall,
  z: Float64Array,
  x: Vector,
): number {
  const precision = roundoff(x)
  const isSingle = x instanceof Float32Array
  let low = 0
  let high = Infinity
  let multiplier = smallest(metric, x.length) * (clippedDistance / radius - 1)
  for (let pass = 0; pass < passes; pass++) {
    const { distance, next: likely } = look(metric, ball, z, multiplier, radius, isSingle)
    if (distance > radius) low = multiplier
    else if (distance >= radius * (1 - precision)) return multiplier
    else high = multiplier
    // Already closer than rounding allows to see: aim just inside.
    const target = distance > radius * (1 + precision) ? radius : radius * (1 - precision / 2)
    let next = target === radius ? likely : look(metric, ball, z, multiplier, target, isSingle).next
    if (!(next > low && next < high)) next = between(low, high)
    if (next === low || next === high) break
    multiplier = next
  }
  return high
}

/** placed = x(multiplier). */
function place(
  z: Float64Array,
  placed: Float64Array,
  metric: Vector | null,
  { center, lower, upper }: ListedBall,
  multiplier: number,
  isSingle: boolean,
): void {
  const [middles, lows, highs] = [center.list, lower.list, upper.list]
  let factor = 1 / (1 + multiplier)
  for (let i = 0, c = 0, l = 0, u = 0; i < z.length; i++, c += center.step, l += lower.step, u += upper.step) {
    if (metric !== null) factor = (metric[i] as number) / ((metric[i] as number) + multiplier)
    const low = lows[l] as number
    const high = highs[u] as number
    const clipped = clip((middles[c] as number) + factor * (z[i] as number), low, high)
    placed[i] = isSingle ? inFloat32(clipped, low, high) : clipped
  }
}

/**
 * The distance of x(multiplier) from the center, measured on what would be stored, and Newton's next multiplier: its step for
 * 1 / n(multiplier) = 1 / target, where n is the length of the unclipped coordinates. This function is almost straight, so the
 * steps come from the left and few suffice. Not a number where all coordinates are clipped.
 */
function look(
  metric: Vector | null,
  { center, lower, upper }: ListedBall,
  z: Float64Array,
  multiplier: number,
  target: number,
  isSingle: boolean,
): { readonly distance: number; readonly next: number } {
  const [middles, lows, highs] = [center.list, lower.list, upper.list]
  let squares = 0
  let free = 0
  let slope = 0
  let remaining = target * target
  let weight = 1
  let factor = weight / (weight + multiplier)
  for (let i = 0, c = 0, l = 0, u = 0; i < z.length; i++, c += center.step, l += lower.step, u += upper.step) {
    if (metric !== null) {
      weight = metric[i] as number
      factor = weight / (weight + multiplier)
    }
    const offset = factor * (z[i] as number)
    const middle = middles[c] as number
    const low = lows[l] as number
    const high = highs[u] as number
    const value = middle + offset
    const clipped = clip(value, low, high)
    const stored = isSingle ? inFloat32(clipped, low, high) : clipped
    squares += (stored - middle) * (stored - middle)
    if (clipped !== value) {
      remaining -= (clipped - middle) * (clipped - middle)
      continue
    }
    free += offset * offset
    slope += (offset * offset) / (weight + multiplier)
  }
  const next = multiplier + (Math.sqrt(free) / Math.sqrt(remaining) - 1) * (free / slope)
  return { distance: Math.sqrt(squares), next }
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

/** All x with sum |x_i - center_i| <= radius. */
export const l1Ball = definePart({
  kind: 'set',
  name: 'l1-ball',
  summary: 'Sum of distances to the center at most the radius; projections onto it are sparse.',
  options: table({
    /** Largest sum of distances. Above 0. */
    radius: positive,
    /** One number for all coordinates, or one each. Default 0. */
    center: centerOption,
  }),
  examples: (dim) => [
    { radius: 1 },
    { radius: 2.5, center: Array.from({ length: dim }, (_, i) => 0.5 * (i % 3) - 0.25) },
  ],
  make: ({ radius, center }): ConvexSet => ({
    needsMetric: true,
    check: (dim) => checkLengths('l1-ball', { center }, dim),
    // No two points within the tolerance of each other differ by more than sqrt(d) times it in the sum.
    contains: (x, tolerance = 0) => isWithin(x, radius + tolerance * Math.sqrt(x.length), center),
    scratchSize: (dim) => 2 * dim,
    project(x, metric, scratch) {
      if (isWithin(x, radius, center)) return
      const distances = scratch.subarray(0, x.length)
      for (let i = 0; i < x.length; i++) distances[i] = Math.abs((x[i] as number) - entryAt(center, i))
      // An outside point keeps its signs, so its distances are projected onto the simplex.
      const simplex = { normal: 1, offset: radius, lower: 0, upper: Infinity }
      solveOnPlane(distances, metric, simplex, scratch.subarray(x.length))
      for (let i = 0; i < x.length; i++) {
        const c = entryAt(center, i)
        x[i] = (x[i] as number) < c ? c - (distances[i] as number) : c + (distances[i] as number)
      }
    },
  }),
})

/** Whether the sum of distances is at most the radius, as far as x and the sum can tell. */
function isWithin(x: Vector, radius: number, center: Entries): boolean {
  let sum = 0
  let size = radius
  for (let i = 0; i < x.length; i++) {
    sum += Math.abs((x[i] as number) - entryAt(center, i))
    size += Math.abs(entryAt(center, i))
  }
  return sum <= radius + roundoff(x) * size
}
