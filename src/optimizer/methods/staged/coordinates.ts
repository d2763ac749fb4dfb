import { inwardBounds, largestNumber, rounding } from '../../core/space.ts'
import type { RunContext, Vector } from '../../core/types.ts'
import { randomInteger } from '../../kernels/random.ts'
import { type Batch, onlyPoint } from './staged-search.ts'

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
export function coordinatesOf(at: RunContext, scale?: ArrayLike<number>): Coordinates {
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

/** What differences say about f along the coordinates asked about, in their order. */
export interface Differences {
  readonly slopes: Float64Array
  /** Second derivatives; 0 where only one side was asked. */
  readonly curvatures: Float64Array
  /** The value on the first side, and the step to it. */
  readonly ahead: Float64Array
  readonly steps: Float64Array
  /** The coordinate on the first side; where it cannot move, as it is. */
  readonly reached: Float64Array
}

/** Where differences are taken. */
interface Around {
  readonly x: Vector
  readonly value: number
  /** Which coordinates; all if left out. */
  readonly along?: ArrayLike<number> | undefined
  /** The wanted step on a coordinate; turned inwards and shortened at bounds. */
  step(i: number): number
  /** Ask on both sides: slopes of second order, and curvatures. */
  readonly central: boolean
}

/**
 * Differences along coordinates, asked as one batch. Steps are those that rounding leaves. At a bound, both points of a pair
 * lie on the inner side. A coordinate that cannot move has slope 0 and is not asked about; so has one whose query failed.
 */
export function* differences(at: Coordinates, around: Around): Generator<Batch, Differences, Float64Array> {
  const { x, value, central } = around
  const along = around.along ?? Int32Array.from({ length: at.dim }, (_, i) => i)
  const count = along.length
  const first = new Float64Array(count)
  const second = new Float64Array(count)
  const moving: number[] = []
  for (let j = 0; j < count; j++) if (place(at, around, along[j] as number, j, first, second)) moving.push(j)
  const sides = central ? 2 : 1
  const values = moving.length === 0 ? new Float64Array(0) : yield rowsOf(x, along, moving, first, second, sides)
  const found = emptyDifferences(count, value, (j) => x[along[j] as number] as number)
  moving.forEach((j, row) => {
    const origin = x[along[j] as number] as number
    const h = (first[j] as number) - origin
    found.steps[j] = h
    found.reached[j] = first[j] as number
    found.ahead[j] = values[sides * row] as number
    const a = ((values[sides * row] as number) - value) / h
    if (!central) found.slopes[j] = a
    else {
      const k = (second[j] as number) - origin
      const b = ((values[2 * row + 1] as number) - value) / k
      found.curvatures[j] = finite((2 * (a - b)) / (h - k))
      found.slopes[j] = a - (found.curvatures[j] as number) * 0.5 * h
      if (Number.isNaN(b)) found.slopes[j] = a
      else if (Number.isNaN(a)) found.slopes[j] = b
    }
    found.slopes[j] = finite(found.slopes[j] as number)
  })
  return found
}

/** Chooses the points on a coordinate; false where it cannot move. */
function place(
  at: Coordinates,
  around: Around,
  i: number,
  j: number,
  first: Float64Array,
  second: Float64Array,
): boolean {
  const { bounds, round } = at
  const origin = around.x[i] as number
  let step = around.step(i)
  if (bounds === undefined) {
    first[j] = round(origin + step)
    second[j] = round(origin - ((first[j] as number) - origin))
    return first[j] !== origin
  }
  const [lower, upper] = [bounds.lower[i] as number, bounds.upper[i] as number]
  step = Math.min(step, 0.25 * (upper - lower))
  if (origin + step > upper) step = -step
  first[j] = within(round(origin + step), lower, upper)
  const h = (first[j] as number) - origin
  const behind = round(origin - h)
  second[j] = lower <= behind && behind <= upper ? behind : round(origin + 0.5 * h)
  return first[j] !== origin && second[j] !== origin
}

function rowsOf(
  x: Vector,
  along: ArrayLike<number>,
  moving: readonly number[],
  first: Float64Array,
  second: Float64Array,
  sides: number,
): Batch {
  return {
    rows: sides * moving.length,
    write(row, into, offset) {
      const j = moving[Math.floor(row / sides)] as number
      into.set(x, offset)
      into[offset + (along[j] as number)] = (row % sides === 0 ? first : second)[j] as number
    },
  }
}

function emptyDifferences(count: number, value: number, origin: (j: number) => number): Differences {
  return {
    slopes: new Float64Array(count),
    curvatures: new Float64Array(count),
    ahead: new Float64Array(count).fill(value),
    steps: new Float64Array(count).fill(1),
    reached: Float64Array.from({ length: count }, (_, j) => origin(j)),
  }
}

function within(value: number, lower: number, upper: number): number {
  return Math.min(Math.max(value, lower), upper)
}

/** Slopes beyond all reason are cut, unknown ones count as flat. */
function finite(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, -1e50), 1e50)
}

/** A search along a line for a lower value. */
interface Line {
  readonly value: number
  /** The slope at the beginning, below 0. */
  readonly slope: number
  /** The point at a distance, inside the set of the run and rounded. */
  at(distance: number): Vector
  /** The distance to begin with. */
  readonly first: number
  /** Queries after which a point that is good enough is not improved any more. */
  readonly most: number
  /** A further query only where the parabola promises this share of the gain more. */
  readonly extra: number
  /** Distances below this are not tried. */
  readonly tiny: number
}

/** The lowest point found; at distance 0 where none was lower. */
export interface Lowest {
  readonly value: number
  readonly distance: number
  readonly point: Vector | null
  readonly asked: number
}

const maxTries = 25

/**
 * Armijo's rule with quadratic interpolation, back and forth. A query costs one, a gradient of differences d: so a longer
 * step is worth a query wherever the parabola through value, slope and last answer promises more. A failed query counts as
 * infinitely high.
 */
export function* lineSearch(line: Line): Generator<Batch, Lowest, Float64Array> {
  const { value, slope, most, extra, tiny } = line
  let best: Lowest = { value, distance: 0, point: null, asked: 0 }
  let t = line.first
  for (let asked = 1; asked <= maxTries; asked++) {
    const point = line.at(t)
    const answer = (yield onlyPoint(point))[0] as number
    const found = Number.isNaN(answer) ? Infinity : answer
    if (found < best.value) best = { value: found, distance: t, point, asked }
    best = { ...best, asked }
    const bend = found - value - t * slope
    const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : Infinity
    if (found > value + 1e-4 * t * slope) {
      if (best.distance > 0) break
      t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
      if (t < tiny) break
      continue
    }
    if (best.distance !== t) break
    const next = Math.min(lowest, 4 * t)
    const gain = -(slope * next + (bend / (t * t)) * next * next) - (value - found)
    const isWorth = gain > extra * (value - found) && asked < most && Math.abs(next / t - 1) > 0.1
    if (!isWorth || isEqual(line.at(next), point)) break
    t = next
  }
  return best
}

function isEqual(a: Vector, b: Vector): boolean {
  return a.every((value, i) => value === b[i])
}
