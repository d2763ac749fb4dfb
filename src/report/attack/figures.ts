import type { AttackCurve, AttackPoint, ImageRecord } from '../../attacks/records.ts'
import { type Box, boxOf } from '../chart/box.ts'
import { type Curve, curveOf, valueAt } from '../chart/curve.ts'
import type { ValueScale } from '../chart/value-scale.ts'
import { countText } from '../number-text.ts'
import type { Figure } from '../page/figure-markup.ts'
import { type AttackRun, attackedImages, type Panel } from './attack-run.ts'
import { type BoxFigureText, boxFigures } from './box-figures.ts'
import { distanceText, percentText } from './dashed.ts'
import { iterationPlaces } from './iteration-places.ts'
import { lineFigures } from './line-figures.ts'
import { bestDistortion, distortionCurve, successCurve } from './success-curve.ts'

/** From none to all; a little air lets a line at either be seen. */
const shares: ValueScale = {
  type: 'linear',
  domain: [-0.015, 1.03],
  ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((at) => ({ at, text: `${Math.round(100 * at)} %` })),
}
const shareLabel = 'share of the attacked images that is fooled'
const queriesText = (x: number): string => `${countText(Math.round(x))} queries`

/** The share of images fooled against queries. */
export function successFigures(panels: readonly Panel[]): Figure[] {
  const text = { file: 'success-queries', title: 'Success against queries', xLabel: 'queries', yLabel: shareLabel }
  return lineFigures(panels, successCurve, { ...text, at: queriesText, value: percentText, scale: shares })
}

/** The share of images fooled against the smallest change that was found to do it. */
export function robustnessFigures(panels: readonly Panel[]): Figure[] {
  const images = panels.flatMap(({ runs }) => runs.flatMap(attackedImages))
  const largest = images
    .map(bestDistortion)
    .filter(Number.isFinite)
    .reduce((most, size) => (size > most ? size : most), 0)
  if (largest === 0) return []
  return lineFigures(panels, (run) => distortionCurve(run, largest * 1.03), {
    file: 'success-distortion',
    title: 'Success against distortion',
    xLabel: 'l₂ distortion of the best success',
    yLabel: shareLabel,
    at: (x) => `l₂ ${distanceText(x)}`,
    value: percentText,
    scale: shares,
  })
}

/** The iterations at which boxes stand. */
export function coursePlaces(runs: readonly Pick<AttackRun, 'report'>[]): number[] {
  const curves = runs.flatMap(attackedImages).flatMap(({ curve }) => curve ?? [])
  return iterationPlaces(curves.reduce((most, { iteration }) => Math.max(most, iteration.at(-1) ?? 0), 0))
}

/** How loss and distortion of the images went over the iterations, in boxes as in Fig. 1 of the paper. */
export function courseFigures(panels: readonly Panel[]): Figure[] {
  const places = coursePlaces(panels.flatMap(({ runs }) => runs))
  const text = { xLabel: 'iterations', places: places.map(countText), dots: 'outliers' } as const
  const course = (of: (curve: AttackCurve) => readonly number[], more: Omit<BoxFigureText, keyof typeof text>) =>
    boxFigures(panels, (run) => courseBoxes(run, of, places), { ...text, ...more })
  const loss = { file: 'loss-iterations', title: 'Attack loss over iterations', yLabel: 'attack loss', linear: true }
  const distortion = {
    file: 'distortion-iterations',
    title: 'Distortion over iterations',
    yLabel: 'l₂² distortion',
    linear: false,
  }
  return [...course((curve) => curve.loss, loss), ...course((curve) => curve.l2sq, distortion)]
}

/** The boxes of a run at some iterations. */
export function courseBoxes(
  run: Pick<AttackRun, 'report'>,
  of: (curve: AttackCurve) => readonly number[],
  places: readonly number[],
): (Box | undefined)[] {
  const curves = attackedImages(run).flatMap(({ curve }) =>
    curve === null ? [] : [curveOf(curve.iteration, of(curve))],
  )
  return places.map((place) => boxOf(curves.map((curve) => valueAt(curve, place))))
}

/** How large the changes were at the first and the best success and at the end of the images fooled. */
export function distortionFigures(panels: readonly Panel[]): Figure[] {
  const text = { xLabel: '', places: ['first success', 'best success', 'end'], dots: 'all', linear: false } as const
  const of = (norm: 'l2' | 'linf') => (run: AttackRun) =>
    run.report.universal === null ? trackBoxes(attackedImages(run), norm) : []
  return [
    ...boxFigures(panels, of('l2'), {
      ...text,
      file: 'l2',
      title: 'l₂ distortion at first and best success, and at the end',
      yLabel: 'l₂ distortion',
    }),
    ...boxFigures(panels, of('linf'), {
      ...text,
      file: 'linf',
      title: 'l∞ distortion at first and best success, and at the end',
      yLabel: 'l∞ distortion',
    }),
  ]
}

function trackBoxes(images: readonly ImageRecord[], norm: 'l2' | 'linf'): (Box | undefined)[] {
  const fooled = images.filter(({ status }) => status === 'fooled')
  const box = (of: (image: ImageRecord) => AttackPoint | null) =>
    boxOf(fooled.map((image) => of(image)?.[norm] ?? Number.NaN))
  return [box(({ first }) => first), box(({ best }) => best), box(({ final }) => final)]
}

/** How loss and distortion of a perturbation that all images share went. */
export function universalFigures(panels: readonly Panel[], against: 'queries' | 'iterations' = 'queries'): Figure[] {
  const course = (of: (curve: AttackCurve) => readonly number[]) => (run: AttackRun) =>
    universalCurve(run, of, against === 'queries' ? 'queries' : 'iteration')
  const at = (x: number): string => `${countText(Math.round(x))} ${against}`
  const text = { xLabel: against, at, value: distanceText }
  return [
    ...lineFigures(
      panels,
      course(({ l2sq }) => l2sq),
      {
        ...text,
        file: `distortion-${against}`,
        title: `Distortion of the perturbation against ${against}`,
        yLabel: 'l₂² distortion',
      },
    ),
    ...lineFigures(
      panels,
      course(({ loss }) => loss),
      {
        ...text,
        file: `loss-${against}`,
        title: `Attack loss against ${against}`,
        yLabel: 'attack loss',
        linear: true,
      },
    ),
  ]
}

function universalCurve(
  { report }: AttackRun,
  of: (curve: AttackCurve) => readonly number[],
  against: 'queries' | 'iteration',
): Curve | undefined {
  return report.universal === null ? undefined : curveOf(report.universal.curve[against], of(report.universal.curve))
}
