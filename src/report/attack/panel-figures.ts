import { type Box, type BoxSeries, type BoxText, boxChart, drawnValues } from '../chart/box-chart.ts'
import { type ChartLine, convergenceChart, lineScale, progressEnd } from '../chart/convergence-chart.ts'
import { type Curve, thinCurve, valueAt } from '../chart/curve.ts'
import type { ChartText } from '../chart/plot-chart.ts'
import { type ValueScale, valueScale, zeroScale } from '../chart/value-scale.ts'
import { distanceText } from '../number-text.ts'
import type { Figure } from '../page/figure.ts'
import { distinctStyles } from '../palette.ts'
import type { AttackRun, Panel } from './attack-run.ts'

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

/** A box per evaluation and place, a figure per panel, all with the same axes; none where there is nothing to draw. */
export function boxFigures(
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

/** A line per evaluation, a figure per panel, all with the same axes; none where there is nothing to draw. */
export function lineFigures(
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
