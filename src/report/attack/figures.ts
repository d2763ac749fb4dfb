import type { AttackCurve, AttackPoint, ImageRecord } from '../../attacks/records.ts'
import { type Box, boxOf } from '../chart/box-chart.ts'
import { type Curve, curveOf, valueAt } from '../chart/curve.ts'
import { countText, distanceText } from '../number-text.ts'
import type { Figure } from '../page/figure.ts'
import { type AttackRun, attackedImages, type Panel } from './attack-run.ts'
import { type BoxFigureText, boxFigures, type LineFigureText, lineFigures } from './panel-figures.ts'

/** The iterations at which boxes stand. */
export function coursePlaces(runs: readonly Pick<AttackRun, 'report'>[]): number[] {
  const curves = runs.flatMap(attackedImages).flatMap(({ curve }) => curve ?? [])
  return iterationPlaces(curves.reduce((most, { iteration }) => Math.max(most, iteration.at(-1) ?? 0), 0))
}

/** How loss and distortion of the images went over the iterations, in boxes as in Fig. 1 of the paper. */
export function courseFigures(panels: readonly Panel[], document: Document): Figure[] {
  const places = coursePlaces(panels.flatMap(({ runs }) => runs))
  const text = { document, xLabel: 'iterations', places: places.map(countText), dots: 'outliers' } as const
  const course = (of: (curve: AttackCurve) => readonly number[], more: Omit<BoxFigureText, keyof typeof text>) =>
    boxFigures(panels, (run) => courseBoxes(run, of, places), { ...text, ...more })
  const loss = { file: 'loss-iterations', title: 'Attack loss over iterations', yLabel: 'attack loss', linear: true }
  const distortion = {
    file: 'distortion-iterations',
    title: 'Distortion over iterations',
    yLabel: 'l₂² distortion',
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
export function distortionFigures(panels: readonly Panel[], document: Document): Figure[] {
  const text = { document, xLabel: '', places: ['first success', 'best success', 'end'], dots: 'all' } as const
  return (
    [
      ['l2', 'l₂'],
      ['linf', 'l∞'],
    ] as const
  ).flatMap(([norm, name]) => {
    const boxes = ({ report }: AttackRun) =>
      report.universal === null ? trackBoxes(attackedImages({ report }), norm) : []
    const title = `${name} distortion at first and best success, and at the end`
    return boxFigures(panels, boxes, { ...text, file: norm, title, yLabel: `${name} distortion` })
  })
}

function trackBoxes(images: readonly ImageRecord[], norm: 'l2' | 'linf'): (Box | undefined)[] {
  const fooled = images.filter(({ status }) => status === 'fooled')
  const box = (of: (image: ImageRecord) => AttackPoint | null) =>
    boxOf(fooled.map((image) => of(image)?.[norm] ?? Number.NaN))
  return [box(({ first }) => first), box(({ best }) => best), box(({ final }) => final)]
}

/** How loss and distortion of a perturbation that all images share went. */
export function universalFigures(
  panels: readonly Panel[],
  document: Document,
  against: 'queries' | 'iterations' = 'queries',
): Figure[] {
  const at = (x: number): string => `${countText(Math.round(x))} ${against}`
  const text = { document, xLabel: against, at, value: distanceText }
  const course = (of: (curve: AttackCurve) => readonly number[], more: Omit<LineFigureText, keyof typeof text>) =>
    lineFigures(panels, (run) => universalCurve(run, of, against === 'queries' ? 'queries' : 'iteration'), {
      ...text,
      ...more,
    })
  return [
    ...course(({ l2sq }) => l2sq, {
      file: `distortion-${against}`,
      title: `Distortion of the perturbation against ${against}`,
      yLabel: 'l₂² distortion',
    }),
    ...course(({ loss }) => loss, {
      file: `loss-${against}`,
      title: `Attack loss against ${against}`,
      yLabel: 'attack loss',
      linear: true,
    }),
  ]
}

function universalCurve(
  { report }: AttackRun,
  of: (curve: AttackCurve) => readonly number[],
  against: 'queries' | 'iteration',
): Curve | undefined {
  return report.universal === null ? undefined : curveOf(report.universal.curve[against], of(report.universal.curve))
}

/** About ten round iterations up to the last one. */
export function iterationPlaces(last: number): number[] {
  const step = last <= 10 ? 1 : roundStep(last / 10.99)
  const places = Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step)
  const rest = last - (places.at(-1) ?? 0)
  return rest >= step / 2 ? [...places, last] : places
}

/** The smallest of some factors times a power of ten that is not below a number. */
function roundStep(least: number): number {
  const power = Number(`1e${Math.floor(Math.log10(least))}`)
  const factor = [1, 2, 3, 4, 5, 6, 8].find((each) => each * power >= least) ?? 10
  return factor * power
}
