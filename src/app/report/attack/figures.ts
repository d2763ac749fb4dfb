import type { AttackCurve, AttackPoint, AttackSummary, ImageRecord, LimitSummary } from '../../../robustness/records.ts'
import { linearTicks, shareScale, type Tick, type ValueScale, valueScale, zeroScale } from '../chart/axis.ts'
import {
  type Box,
  type BoxSeries,
  type BoxText,
  boxChart,
  boxOf,
  type ChartLine,
  convergenceChart,
  drawnValues,
  lineScale,
  progressEnd,
} from '../chart/charts.ts'
import { type Curve, curveOf, thinCurve, valueAt } from '../chart/curve.ts'
import { type Chart, type ChartText, plotChart } from '../chart/plot-chart.ts'
import { html } from '../markup.ts'
import { countText, distanceText, intervalText, limitText, percentText } from '../number-text.ts'
import {
  type Figure,
  figuresMarkup,
  type PageColumn,
  pageTable,
  remark,
  type Section,
  shown,
} from '../page/elements.ts'
import { distinctStyles } from '../palette.ts'
import { Plot } from '../plotting.ts'
import { type AttackRun, attackedImages, type Panel } from './attack-run.ts'
import { limitName, normNames } from './settings.ts'

/** What the figures of some panels have in common. */
interface PanelText extends Pick<ChartText, 'document' | 'title' | 'xLabel' | 'yLabel'> {
  readonly file: string
  /** On an even axis that shows 0, whatever the values; otherwise the values decide. */
  readonly linear?: boolean
}

/** What figures of boxes say, and how they are drawn. */
export interface BoxFigureText extends PanelText, Pick<BoxText, 'places' | 'dots'> {}

/** What figures of lines say. */
export interface LineFigureText extends PanelText {
  /** A place and a value in words, for those who do not see the figure. */
  readonly at: (x: number) => string
  readonly value: (y: number) => string
  /** That on which all values can be seen, unless given. */
  readonly scale?: ValueScale
}

const bins = 240

/** A box per evaluation and place, a figure per panel, all with the same axes; none if there is nothing to draw. */
function boxFigures(
  panels: readonly Panel[],
  boxes: (run: AttackRun) => readonly (Box | undefined)[],
  text: BoxFigureText,
): Figure[] {
  const drawn = drawnPanels(panels, (run) => seriesOf(run, boxes(run)))
  const all = drawn.flatMap(({ series }) => series)
  const values = drawnValues(all, text.dots)
  if (values.length === 0) return []
  const scale = text.linear ? zeroScale(values) : valueScale(values)
  return drawn.map(({ panel, series }) => {
    const named = namedChart(panel, text, series.length)
    const description = series.slice(0, distinctStyles).map((each) => boxesText(each, text.places))
    const chart = boxChart(series, { ...text, ...named, description: description.join(' '), scale })
    return { file: named.id, caption: named.title, chart }
  })
}

/** A line per evaluation, a figure per panel, all with the same axes; none if there is nothing to draw. */
function lineFigures(
  panels: readonly Panel[],
  curve: (run: AttackRun) => Curve | undefined,
  text: LineFigureText,
): Figure[] {
  const drawn = drawnPanels(panels, (run) => linesOf(run, curve(run)))
  const all = drawn.flatMap(({ series }) => series)
  const end = progressEnd(all)
  if (!(end > 0)) return []
  const scale = text.scale ?? (text.linear ? zeroScale(all.map((line) => line.curve.y)) : lineScale(all))
  return drawn.map(({ panel, series }) => {
    const named = namedChart(panel, text, series.length)
    const description = series.slice(0, distinctStyles).map((line) => lineText(line, text))
    const chart = convergenceChart(series, { ...text, ...named, description: description.join(' '), scale, end })
    return { file: named.id, caption: named.title, chart }
  })
}

function drawnPanels<Series>(panels: readonly Panel[], seriesOfRun: (run: AttackRun) => readonly Series[]) {
  return panels
    .map((panel) => ({ panel, series: panel.runs.flatMap(seriesOfRun) }))
    .filter(({ series }) => series.length > 0)
}

/** What sets the chart of a panel apart from those of the others. */
function namedChart({ title, suffix }: Panel, text: PanelText, series: number) {
  return {
    id: `${text.file}${suffix}`,
    title: title === '' ? text.title : `${text.title}, ${title}`,
    others: series > distinctStyles ? `${series - distinctStyles} more` : undefined,
  }
}

function seriesOf({ name, style }: AttackRun, boxes: readonly (Box | undefined)[]): BoxSeries[] {
  return boxes.some((box) => box !== undefined) ? [{ label: name, style, boxes }] : []
}

function linesOf({ name, style }: AttackRun, curve: Curve | undefined): ChartLine[] {
  return curve === undefined || curve.x.length === 0 ? [] : [{ label: name, style, curve: thinCurve(curve, bins) }]
}

function boxesText({ label, boxes }: BoxSeries, places: readonly string[]): string {
  const medians = boxes.flatMap((box, i) =>
    box === undefined ? [] : [`${distanceText(box.median)} at ${places[i] ?? ''}`],
  )
  return `${label}: medians ${medians.join(', ')}.`
}

function lineText({ label, curve }: ChartLine, { at, value }: LineFigureText): string {
  const last = curve.x.at(-1) ?? 0
  const half = valueAt(curve, last / 2)
  const start = Number.isFinite(half) ? `${value(half)} at ${at(last / 2)}, ` : ''
  return `${label}: ${start}${value(curve.y.at(-1) ?? 0)} at ${at(last)}.`
}

const shareLabel = 'fooled images'
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

/** The smallest change that fools, over all images; infinite if none does. */
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

/** Robust accuracy against the limit of an evaluation with several. */
export interface LimitPart {
  readonly figures: readonly Figure[]
  readonly section: Section | undefined
}

const reading =
  'Each limit is attacked with the whole budget, the largest first. An image that withstands a limit withstands the smaller ones, too; it counts as fooled within a limit only by a picture that was evaluated and lies within it. Bars are 95\u00a0% intervals (Wilson). At 0 is the clean accuracy.'

/** The figure and the table of robust accuracy against the limit; nothing if no evaluation has several limits. */
export function limitPart(runs: readonly AttackRun[], document: Document): LimitPart {
  const several = runs.filter(({ report }) => report.summary.limits !== undefined)
  if (several.length === 0) return { figures: [], section: undefined }
  const figures = (['linf', 'l2'] as const).flatMap((norm) => {
    const those = several.filter(({ report }) => normOf(report.summary) === norm)
    return those.length === 0 ? [] : [limitFigure(those, norm, document)]
  })
  const tables = several.map(({ name, report: { summary } }) => {
    const caption = `Robust accuracy within each limit${several.length > 1 ? `: ${name}` : ''}`
    return pageTable(caption, columns, summary.limits ?? [])
  })
  const content = html`${figuresMarkup(figures, '')}${tables}${remark(reading)}`
  return { figures, section: { id: 'limits', title: 'Robust accuracy against the limit', content } }
}

/** The norm in which the limits of an evaluation differ. */
function normOf({ limits = [] }: Pick<AttackSummary, 'limits'>): 'linf' | 'l2' {
  return new Set(limits.map(({ linf }) => linf)).size > 1 ? 'linf' : 'l2'
}

const columns: readonly PageColumn<LimitSummary>[] = [
  { title: 'Limit', cell: limitName },
  { title: 'Robust accuracy', numeric: true, cell: ({ robustAccuracy }) => shown.percent(robustAccuracy) },
  {
    title: '95\u00a0% interval',
    numeric: true,
    cell: ({ robustAccuracyInterval }) => intervalText(robustAccuracyInterval),
  },
  { title: 'Fooled', numeric: true, cell: ({ fooled }) => shown.effort(fooled) },
  { title: 'Withstood', numeric: true, cell: ({ robust }) => shown.effort(robust) },
  { title: 'Not measured', numeric: true, cell: ({ unmeasured }) => shown.effort(unmeasured) },
  { title: 'Queries', numeric: true, cell: ({ queries }) => shown.effort(queries) },
]

function limitFigure(runs: readonly AttackRun[], norm: 'linf' | 'l2', document: Document): Figure {
  const title = `Robust accuracy against the ${normNames[norm]} limit`
  return { file: `robust-accuracy-${norm}`, caption: title, chart: limitChart(runs, norm, { document, title }) }
}

interface Point {
  readonly x: number
  readonly y: number
  readonly low: number
  readonly high: number
}

function pointsOf({ report: { summary } }: AttackRun, norm: 'linf' | 'l2'): Point[] {
  const limits = (summary.limits ?? []).map(({ robustAccuracy, robustAccuracyInterval: [low, high], ...limit }) => {
    return { x: limit[norm] ?? 0, y: robustAccuracy, low, high }
  })
  const clean = summary.cleanAccuracy
  return [{ x: 0, y: clean, low: clean, high: clean }, ...limits].filter(({ y }) => Number.isFinite(y))
}

function limitChart(
  runs: readonly AttackRun[],
  norm: 'linf' | 'l2',
  text: Pick<ChartText, 'document' | 'title'>,
): Chart {
  const lines = runs.map((run) => ({ run, points: pointsOf(run, norm) }))
  const limits = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const marks = lines.flatMap(({ run, points }) => lineMarks(points, run.style.color))
  const description = lines.map(
    ({ run, points }) => `${run.name}: ${points.map(({ x, y }) => `${percentText(y)} at ${limitText(x)}`).join(', ')}.`,
  )
  return plotChart(
    {
      x: {
        domain: [0, 1.03 * (limits.at(-1) ?? 0) || 1],
        ticks: ticksOf(limits),
        places: limits.map((at) => ({ at, text: limitText(at) })),
      },
      y: shareScale,
      marks,
      entries: runs.map(({ name, style }) => ({ label: name, style })),
      series: lines.map(({ run, points }) => ({
        label: run.name,
        ...run.style,
        x: points.map(({ x }) => x),
        y: points.map(({ y }) => y),
        low: points.map(({ low }) => low),
        high: points.map(({ high }) => high),
      })),
    },
    {
      ...text,
      id: `robust-accuracy-${norm}`,
      description: description.join(' '),
      xLabel: `${normNames[norm]} limit`,
      yLabel: 'robust accuracy',
    },
  )
}

/** The limits themselves if they are few and apart; round numbers if not. */
function ticksOf(distinct: readonly number[]): readonly Tick[] {
  const end = distinct.at(-1) ?? 1
  const areApart = distinct.every((at, i) => i === 0 || at - (distinct[i - 1] as number) > 0.09 * end)
  if (distinct.length > 8 || !areApart) return linearTicks(0, end, 5)
  return distinct.map((at) => ({ at, text: limitText(at) }))
}

function lineMarks(points: readonly Point[], color: string): Plot.Markish[] {
  const at = { x: points.map(({ x }) => x), y: points.map(({ y }) => y) }
  const bars = points.filter(({ low, high }) => high > low)
  const length = points.length
  return [
    Plot.ruleX(
      { length: bars.length },
      {
        x: bars.map(({ x }) => x),
        y1: bars.map(({ low }) => low),
        y2: bars.map(({ high }) => high),
        stroke: color,
        strokeWidth: 5,
        strokeOpacity: 0.25,
      },
    ),
    Plot.line({ length }, { ...at, stroke: color, strokeWidth: 1.8 }),
    Plot.dot({ length }, { ...at, r: 3.2, fill: color }),
  ]
}
