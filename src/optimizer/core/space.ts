import { exponential, logarithm } from '../kernels/functions.ts'
import { originOf } from './part.ts'
import type { Bounds, ConvexSet, Coordinate, Precision, RunContext, Solver, Space, Vector } from './types.ts'
import type { NamedVariables } from './variable-types.ts'

/** The largest number of each precision. */
export const largestNumber: Readonly<Record<Precision, number>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
}

/** Rounds a number as storing it in a vector of the run would: one number for all coordinates has the precision of each. */
export function rounding(precision: Precision): (value: number) => number {
  return precision === 'float32' ? Math.fround : (value) => value
}

/** The bounds of a set that is a box, at the run's precision, rounded so that a clipped point is inside the set. */
export function inwardBounds({ set, kernels, dim, precision }: RunContext): Bounds | undefined {
  const bounds = set.bounds?.(dim)
  if (bounds === undefined) return undefined
  const length = bounds.lower.length
  const lower = kernels.allocate(length, precision)
  const upper = kernels.allocate(length, precision)
  for (let i = 0; i < length; i++) {
    lower[i] = roundTowards(bounds.lower[i] as number, precision, 1)
    upper[i] = roundTowards(bounds.upper[i] as number, precision, -1)
  }
  return { lower, upper }
}

function roundTowards(value: number, precision: Precision, side: 1 | -1): number {
  const rounded = precision === 'float32' ? Math.fround(value) : value
  if ((rounded - value) * side >= 0 || !Number.isFinite(rounded)) return rounded
  // One float32 ulp is at most 2^-23 of the value; below the normal range it is 2^-149.
  return Math.fround(rounded + side * Math.max(Math.abs(rounded) * 1.1920928955078125e-7, 1.401298464324817e-45))
}

/** Whether two vectors of the same length have a coordinate that is not the same. */
export function differ(a: Vector, b: Vector): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return true
  return false
}

/** The space of a box without whole numbers, categories and conditions. */
export function continuousSpace(dim: number): Space {
  return { coordinates: Array.from({ length: dim }, () => ({ kind: 'continuous' })) }
}

/** Why a solver cannot search a set, with the first variable that it does not take; undefined if it can. */
export function mixedProblem(
  solver: Solver,
  { space }: ConvexSet,
  names: readonly string[] | undefined,
): string | undefined {
  const isUsual = ({ kind, conditions }: Coordinate): boolean => kind === 'continuous' && conditions === undefined
  const at = solver.takesMixed === true ? -1 : (space?.coordinates.findIndex((each) => !isUsual(each)) ?? -1)
  const coordinate = space?.coordinates[at]
  if (coordinate === undefined) return undefined
  const what = { continuous: 'has a condition', levels: 'has steps', categories: 'has choices' }[coordinate.kind]
  const method = originOf(solver)?.name ?? 'the solver'
  return `${method} takes numbers between two ends only, but ${names?.[at] ?? `variable ${at}`} ${what}`
}

/** Whether a variable matters at a point. */
export function isActive(space: Space, x: ArrayLike<number>, i: number): boolean {
  const { conditions = [] } = space.coordinates[i] as Coordinate
  return conditions.every(({ on, among }) => among.includes(x[on] as number) && isActive(space, x, on))
}

/** What a variable is while it does not matter, so that equal points have equal numbers: the middle, or the first category. */
export function idleValue(coordinate: Coordinate, bounds: { readonly low: number; readonly high: number }): number {
  if (coordinate.kind === 'continuous') return 0.5 * (bounds.low + bounds.high)
  return coordinate.kind === 'levels' ? (coordinate.count - 1) >> 1 : 0
}

/** Where a coordinate of a point lies in [0, 1], and back: what models and random steps reckon in. */
export interface UnitScale {
  unit(value: number): number
  /** The nearest value that the coordinate can have. */
  value(unit: number): number
}

/** Levels and categories are equal shares of [0, 1], or shares of equal factors, and stand at their middle. */
export function unitScale(coordinate: Coordinate, { low, high }: { low: number; high: number }): UnitScale {
  if (coordinate.kind === 'continuous') {
    const width = high - low
    return {
      unit: (value) => (width > 0 ? clipped((value - low) / width) : 0.5),
      value: (unit) => (unit <= 0 ? low : unit >= 1 ? high : Math.min(Math.max(low + unit * width, low), high)),
    }
  }
  const { count } = coordinate
  const nearest = (level: number): number => Math.min(Math.max(Math.round(level), 0), count - 1)
  if (coordinate.kind === 'levels' && coordinate.first !== undefined) {
    const { first } = coordinate
    const from = Math.max(first - 0.5, 0.5 * first)
    const width = logarithm((first + count - 0.5) / from)
    return {
      unit: (value) => clipped(logarithm((first + value) / from) / width),
      value: (unit) => nearest(from * exponential(clipped(unit) * width) - first),
    }
  }
  return {
    unit: (value) => (nearest(value) + 0.5) / count,
    value: (unit) => Math.min(Math.floor(clipped(unit) * count), count - 1),
  }
}

/** The values beside one: all other categories, or the levels up to two steps away. */
export function neighbours(coordinate: Coordinate, value: number): number[] {
  if (coordinate.kind === 'continuous') return []
  const { kind, count } = coordinate
  const near =
    kind === 'levels' ? [value - 2, value - 1, value + 1, value + 2] : Array.from({ length: count }, (_, k) => k)
  return near.filter((each) => each !== value && each >= 0 && each < count)
}

/** Brings a point to one that may be asked, in place: indices are whole numbers, what does not matter is idle. */
export function snap(space: Space, x: Vector, bounds: (i: number) => { low: number; high: number }): void {
  space.coordinates.forEach((coordinate, i) => {
    const value = x[i] as number
    if (coordinate.kind === 'continuous') {
      const { low, high } = bounds(i)
      x[i] = Math.min(Math.max(value, low), high)
    } else x[i] = Math.min(Math.max(Math.round(value), 0), coordinate.count - 1)
  })
  // Whether a variable matters depends on those it is conditional on, never on one that is idle.
  const active = space.coordinates.map((_, i) => isActive(space, x, i))
  space.coordinates.forEach((coordinate, i) => {
    if (active[i] === false) x[i] = idleValue(coordinate, bounds(i))
  })
}

function clipped(value: number): number {
  return Math.min(Math.max(value, 0), 1)
}

/** Whether variables have been made already. */
export function isNamedVariables(given: unknown): given is NamedVariables {
  return typeof (given as NamedVariables | null | undefined)?.ownQueries === 'function'
}
