import { largest } from '../algebra/vectors.ts'
import type { Begin, Vector } from '../core/types.ts'
import { coordinatesOf, settle } from '../staged/coordinates.ts'
import type { Batch } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { withinSet } from './within-set.ts'

/**
 * How a trust region sees the variables: as offsets y of those that can move, x_i = base_i + unit_i y_i, so that the first
 * radius is 1. In a box the offsets keep its bounds. In other sets they are free, and what is asked is their projection:
 * where the minimum lies on the border, the function of the projection is flat beyond it.
 */
export interface Frame {
  /** Variables that can move. */
  readonly dim: number
  /** The best point, in the set. */
  readonly point: Vector
  /** Over all variables. */
  readonly base: Float64Array
  /** Of the variables that can move. */
  readonly units: Float64Array
  /** The base that has an offset from this one. */
  moved(offset: Float64Array): Float64Array
  /** Moves the base there. */
  rebase(offset: Float64Array): void
  /** Two steps for each variable that keep the bounds, of about this length. */
  arms(base: Float64Array, radius: number): { first: Float64Array; second: Float64Array }
  /** from + step, as the box and rounding leave it. */
  place(from: Float64Array, step: Float64Array, into: Float64Array): void
  /** Bounds of steps from there, exactly 0 at a bound. */
  limits(from: Float64Array, below: Float64Array, above: Float64Array): void
  /** Points to ask, from their offsets. */
  batch(rows: number, base: Float64Array, offsetOf: (row: number) => Float64Array): Batch
  /** Writes the point of an offset into `point`. */
  write(offset: Float64Array): void
  /** The shortest radius at which points can still be told apart. */
  finest(): number
}

/** What decides the first radius. */
export interface FrameSettings {
  /** The first radius itself, in the units of the variables. */
  readonly radius?: number | undefined
  /** The usual size of the variables, of which it is a tenth. */
  readonly scale?: ArrayLike<number> | undefined
}

/** The frame of a run. */
export function frameOf(at: Begin, { radius, scale }: FrameSettings = {}): Frame {
  const { start } = at
  const coordinates = coordinatesOf(at, scale)
  const { unit } = coordinates
  const lower = coordinates.bounds?.lower ?? new Float64Array(at.dim).fill(-Infinity)
  const upper = coordinates.bounds?.upper ?? new Float64Array(at.dim).fill(Infinity)
  const size = Math.max(1, largest(start))
  const free = Array.from(start.keys()).filter((i) => {
    const [low, high] = [lower[i] as number, upper[i] as number]
    return high - low === Infinity || high - low > 64 * unit * Math.max(Math.abs(low), Math.abs(high))
  })
  const units = Float64Array.from(free, (i) => {
    const width = (upper[i] as number) - (lower[i] as number)
    const given = radius ?? (scale && 0.1 * (coordinates.typical[i] as number))
    if (given !== undefined) return Math.min(given, 0.4 * width)
    return width < Infinity ? 0.1 * Math.min(width, 10 * Math.max(1, Math.abs(start[i] as number))) : 0.1 * size
  })
  const enter = withinSet(at)
  const base = Float64Array.from(start)
  const point = copyOf(at, start)
  const row = copyOf(at, start)
  const dim = free.length
  const each = (make: (i: number, variable: number, unit: number) => void): void => {
    for (let i = 0; i < dim; i++) make(i, free[i] as number, units[i] as number)
  }
  /** How far a bound is from the base. */
  const bound = (bounds: Float64Array, i: number, from: Float64Array = base): number =>
    ((bounds[free[i] as number] as number) - (from[free[i] as number] as number)) / (units[i] as number)
  const moved = (offset: Float64Array, from: Float64Array = base): Float64Array => {
    const x = Float64Array.from(from)
    each((i, v, unit) => {
      const y = offset[i] as number
      if (y === bound(lower, i, from)) x[v] = lower[v] as number
      else if (y === bound(upper, i, from)) x[v] = upper[v] as number
      else x[v] = (x[v] as number) + unit * y
    })
    return settle(coordinates, x)
  }
  const project = (offset: Float64Array, from: Float64Array, into: Vector): void => {
    into.set(moved(offset, from))
    if (coordinates.bounds === undefined) enter(into)
  }
  return {
    dim,
    point,
    base,
    units,
    moved,
    rebase: (offset) => base.set(moved(offset)),
    arms(from, radius) {
      const first = new Float64Array(dim)
      const second = new Float64Array(dim)
      each((i) => {
        const [a, b] = armsWithin(-bound(lower, i, from), bound(upper, i, from), radius)
        first[i] = a
        second[i] = b
      })
      for (const arm of [first, second]) placeFrom(from, arm)
      return { first, second }
    },
    place(from, step, into) {
      const x = new Float64Array(dim)
      each((i) => {
        const [low, high] = [bound(lower, i), bound(upper, i)]
        const y = (from[i] as number) + (step[i] as number)
        x[i] = step[i] === low - (from[i] as number) ? low : step[i] === high - (from[i] as number) ? high : y
      })
      placeFrom(base, x)
      into.set(x)
    },
    limits(from, below, above) {
      each((i) => {
        below[i] = Math.min(bound(lower, i) - (from[i] as number), 0)
        above[i] = Math.max(bound(upper, i) - (from[i] as number), 0)
      })
    },
    batch: (rows, from, offsetOf) => ({
      rows,
      write(index, into, offset) {
        project(offsetOf(index), from, row)
        into.set(row, offset)
      },
    }),
    write: (offset) => project(offset, base, point),
    finest() {
      let most = 0
      each((_, v, size) => {
        most = Math.max(most, (32 * unit * Math.abs(base[v] as number)) / size)
      })
      return most
    },
  }

  /** Replaces offsets by those of the points that are asked for them. */
  function placeFrom(from: Float64Array, offset: Float64Array): void {
    const x = moved(offset, from)
    each((i, v, unit) => {
      offset[i] = ((x[v] as number) - (from[v] as number)) / unit
    })
  }
}

/** Two steps of about a length: to both sides where there is room, otherwise both to the roomier side. */
function armsWithin(down: number, up: number, radius: number): [number, number] {
  const side = up >= down ? 1 : -1
  const wide = Math.max(up, down)
  const narrow = Math.min(up, down)
  const length = Math.min(radius, wide)
  if (narrow >= 0.5 * length) return [side * length, -side * Math.min(narrow, length)]
  const far = Math.min(2 * radius, wide)
  return [side * 0.5 * far, side * far]
}
