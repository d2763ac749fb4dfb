import { ZerothError } from '../../core/errors.ts'
import { join, number, positive, refine, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { ConvexSet, Vector } from '../../core/types.ts'
import { boundsOptions, checkBounds, clip, storeWithin, withinBounds } from './boxes.ts'
import { checkLengths, type Entries, entriesOption, entryAt, negligible, roundoff, weightAt } from './entries.ts'

/** The normal c of a plane c'x = b. */
const normalOption = refine(
  entriesOption,
  (normal) => usable(normal),
  'must not be 0, nor too small or large to be squared',
)

/** All x with normal'x = offset. */
export const hyperplane = definePart({
  kind: 'set',
  name: 'hyperplane',
  summary: 'A plane of one dimension less.',
  options: table({
    /** One number for all coordinates, or one each. */
    normal: normalOption,
    /** The value of normal'x. */
    offset: number,
  }),
  examples: (dim) => [
    { normal: 1, offset: 1 },
    { normal: Array.from({ length: dim }, (_, i) => [2, -1, 0, 0.25][i % 4] as number), offset: -0.75 },
  ],
  make: ({ normal, offset }) => betweenPlanes('hyperplane', normal, offset, offset),
})

/** All x with normal'x <= offset. */
export const halfspace = definePart({
  kind: 'set',
  name: 'halfspace',
  summary: 'Everything on one side of a plane.',
  options: table({
    /** One number for all coordinates, or one each. */
    normal: normalOption,
    /** The largest allowed normal'x. */
    offset: number,
  }),
  examples: (dim) => [
    { normal: 1, offset: 0.25 },
    { normal: Array.from({ length: dim }, (_, i) => [1, -2, 0, 0.5][i % 4] as number), offset: -0.5 },
  ],
  make: ({ normal, offset }) => betweenPlanes('halfspace', normal, -Infinity, offset),
})

/** All x with lower <= normal'x <= upper: the constraint of the paper's counter-example (5). */
export const slab = definePart({
  kind: 'set',
  name: 'slab',
  summary: 'Everything between two parallel planes.',
  options: table({
    /** One number for all coordinates, or one each. */
    normal: normalOption,
    /** The smallest allowed normal'x. */
    lower: number,
    /** The largest allowed normal'x. */
    upper: number,
  }),
  examples: (dim) => [
    { normal: 1, lower: -1, upper: 1 },
    { normal: Array.from({ length: dim }, (_, i) => [1, 2, -1, 0.5][i % 4] as number), lower: -0.1, upper: 0.1 },
  ],
  make({ normal, lower, upper }) {
    if (lower > upper) {
      throw new ZerothError('invalid-set', `slab.lower must be at most slab.upper (${upper}), got ${lower}`)
    }
    return betweenPlanes('slab', normal, lower, upper)
  },
})

/** Each correction leaves a share of about 1e-16 of the last excess, so even far points need few. */
const corrections = 32

/** The set lower <= c'x <= upper; one side may be infinite. */
function betweenPlanes(owner: string, normal: Entries, lower: number, upper: number): ConvexSet {
  return {
    needsMetric: true,
    check: (dim) => checkLengths(owner, { normal }, dim),
    contains(x, tolerance = 0) {
      const level = levelOf(normal, x)
      const allowance = tolerance > 0 ? tolerance * Math.sqrt(inverseWeight(normal, null, x.length)) : 0
      return (
        level >= lower - allowance - slack(normal, lower, x) && level <= upper + allowance + slack(normal, upper, x)
      )
    },
    scratchSize: () => 0,
    project(x, metric) {
      const level = levelOf(normal, x)
      if (level > upper) moveToPlane(x, metric, normal, upper)
      else if (level < lower) moveToPlane(x, metric, normal, lower)
    },
  }
}

/** c'x. */
function levelOf(normal: Entries, x: Vector): number {
  let level = 0
  for (let i = 0; i < x.length; i++) level += entryAt(normal, i) * (x[i] as number)
  return level
}

/** Whether c'x = b as far as x and the sum can tell, or x lies within the tolerance of such a point. */
function onPlane(normal: Entries, offset: number, x: Vector, tolerance: number): boolean {
  const allowance = tolerance > 0 ? tolerance * Math.sqrt(inverseWeight(normal, null, x.length)) : 0
  return Math.abs(levelOf(normal, x) - offset) <= allowance + slack(normal, offset, x)
}

/** x - lambda c / h with lambda = (c'x - b) / sum(c_i^2 / h_i), repeated while rounding leaves something to correct. */
function moveToPlane(x: Vector, metric: Vector | null, normal: Entries, offset: number): void {
  const weight = inverseWeight(normal, metric, x.length)
  for (let round = 0; round < corrections && !onPlane(normal, offset, x, 0); round++) {
    const lambda = (levelOf(normal, x) - offset) / weight
    for (let i = 0; i < x.length; i++) {
      x[i] = (x[i] as number) - (lambda * entryAt(normal, i)) / weightAt(metric, i)
    }
  }
}

/** sum(c_i^2 / h_i), the squared length of the normal in the dual of the metric. */
function inverseWeight(normal: Entries, metric: Vector | null, dim: number): number {
  let sum = 0
  for (let i = 0; i < dim; i++) sum += (entryAt(normal, i) * entryAt(normal, i)) / weightAt(metric, i)
  return sum
}

/** By how much c'x can differ from the offset although x is, up to rounding, on the plane. */
function slack(normal: Entries, offset: number, x: Vector): number {
  let size = Math.abs(offset)
  for (let i = 0; i < x.length; i++) size += Math.abs(entryAt(normal, i) * (x[i] as number))
  return size < Infinity ? roundoff(x) * size + negligible(x) : 0
}

function usable(normal: Entries): boolean {
  const squared = inverseWeight(normal, null, typeof normal === 'number' ? 1 : normal.length)
  return squared > 0 && squared < Infinity
}

/** All x >= 0 whose coordinates add up to `sum`: x_i = max(y_i - lambda / h_i, 0). */
export const simplex = definePart({
  kind: 'set',
  name: 'simplex',
  summary: 'Non-negative coordinates with a given sum.',
  options: table({
    /** What the coordinates add up to. Above 0; default 1. */
    sum: withDefault(positive, 1),
  }),
  examples: () => [{}, { sum: 3.5 }],
  make: ({ sum }): ConvexSet => ({
    ...boxedPlane('simplex', { normal: 1, offset: sum, lower: 0, upper: Infinity }),
    simplexSum: sum,
  }),
})

/** All x with normal'x = offset and lower <= x <= upper: capped simplices and budgets. */
export const boxAndHyperplane = definePart({
  kind: 'set',
  name: 'box-and-hyperplane',
  summary: 'The part of a plane that lies inside a box.',
  options: join(
    boundsOptions,
    table({
      /** One number for all coordinates, or one each. */
      normal: normalOption,
      /** The value of normal'x. */
      offset: number,
    }),
  ),
  examples: (dim) => [
    { lower: -1, upper: 1, normal: Array.from({ length: dim }, (_, i) => [1, 2, -1, 0.5][i % 4] as number), offset: 0 },
    { lower: 0, upper: Array.from({ length: dim }, (_, i) => (i % 3 === 1 ? 0.5 : Infinity)), normal: 1, offset: 1 },
    {
      lower: Array.from({ length: dim }, (_, i) => -1 - (i % 3)),
      upper: 0.25,
      normal: Array.from({ length: dim }, (_, i) => [1, 0, -3][i % 3] as number),
      offset: -0.125,
    },
  ],
  make: (options) => boxedPlane('box-and-hyperplane', options),
})

/** Each round leaves a share of about 1e-16 of the last error, so even far points need few. */
const rounds = 16

/** The part of a plane inside a box: simplex, capped simplex, budget. */
function boxedPlane(owner: string, set: BoxedPlane): ConvexSet {
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

/** The set c'x = offset, lower <= x <= upper. */
interface BoxedPlane {
  readonly normal: Entries
  readonly offset: number
  readonly lower: Entries
  readonly upper: Entries
}

/** The values x(lambda) has just before and just after a breakpoint. */
type Side = 'before' | 'after'

/**
 * Projects v onto the plane within the box: x(lambda) = clip(v - lambda c / h, lower, upper) with c'x(lambda) = offset.
 * c'x(lambda) falls along straight pieces between the breakpoints at which a coordinate meets a bound: sort them, find
 * the piece by bisection, then interpolate between its ends. `breakpoints` needs room for two per coordinate.
 * Exact (Kiwiel, Breakpoint searching algorithms for the continuous quadratic knapsack problem, 2008), O(d log d).
 * Where v is so far away that a coordinate meets both bounds at one computed lambda, x jumps there: hence the two sides
 * of a breakpoint, and a third case in which the answer lies within the jump.
 */
export function solveOnPlane(v: Float64Array, metric: Vector | null, set: BoxedPlane, breakpoints: Float64Array): void {
  const count = collect(v, metric, set, breakpoints)
  breakpoints.subarray(0, count).sort()
  const right = firstReached(v, metric, set, breakpoints, count)
  const last = breakpoints[right] as number
  if (count === 0) extend(v, metric, set, 0, 'after')
  else if (right === count) extend(v, metric, set, breakpoints[count - 1] as number, 'after')
  else if (levelAt(v, metric, set, last, 'before') >= set.offset) interpolate(v, metric, set, last, last)
  else if (right === 0) extend(v, metric, set, last, 'before')
  else interpolate(v, metric, set, breakpoints[right - 1] as number, last)
}

/** Writes down every finite breakpoint and returns how many there are. */
function collect(v: Float64Array, metric: Vector | null, set: BoxedPlane, breakpoints: Float64Array): number {
  let count = 0
  for (let i = 0; i < v.length; i++) {
    const c = entryAt(set.normal, i)
    if (c === 0) continue
    const atLower = meeting(v[i] as number, weightAt(metric, i), c, entryAt(set.lower, i))
    const atUpper = meeting(v[i] as number, weightAt(metric, i), c, entryAt(set.upper, i))
    if (Number.isFinite(atLower)) breakpoints[count++] = atLower
    if (Number.isFinite(atUpper)) breakpoints[count++] = atUpper
  }
  return count
}

/** The first breakpoint after which c'x(lambda) is no longer above the offset; `count` if there is none. */
function firstReached(
  v: Float64Array,
  metric: Vector | null,
  set: BoxedPlane,
  breakpoints: Float64Array,
  count: number,
): number {
  let from = 0
  let to = count
  while (from < to) {
    const middle = (from + to) >> 1
    if (levelAt(v, metric, set, breakpoints[middle] as number, 'after') > set.offset) from = middle + 1
    else to = middle
  }
  return from
}

/** c'x(lambda). Every operation is monotone, so the computed value falls with lambda as the exact one does. */
function levelAt(v: Float64Array, metric: Vector | null, set: BoxedPlane, lambda: number, side: Side): number {
  let level = 0
  for (let i = 0; i < v.length; i++) level += entryAt(set.normal, i) * coordinateAt(v, metric, set, lambda, side, i)
  return level
}

/** x_i(lambda). Compared with its own breakpoints first: near those, v - lambda c / h is all cancellation. */
function coordinateAt(
  v: Float64Array,
  metric: Vector | null,
  set: BoxedPlane,
  lambda: number,
  side: Side,
  i: number,
): number {
  const c = entryAt(set.normal, i)
  const lower = entryAt(set.lower, i)
  const upper = entryAt(set.upper, i)
  const value = v[i] as number
  if (c === 0) return clip(value, lower, upper)
  const weight = weightAt(metric, i)
  const first = c > 0 ? upper : lower
  const last = c > 0 ? lower : upper
  const leaves = meeting(value, weight, c, first)
  const arrives = meeting(value, weight, c, last)
  if (lambda <= leaves && (side === 'before' || lambda < arrives)) return first
  if (lambda >= arrives) return last
  return clip(value - (lambda * c) / weight, lower, upper)
}

/** The lambda at which v_i - lambda c_i / h_i meets a bound. */
function meeting(value: number, weight: number, c: number, bound: number): number {
  return (weight * (value - bound)) / c
}

/** x between the ends of one straight piece, or of one jump, reckoned from the end nearer to the plane. */
function interpolate(v: Float64Array, metric: Vector | null, set: BoxedPlane, left: number, right: number): void {
  const [start, end]: [Side, Side] = left === right ? ['before', 'after'] : ['after', 'before']
  const above = levelAt(v, metric, set, left, start) - set.offset
  const below = set.offset - levelAt(v, metric, set, right, end)
  const share = above + below > 0 ? Math.min(above, below) / (above + below) : 0
  for (let i = 0; i < v.length; i++) {
    const a = coordinateAt(v, metric, set, left, start, i)
    const b = coordinateAt(v, metric, set, right, end, i)
    // The far end may be huge, and a share of it no more than a rounding error away from 1.
    v[i] = above < below ? a + share * (b - a) : b + share * (a - b)
  }
}

/** x beyond the outermost breakpoint, where only coordinates without a bound on that side still move. */
function extend(v: Float64Array, metric: Vector | null, set: BoxedPlane, last: number, side: Side): void {
  let speed = 0
  for (let i = 0; i < v.length; i++) {
    if (movesBeyond(set, side, i)) speed += (entryAt(set.normal, i) * entryAt(set.normal, i)) / weightAt(metric, i)
  }
  const missing = set.offset - levelAt(v, metric, set, last, side)
  for (let i = 0; i < v.length; i++) {
    const end = coordinateAt(v, metric, set, last, side, i)
    v[i] = movesBeyond(set, side, i) ? end + (missing * (entryAt(set.normal, i) / weightAt(metric, i))) / speed : end
  }
}

function movesBeyond(set: BoxedPlane, side: Side, i: number): boolean {
  const c = side === 'after' ? entryAt(set.normal, i) : -entryAt(set.normal, i)
  return c > 0 ? entryAt(set.lower, i) === -Infinity : c < 0 && entryAt(set.upper, i) === Infinity
}
