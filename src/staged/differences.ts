import type { Vector } from '../core/types.ts'
import type { Coordinates } from './coordinates.ts'
import type { Batch } from './staged-search.ts'

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
