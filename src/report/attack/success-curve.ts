import type { ImageRecord } from '../../attacks/records.ts'
import { type Curve, curveOf } from '../chart/curve.ts'
import { type AttackRun, attackedImages } from './attack-run.ts'

/** The share of values that are not above x, as steps from 0 to an end; what is not finite counts, but never as reached. */
export function shareCurve(values: readonly number[], end: number): Curve {
  const reached = values.filter(Number.isFinite).sort((a, b) => a - b)
  const steps = reached.map((x, i) => ({ x, y: (i + 1) / values.length }))
  // Of several steps at the same place only the last is seen.
  const seen = steps.filter(({ x }, i) => x !== steps[i + 1]?.x)
  const last = { x: Math.max(end, seen.at(-1)?.x ?? 0), y: seen.at(-1)?.y ?? 0 }
  const all = [{ x: 0, y: 0 }, ...seen, last]
  return curveOf(
    all.map(({ x }) => x),
    all.map(({ y }) => y),
  )
}

/** The share of the attacked images that is fooled after so many queries: by then, or, by a shared perturbation, just then. */
export function successCurve(run: AttackRun): Curve | undefined {
  const { universal } = run.report
  if (universal !== null) return someCurve(curveOf(universal.curve.queries, universal.curve.fooled))
  const images = attackedImages(run)
  if (images.length === 0) return undefined
  const end = images.reduce((most, { queries }) => (queries > most ? queries : most), 0)
  return shareCurve(images.map(firstQueries), end)
}

/** The share of the attacked images that can be fooled by a change of that l2 length, as far as the attack has found it. */
export function distortionCurve(run: AttackRun, end: number): Curve | undefined {
  const images = attackedImages(run)
  if (run.report.universal !== null || images.length === 0) return undefined
  return shareCurve(images.map(bestDistortion), end)
}

/** The smallest change that fools, over all images; infinite where none does. */
export function bestDistortion({ best }: ImageRecord): number {
  return best?.l2 ?? Infinity
}

function firstQueries({ first }: ImageRecord): number {
  return first?.queries ?? Infinity
}

function someCurve(curve: Curve): Curve | undefined {
  return curve.x.length === 0 ? undefined : curve
}
