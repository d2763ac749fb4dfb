import { iterationPlaces } from '../../../src/app/report/attack/figures.ts'
import { type AttackCurve, type AttackReport, type ImageRecord, isMeasured } from '../../../src/robustness/index.ts'
import { lambda } from './cells.ts'

/** Methods are compared at equal iterations, as the paper does, and at equal queries, as is fair. */
export type Effort = 'iterations' | 'queries'

/** How far attacks are followed. */
export interface Limit {
  readonly by: Effort
  readonly most: number
}

/** The images that were attacked. */
export function attackedImages({ images }: AttackReport): ImageRecord[] {
  return images.filter(isMeasured)
}

/** The furthest that all of some attacks went. */
export function commonLimit(reports: readonly AttackReport[], by: Effort): Limit {
  const ends = reports.map((report) =>
    Math.max(0, ...attackedImages(report).map(({ curve }) => (curve === null ? 0 : (columnOf(curve, by).at(-1) ?? 0)))),
  )
  return { by, most: Math.min(...ends) }
}

/** lambda f + distortion of an image at the last point within a limit; NaN where there is none. */
export function objectiveAt({ curve }: ImageRecord, limit: Limit): number {
  const at = lastWithin(curve, limit)
  return curve === null || at < 0 ? Number.NaN : lambda * (curve.loss[at] as number) + (curve.l2sq[at] as number)
}

/** The squared distortion of an image there. */
export function distortionAt({ curve }: ImageRecord, limit: Limit): number {
  const at = lastWithin(curve, limit)
  return curve === null || at < 0 ? Number.NaN : (curve.l2sq[at] as number)
}

/** The effort to the first success; an image that withstood counts as if it had given in right after the limit. */
export function firstSuccess({ first }: ImageRecord, { by, most }: Limit): number {
  const effort = first === null ? Infinity : by === 'iterations' ? first.iteration : first.queries
  return Math.min(effort, most + 1)
}

/**
 * The course of an image at those iterations alone that tables, figures and claims look at: the places of Fig. 1, the ends,
 * and the last point within the queries that a method of 11 per iteration asks.
 */
export function shortCourse(curve: AttackCurve): AttackCurve {
  const last = curve.iteration.at(-1) ?? 0
  const places = iterationPlaces(last).map((place) => curve.iteration.findLastIndex((each) => each <= place))
  const atQueries = curve.queries.findLastIndex((each) => each <= 11 * last + 1)
  const wanted = new Set([0, ...places, atQueries, curve.iteration.length - 1])
  const at = (column: readonly number[]): number[] => column.filter((_, i) => wanted.has(i))
  const { iteration, queries, loss, l2sq, linf, fooled } = curve
  return {
    iteration: at(iteration),
    queries: at(queries),
    loss: at(loss),
    l2sq: at(l2sq),
    linf: at(linf),
    fooled: at(fooled),
  }
}

/** lambda f + distortion along a course, up to a limit, at the places of `shortCourse`. */
export function objectiveCourse(curve: AttackCurve, limit: Limit): { effort: number[]; objective: number[] } {
  const short = shortCourse(curve)
  const end = lastWithin(short, limit) + 1
  const objective = short.loss.slice(0, end).map((loss, at) => lambda * loss + (short.l2sq[at] as number))
  return { effort: columnOf(short, limit.by).slice(0, end), objective }
}

/** The effort until the objective of a course has fallen to a goal; one that never does counts as if right after the limit. */
export function effortToGoal(curve: AttackCurve, limit: Limit, goal: number): number {
  if (Number.isNaN(goal)) return Number.NaN
  const { effort, objective } = objectiveCourse(curve, limit)
  return effort[objective.findIndex((each) => each <= goal)] ?? limit.most + 1
}

/** The last value of a course within a limit. */
export function curveEnd(curve: AttackCurve, column: 'loss' | 'l2sq', limit: Limit): number {
  return curve[column][lastWithin(curve, limit)] ?? Number.NaN
}

/** Values of two attacks on the same images. */
export function pairsOf(
  one: AttackReport,
  other: AttackReport,
  value: (image: ImageRecord) => number,
): [number, number][] {
  const byIndex = new Map(attackedImages(other).map((image) => [image.index, image]))
  return attackedImages(one).flatMap((image): [number, number][] => {
    const same = byIndex.get(image.index)
    return same === undefined ? [] : [[value(image), value(same)]]
  })
}

function lastWithin(curve: AttackCurve | null, { by, most }: Limit): number {
  return curve === null ? -1 : columnOf(curve, by).findLastIndex((each) => each <= most)
}

function columnOf(curve: AttackCurve, by: Effort): readonly number[] {
  return by === 'iterations' ? curve.iteration : curve.queries
}
