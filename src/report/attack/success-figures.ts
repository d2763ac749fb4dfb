import type { ImageRecord } from '../../attacks/records.ts'
import { type Curve, curveOf } from '../chart/curve.ts'
import { shareScale } from '../chart/value-scale.ts'
import { countText, distanceText, percentText } from '../number-text.ts'
import type { Figure } from '../page/figure.ts'
import { type AttackRun, attackedImages, type Panel } from './attack-run.ts'
import { lineFigures } from './panel-figures.ts'

const shareLabel = 'share of the attacked images that is fooled'
const queriesText = (x: number): string => `${countText(Math.round(x))} queries`

/** The share of images fooled against queries. */
export function successFigures(panels: readonly Panel[], document: Document): Figure[] {
  const text = {
    document,
    file: 'success-queries',
    title: 'Success against queries',
    xLabel: 'queries',
    yLabel: shareLabel,
  }
  return lineFigures(panels, successCurve, { ...text, at: queriesText, value: percentText, scale: shareScale })
}

/** The share of images fooled against the smallest change that was found to do it. */
export function robustnessFigures(panels: readonly Panel[], document: Document): Figure[] {
  const images = panels.flatMap(({ runs }) => runs.flatMap(attackedImages))
  const largest = images
    .map(bestDistortion)
    .filter(Number.isFinite)
    .reduce((most, size) => (size > most ? size : most), 0)
  if (largest === 0) return []
  return lineFigures(panels, (run) => distortionCurve(run, largest * 1.03), {
    document,
    file: 'success-distortion',
    title: 'Success against distortion',
    xLabel: 'l₂ distortion of the best success',
    yLabel: shareLabel,
    at: (x) => `l₂ ${distanceText(x)}`,
    value: percentText,
    scale: shareScale,
  })
}

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

/** The share of the attacked images that is fooled after a number of queries: by then, or, by a shared perturbation, just then. */
export function successCurve(run: AttackRun): Curve | undefined {
  const { universal } = run.report
  if (universal !== null) return someCurve(curveOf(universal.curve.queries, universal.curve.fooled))
  const images = attackedImages(run)
  if (images.length === 0) return undefined
  const end = images.map(queriesWithinLargest).reduce((most, queries) => (queries > most ? queries : most), 0)
  return shareCurve(images.map(firstQueries), end)
}

/** The share of the attacked images that can be fooled by a change of that l2 length, as far as the attack has found it. */
export function distortionCurve(run: AttackRun, end: number): Curve | undefined {
  const images = attackedImages(run)
  if (run.report.universal !== null || images.length === 0) return undefined
  return shareCurve(images.map(bestDistortion), end)
}

/** The smallest change that fools, over all images; infinite where none does. */
function bestDistortion({ best }: ImageRecord): number {
  return best?.l2 ?? Infinity
}

/** First successes are those within the largest of several limits: the queries within smaller ones come behind them. */
function queriesWithinLargest({ limits, queries }: ImageRecord): number {
  return limits?.[0]?.queries ?? queries
}

function firstQueries({ first }: ImageRecord): number {
  return first?.queries ?? Infinity
}

function someCurve(curve: Curve): Curve | undefined {
  return curve.x.length === 0 ? undefined : curve
}
