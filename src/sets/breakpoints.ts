import type { Vector } from '../core/types.ts'
import { clip } from './bounds.ts'
import { type Entries, entryAt, weightAt } from './entries.ts'

/** The set c'x = offset, lower <= x <= upper. */
export interface BoxedPlane {
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
