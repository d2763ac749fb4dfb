import type { CurveStyle } from '../palette.ts'
import { Plot } from '../plotting.ts'
import type { ChartSeries } from './chart-data.ts'
import { type Curve, partOf } from './curve.ts'
import { type Chart, type ChartText, plotChart, ticksAcross } from './plot-chart.ts'
import { placed, type ValueScale, valueScale } from './value-scale.ts'

/** One line of a chart, with a band around it where it stands for several runs. */
export interface ChartLine {
  readonly label: string
  readonly style: CurveStyle
  readonly curve: Curve & { readonly low?: Float64Array; readonly high?: Float64Array }
  /** Drawn behind the others, and thinly: what wavers more than it tells. */
  readonly faint?: boolean
}

/** What a chart of lines says, and what it must not find out from the lines. */
export interface LineText extends ChartText {
  /** A value to be reached, drawn as a level. */
  readonly target?: number | undefined
  /** The scale of the values, where several charts share one. */
  readonly scale?: ValueScale | undefined
  /** Where the progress ends, where several charts shall end at the same. */
  readonly end?: number | undefined
  /** From where to where the progress is drawn, where that is not all of it. */
  readonly part?: readonly [number, number] | undefined
}

/** Draws lines against their progress. */
export function convergenceChart(lines: readonly ChartLine[], text: LineText): Chart {
  const all = [0, text.end ?? progressEnd(lines)] as const
  const { part } = text
  const seen = part === undefined ? lines : lines.map((line) => ({ ...line, curve: partOf(line.curve, part) }))
  const scale = text.scale ?? lineScale(seen)
  const [from, to] = part ?? all
  const domain = [from, to || 1] as const
  const x = { domain, ticks: ticksAcross(from, to, text), whole: part && all }
  const marks = lineMarks(seen, scale, text.target)
  return plotChart({ x, y: scale, marks, entries: lines, series: seen.map(lineSeries) }, text)
}

function lineSeries({ label, style, curve: { x, y, low, high } }: ChartLine): ChartSeries {
  const band = low === undefined || high === undefined ? {} : { low: [...low], high: [...high] }
  return { label, ...style, x: [...x], y: [...y], ...band }
}

/** The scale on which all values of some lines can be seen. */
export function lineScale(lines: readonly ChartLine[]): ValueScale {
  return valueScale(
    lines.flatMap(({ curve }) => shownValues(curve)),
    lines.map(laterValues),
  )
}

/** Where the longest of some lines ends. */
export function progressEnd(lines: readonly ChartLine[]): number {
  return Math.max(...lines.map(({ curve }) => curve.x[curve.x.length - 1] ?? 0))
}

function lineMarks(lines: readonly ChartLine[], scale: ValueScale, target: number | undefined): Plot.Markish[] {
  return [
    lines.flatMap((line) => bandMark(line, scale)),
    inFront(lines).map((line) => lineMark(line, scale)),
    target === undefined ? [] : targetMark(target, scale),
  ]
}

/** The first ones lie in front; dashed ones in front of all, where one of the same course shows between their dashes. */
function inFront(lines: readonly ChartLine[]): ChartLine[] {
  const isDashed = ({ style }: ChartLine): number => Number(style.dash !== undefined)
  return [...lines].reverse().sort((a, b) => isDashed(a) - isDashed(b))
}

function bandMark({ curve, style }: ChartLine, scale: ValueScale): Plot.Markish[] {
  const { x, low, high } = curve
  if (low === undefined || high === undefined) return []
  const band = { x, y1: onScale(low, scale), y2: onScale(high, scale), fill: style.color, fillOpacity: 0.16 }
  return [Plot.areaY({ length: x.length }, { ...band, curve: 'step-after' })]
}

function lineMark({ curve: { x, y }, style, faint }: ChartLine, scale: ValueScale): Plot.Markish {
  const look = { stroke: style.color, strokeDasharray: style.dash ?? 'none' }
  const weight = faint ? { strokeWidth: 0.8, strokeOpacity: 0.75 } : { strokeWidth: 1.8 }
  const curve = faint ? 'linear' : 'step-after'
  return Plot.line({ length: x.length }, { x, y: onScale(y, scale), ...look, ...weight, curve })
}

function targetMark(target: number, scale: ValueScale): Plot.Markish[] {
  const [low, high] = scale.domain
  if (target < low || target > high) return []
  return [
    Plot.ruleY([target], { stroke: 'var(--ink)', strokeDasharray: '2 3' }),
    Plot.text(['target'], { y: [target], frameAnchor: 'left', dx: 4, dy: -7, fill: 'var(--muted)' }),
  ]
}

function onScale(values: Float64Array, scale: ValueScale): Float64Array {
  return values.map((value) => placed(scale, value))
}

function shownValues({ y, low, high }: ChartLine['curve']): Float64Array[] {
  return [y, low ?? [], high ?? []].map((column) => Float64Array.from(column))
}

/** The values after the first twentieth of a line. */
function laterValues({ curve: { x, y } }: ChartLine): Float64Array {
  const first = x[0] ?? 0
  const from = first + ((x[x.length - 1] ?? 0) - first) / 20
  return y.filter((_, i) => (x[i] as number) >= from)
}
