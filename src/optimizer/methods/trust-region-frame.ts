import type { RunContext, Vector } from '../core/types.ts'
import { largest } from '../numerics/vectors.ts'
import { copyOf, withinSet } from './points.ts'
import { type Coordinates, coordinatesOf, settle } from './staged/coordinates.ts'
import type { Batch } from './staged/staged-search.ts'

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
export function frameOf(at: RunContext, settings: FrameSettings = {}): Frame {
  return new OffsetFrame(at, settings)
}

class OffsetFrame implements Frame {
  readonly point: Vector
  readonly base: Float64Array
  readonly units: Float64Array
  readonly #coordinates: Coordinates
  readonly #lower: Float64Array
  readonly #upper: Float64Array
  /** The variables that can move. */
  readonly #free: readonly number[]
  readonly #enter: (point: Vector) => void
  readonly #row: Vector

  constructor(at: RunContext, settings: FrameSettings) {
    const { start, dim } = at
    this.#coordinates = coordinatesOf(at, settings.scale)
    this.#lower = this.#coordinates.bounds?.lower ?? new Float64Array(dim).fill(-Infinity)
    this.#upper = this.#coordinates.bounds?.upper ?? new Float64Array(dim).fill(Infinity)
    this.#free = Array.from(start.keys()).filter((i) => this.#canMove(i))
    this.#enter = withinSet(at)
    this.#row = copyOf(at, start)
    this.point = copyOf(at, start)
    this.base = Float64Array.from(start)
    this.units = this.#firstUnits(settings)
  }

  get dim(): number {
    return this.#free.length
  }

  moved(offset: Float64Array, from = this.base): Float64Array {
    const x = Float64Array.from(from)
    this.#each((i, v, unit) => {
      const y = offset[i] as number
      if (y === this.#bound(this.#lower, i, from)) x[v] = this.#lower[v] as number
      else if (y === this.#bound(this.#upper, i, from)) x[v] = this.#upper[v] as number
      else x[v] = (x[v] as number) + unit * y
    })
    return settle(this.#coordinates, x)
  }

  rebase(offset: Float64Array): void {
    this.base.set(this.moved(offset))
  }

  arms(base: Float64Array, radius: number): { first: Float64Array; second: Float64Array } {
    const first = new Float64Array(this.dim)
    const second = new Float64Array(this.dim)
    this.#each((i) => {
      const [a, b] = armsWithin(-this.#bound(this.#lower, i, base), this.#bound(this.#upper, i, base), radius)
      first[i] = a
      second[i] = b
    })
    for (const arm of [first, second]) this.#placeFrom(base, arm)
    return { first, second }
  }

  place(from: Float64Array, step: Float64Array, into: Float64Array): void {
    this.#each((i) => {
      const [low, high] = [this.#bound(this.#lower, i), this.#bound(this.#upper, i)]
      const [origin, length] = [from[i] as number, step[i] as number]
      into[i] = length === low - origin ? low : length === high - origin ? high : origin + length
    })
    this.#placeFrom(this.base, into)
  }

  limits(from: Float64Array, below: Float64Array, above: Float64Array): void {
    this.#each((i) => {
      below[i] = Math.min(this.#bound(this.#lower, i) - (from[i] as number), 0)
      above[i] = Math.max(this.#bound(this.#upper, i) - (from[i] as number), 0)
    })
  }

  batch(rows: number, base: Float64Array, offsetOf: (row: number) => Float64Array): Batch {
    return {
      rows,
      write: (index, into, offset) => {
        this.#project(offsetOf(index), base, this.#row)
        into.set(this.#row, offset)
      },
    }
  }

  write(offset: Float64Array): void {
    this.#project(offset, this.base, this.point)
  }

  finest(): number {
    let most = 0
    this.#each((_, v, size) => {
      most = Math.max(most, (32 * this.#coordinates.unit * Math.abs(this.base[v] as number)) / size)
    })
    return most
  }

  #canMove(i: number): boolean {
    const [low, high] = [this.#lower[i] as number, this.#upper[i] as number]
    const size = Math.max(Math.abs(low), Math.abs(high))
    return high - low === Infinity || high - low > 64 * this.#coordinates.unit * size
  }

  #firstUnits({ radius, scale }: FrameSettings): Float64Array {
    const start = this.base
    const size = Math.max(1, largest(start))
    return Float64Array.from(this.#free, (i) => {
      const width = (this.#upper[i] as number) - (this.#lower[i] as number)
      const given = radius ?? (scale && 0.1 * (this.#coordinates.typical[i] as number))
      if (given !== undefined) return Math.min(given, 0.4 * width)
      return width < Infinity ? 0.1 * Math.min(width, 10 * Math.max(1, Math.abs(start[i] as number))) : 0.1 * size
    })
  }

  #each(visit: (i: number, variable: number, unit: number) => void): void {
    for (let i = 0; i < this.dim; i++) visit(i, this.#free[i] as number, this.units[i] as number)
  }

  /** How far a bound is from a base. */
  #bound(bounds: Float64Array, i: number, from = this.base): number {
    const variable = this.#free[i] as number
    return ((bounds[variable] as number) - (from[variable] as number)) / (this.units[i] as number)
  }

  #project(offset: Float64Array, from: Float64Array, into: Vector): void {
    into.set(this.moved(offset, from))
    if (this.#coordinates.bounds === undefined) this.#enter(into)
  }

  /** Replaces offsets by those of the points that are asked for them. */
  #placeFrom(from: Float64Array, offset: Float64Array): void {
    const x = this.moved(offset, from)
    this.#each((i, v, unit) => {
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
