import { sampleDraw } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { finiteList, optional, positive, refine, union } from '../core/options.ts'
import { inwardBounds } from '../core/space.ts'
import type { Bounds, Queries, RunContext, Vector } from '../core/types.ts'
import { type Coordinates, coordinatesOf, settle } from './staged/coordinates.ts'

/** The current point of a search, asked alone in each iteration. */
export function onePoint(
  { dim, seed, population }: RunContext,
  point: Vector,
  detailed = false,
): (iteration: number) => Queries {
  const key = { seed, iteration: 0 }
  const draw = sampleDraw(1, population)
  const queries: Queries = {
    key,
    dim,
    precision: point instanceof Float32Array ? 'float32' : 'float64',
    rows: 1,
    centers: 1,
    detailed,
    sample: () => draw.at(key, 0),
    inPlace: () => point,
    write: (_, into, offset = 0) => into.set(point, offset),
  }
  return (iteration) => {
    key.iteration = iteration
    return queries
  }
}

/** A vector of the run with the entries of another. */
export function copyOf({ kernels, dim, precision }: RunContext, from: Vector): Vector {
  const made = kernels.allocate(dim, precision)
  made.set(from)
  return made
}

/** Brings points into the set of a run: clips them where it is a box, projects them where it is not. */
export function withinSet(at: RunContext): (x: Vector) => void {
  const { set, dim } = at
  if (set.unbounded === true) return () => undefined
  const bounds = inwardBounds(at)
  if (bounds !== undefined) return (x) => clip(x, bounds)
  const scratch = new Float64Array(set.scratchSize(dim))
  return (x) => {
    if (!set.contains(x)) set.project(x, null, scratch)
  }
}

/** Clips the entries of a point from one to the one before another; all of them if left out. */
export function clip(x: Vector, { lower, upper }: Bounds, from = 0, to: number = x.length): void {
  const stride = lower.length === 1 ? 0 : 1
  for (let i = from; i < to; i++) {
    const value = x[i] as number
    const low = lower[i * stride] as number
    const high = upper[i * stride] as number
    if (value < low) x[i] = low
    else if (value > high) x[i] = high
  }
}

/** One size for all variables, or one each; undefined where the user does not say. */
export type Scale = number | Float64Array | undefined

/** The scale as a list, of one entry or of one for each variable. */
export function scaleOf(
  owner: string,
  scale: number | Float64Array | undefined,
  dim: number,
): Float64Array | undefined {
  if (scale === undefined) return undefined
  if (typeof scale === 'number') return Float64Array.of(scale)
  if (scale.length === dim) return scale
  throw new ZerothError('invalid-option', `${owner}.scale has ${scale.length} entries, but there are ${dim} variables`)
}

/** How large the variables of a problem usually are. */
export const scaleOption = optional(
  union(
    positive,
    refine(finiteList, (list) => list.every((each) => each > 0), 'must hold numbers above 0 only'),
  ),
)

/** What lies between the free coordinates of a search and the points of the set that are asked. */
export interface SearchDomain {
  /** The width of a coordinate between its bounds; undefined where it has none, or only one. */
  width(i: number): number | undefined
  /** The free coordinate at a share of that width. */
  between(i: number, share: number): number | undefined
  /** Writes the point of the set that stands for free coordinates. */
  write(free: Float64Array, into: Vector, offset: number): void
  /** Writes free coordinates that stand for a point of the set. */
  free(point: Vector, into: Float64Array): void
  /** The squared distance of free coordinates from the set; undefined where it is always 0. */
  readonly excess?: ((free: Float64Array) => number) | undefined
}

/**
 * Bounds are kept by a map from the line onto the interval that is the identity inside, bends smoothly close to a bound and
 * turns back there (Hansen's BoundTransform): all points lie inside, none is asked twice, ranks need no penalty, and a minimum on
 * a bound looks like that of a parabola. Other sets have no such map: there points are projected.
 */
export function searchDomain(at: RunContext): SearchDomain {
  const coordinates = coordinatesOf(at)
  if (coordinates.bounds !== undefined) return boxDomain(coordinates, coordinates.bounds)
  return at.set.unbounded === true ? freeDomain(coordinates) : projectedDomain(at, coordinates)
}

function freeDomain(coordinates: Coordinates): SearchDomain {
  return {
    width: () => undefined,
    between: () => undefined,
    write: (free, into, offset) => into.set(settle(coordinates, free.slice()), offset),
    free: (point, into) => into.set(point),
  }
}

function projectedDomain(at: RunContext, coordinates: Coordinates): SearchDomain {
  const project = withinSet(at)
  const point = at.kernels.allocate(at.dim, at.precision)
  const projected = (free: Float64Array): Vector => {
    point.set(free)
    project(point)
    return point
  }
  return {
    ...freeDomain(coordinates),
    write: (free, into, offset) => into.set(projected(free), offset),
    excess(free) {
      const inside = projected(free)
      return free.reduce((sum, each, i) => sum + (each - (inside[i] as number)) * (each - (inside[i] as number)), 0)
    },
  }
}

function boxDomain({ round }: Coordinates, bounds: { lower: Float64Array; upper: Float64Array }): SearchDomain {
  const { lower, upper } = bounds
  const interval = (i: number): Interval => ({ low: lower[i] as number, high: upper[i] as number })
  const widthOf = (i: number): number | undefined => {
    const width = (upper[i] as number) - (lower[i] as number)
    return width > 0 && width < Infinity ? width : undefined
  }
  return {
    width: widthOf,
    between(i, share) {
      const width = widthOf(i)
      return width && (lower[i] as number) + share * width
    },
    write(free, into, offset) {
      for (let i = 0; i < free.length; i++) {
        const value = round(bent(free[i] as number, interval(i)))
        into[offset + i] = Math.min(Math.max(value, lower[i] as number), upper[i] as number)
      }
    },
    free(point, into) {
      for (let i = 0; i < into.length; i++) into[i] = straightened(point[i] as number, interval(i))
    },
  }
}

interface Interval {
  readonly low: number
  readonly high: number
}

/** How far from a bound the map is bent: a twentieth of the width, or of the size of the only bound. */
function reachOf({ low, high }: Interval, bound: number): number {
  const width = high - low
  return width < Infinity ? width / 20 : (1 + Math.abs(bound)) / 20
}

/** The map onto an interval. */
function bent(free: number, interval: Interval): number {
  const { low, high } = interval
  if (low === high) return low
  const [below, above] = [reachOf(interval, low), reachOf(interval, high)]
  const y = mirrored(free, low - below, high + above)
  if (y < low + below) return low + ((y - low + below) * (y - low + below)) / (4 * below)
  if (y > high - above) return high - ((high + above - y) * (high + above - y)) / (4 * above)
  return y
}

/** What `bent` maps to a value of the interval. */
function straightened(value: number, interval: Interval): number {
  const { low, high } = interval
  if (low === high) return low
  const [below, above] = [reachOf(interval, low), reachOf(interval, high)]
  if (value < low + below) return low - below + 2 * Math.sqrt(below * (value - low))
  if (value > high - above) return high + above - 2 * Math.sqrt(above * (high - value))
  return value
}

/** Brings a number between two ends, one of which may be infinite, by mirroring it at them. */
function mirrored(y: number, from: number, to: number): number {
  if (y >= from && y <= to) return y
  if (to === Infinity) return 2 * from - y
  if (from === -Infinity) return 2 * to - y
  const width = to - from
  const over = (y - from) % (2 * width)
  const distance = over < 0 ? over + 2 * width : over
  return from + (distance > width ? 2 * width - distance : distance)
}
