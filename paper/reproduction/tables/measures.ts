import type { AttackCurve, AttackReport, ImageRecord } from '../../../src/attacks/index.ts'
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
  return images.filter(({ status }) => status === 'fooled' || status === 'robust')
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
