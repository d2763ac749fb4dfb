import { ZerothError } from '../../core/errors.ts'
import { continuousSpace, inwardBounds, isActive, neighbours, snap, unitScale } from '../../core/space.ts'
import type { Coordinate, RunContext, Vector } from '../../core/types.ts'

/**
 * The points of a run as points of the unit cube, in which the models reckon: whole numbers and categories stand at the middle
 * of their shares, what does not matter at 0.5.
 */
export interface Domain {
  readonly dim: number
  /** 1 for coordinates of which two values are either the same or not. */
  readonly isCategory: Uint8Array
  /** The coordinates that can be anywhere between two different ends. */
  readonly continuous: Int32Array
  /** The coordinates of levels or categories that have more than one value. */
  readonly discrete: Int32Array
  unit(x: ArrayLike<number>): Float64Array
  /** The point to ask for a point of the cube. */
  own(u: ArrayLike<number>): Vector
  /** The place in the cube of the point that is asked for u. */
  snapped(u: ArrayLike<number>): Float64Array
  /** The places beside that of u along a discrete coordinate, the nearest or all. */
  beside(u: ArrayLike<number>, i: number): number[]
  /** The width of a share of a discrete coordinate; 0 of a continuous one. */
  share(i: number): number
}

/** Refuses a set that is no box with two ends for every variable. */
export function domainOf(at: Pick<RunContext, 'dim' | 'set' | 'kernels' | 'precision'>): Domain {
  const { dim, set, kernels, precision } = at
  const limits = boundsOf(at)
  const space = set.space ?? continuousSpace(dim)
  const { coordinates } = space
  const scales = coordinates.map((each, i) => unitScale(each, limits(i)))
  const isConditional = coordinates.some(({ conditions }) => conditions !== undefined)
  const countOf = (i: number): number => {
    const each = coordinates[i] as Coordinate
    if (each.kind !== 'continuous') return each.count
    return limits(i).high > limits(i).low ? Infinity : 1
  }
  const those = (isOne: (count: number) => boolean): Int32Array =>
    Int32Array.from(coordinates.keys()).filter((i) => isOne(countOf(i)))
  const own = (u: ArrayLike<number>): Vector => {
    const x = kernels.allocate(dim, precision)
    scales.forEach(({ value }, i) => {
      x[i] = value(u[i] as number)
    })
    snap(space, x, limits)
    return x
  }
  const unit = (x: ArrayLike<number>): Float64Array =>
    Float64Array.from(scales, (scale, i) =>
      countOf(i) === 1 || (isConditional && !isActive(space, x, i)) ? 0.5 : scale.unit(x[i] as number),
    )
  return {
    dim,
    isCategory: Uint8Array.from(coordinates, ({ kind }) => (kind === 'categories' ? 1 : 0)),
    continuous: those((count) => count === Infinity),
    discrete: those((count) => count > 1 && count < Infinity),
    unit,
    own,
    snapped: (u) => unit(own(u)),
    beside(u, i) {
      const { unit: place, value } = scales[i] as (typeof scales)[number]
      return neighbours(coordinates[i] as Coordinate, value(u[i] as number)).map(place)
    },
    share: (i) => (countOf(i) < Infinity ? 1 / countOf(i) : 0),
  }
}

function boundsOf(at: Parameters<typeof domainOf>[0]): (i: number) => { low: number; high: number } {
  const bounds = at.set.unbounded === true ? undefined : inwardBounds(at)
  const limits = (i: number): { low: number; high: number } => {
    const of = (all: Vector | undefined): number => all?.[all.length === 1 ? 0 : i] ?? Number.NaN
    return { low: of(bounds?.lower), high: of(bounds?.upper) }
  }
  for (let i = 0; i < at.dim; i++) {
    const { low, high } = limits(i)
    if (Number.isFinite(high - low)) continue
    const what = bounds === undefined ? 'the set of the run is no box' : `variable ${i} has ${low} and ${high}`
    throw new ZerothError('invalid-option', `bayesian needs two finite bounds for every variable, but ${what}`)
  }
  return limits
}

/** The squared distance of two points of the cube, categories that differ counting as 1. */
export function squaredDistance({ dim, isCategory }: Domain, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let all = 0
  for (let i = 0; i < dim; i++) {
    const gap = (a[i] as number) - (b[i] as number)
    all += isCategory[i] === 1 ? (Math.abs(gap) > same ? 1 : 0) : gap * gap
  }
  return all
}

/** Numbers of the cube that are closer are the same. */
export const same = 1e-9

/** Whether two points have the same levels and categories. */
export function isSameCell({ discrete }: Domain, a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return discrete.every((i) => Math.abs((a[i] as number) - (b[i] as number)) <= same)
}
