import { summarize } from '../../../optimizer/core/statistics.ts'
import type { CurveStyle } from '../palette.ts'
import { Plot } from '../plotting.ts'
import { type ChartSeries, placed, type Tick, type ValueScale, valueScale } from './axis.ts'
import { type Curve, partOf } from './curve.ts'
import { type Chart, type ChartText, plotChart, plotWidth, ticksAcross } from './plot-chart.ts'

/** One line of a chart, with a band around it if it stands for several runs. */
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
  /** The scale of the values, if several charts share one. */
  readonly scale?: ValueScale | undefined
  /** Where the progress ends, if several charts shall end at the same. */
  readonly end?: number | undefined
  /** From where to where the progress is drawn, if that is not all of it. */
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

/** The first ones lie in front; dashed ones in front of all, so that one of the same course shows between their dashes. */
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

/** How some values are spread, as a box with whiskers shows it. */
export interface Box {
  readonly count: number
  readonly median: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
  /** The furthest values that lie no more than 1.5 times the length of the box from it. */
  readonly whiskers: readonly [number, number]
  /** What lies beyond the whiskers, ascending. */
  readonly outliers: readonly number[]
  /** All values, ascending. */
  readonly values: readonly number[]
}

/** Boxes of one colour, one per place; none if there are no values. */
export interface BoxSeries {
  readonly label: string
  readonly style: CurveStyle
  readonly boxes: readonly (Box | undefined)[]
}

/** What a chart of boxes says, and how it draws. */
export interface BoxText extends ChartText {
  /** What the places along the axis are called. */
  readonly places: readonly string[]
  /** Which values are drawn as dots: all of them, or only those beyond the whiskers. */
  readonly dots: 'all' | 'outliers'
  readonly scale: ValueScale
}

/** The share of a place that boxes take. */
const filled = 0.8
const widest = 34
const letter = 6.8
const mostDots = { all: 60, outliers: 12 }

/** Draws boxes with whiskers at places along an axis, those of several series side by side. */
export function boxChart(series: readonly BoxSeries[], text: BoxText): Chart {
  const { places, scale } = text
  const marks = series.map((each, i) => boxMarks(slots(each, i, series.length, places.length, scale), each, text))
  const named = places.map((place, i) => ({ at: i + 0.5, text: place }))
  const x = { domain: [0, places.length] as const, ticks: placeTicks(places), places: named }
  return plotChart({ x, y: scale, marks, entries: series, series: series.map(boxValues) }, text)
}

/** The medians of a series, and the quartiles around them. */
function boxValues({ label, style, boxes }: BoxSeries): ChartSeries {
  const drawn = boxes.flatMap((box, i) => (box === undefined ? [] : [{ ...box, at: i + 0.5 }]))
  return {
    label,
    ...style,
    x: drawn.map(({ at }) => at),
    y: drawn.map(({ median }) => median),
    low: drawn.map(({ lowerQuartile }) => lowerQuartile),
    high: drawn.map(({ upperQuartile }) => upperQuartile),
  }
}

/** Everything of some series that is drawn: what their scale must show. */
export function drawnValues(series: readonly BoxSeries[], dots: BoxText['dots']): Float64Array[] {
  const boxes = series.flatMap((each) => each.boxes).filter((box) => box !== undefined)
  return boxes.map((box) => Float64Array.from([...box.whiskers, ...dotValues(box, dots)]))
}

/** A box and where it stands. */
interface Slot {
  readonly box: Box
  readonly x: number
  readonly x1: number
  readonly x2: number
  /** A value where it is drawn. */
  readonly y: (value: number) => number
}

function slots({ boxes }: BoxSeries, index: number, count: number, places: number, scale: ValueScale): Slot[] {
  const width = Math.min(filled / count, (widest * places) / plotWidth)
  const y = (value: number): number => placed(scale, value)
  return boxes.flatMap((box, place) => {
    if (box === undefined) return []
    const x = place + 0.5 + (index + 0.5 - count / 2) * width
    return [{ box, x, x1: x - 0.4 * width, x2: x + 0.4 * width, y }]
  })
}

function boxMarks(drawn: readonly Slot[], { style }: BoxSeries, { dots }: BoxText): Plot.Markish {
  const line = { stroke: style.color, strokeWidth: 1 }
  const dash = style.dash === undefined ? {} : { strokeDasharray: '2 2' }
  const of = (value: (box: Box) => number) => (slot: Slot) => slot.y(value(slot.box))
  const sides = { x1: 'x1', x2: 'x2' }
  return [
    Plot.ruleX(drawn, { x: 'x', y1: of((box) => box.whiskers[0]), y2: of((box) => box.whiskers[1]), ...line, ...dash }),
    Plot.rect(drawn, {
      ...sides,
      y1: of((b) => b.lowerQuartile),
      y2: of((b) => b.upperQuartile),
      fill: 'var(--paper)',
    }),
    Plot.rect(drawn, {
      ...sides,
      y1: of((box) => box.lowerQuartile),
      y2: of((box) => box.upperQuartile),
      fill: style.color,
      fillOpacity: style.dash === undefined ? 0.28 : 0.06,
      ...line,
      ...dash,
    }),
    Plot.dot(dotsOf(drawn, dots), {
      x: 'x',
      y: 'y',
      r: dots === 'all' ? 1.9 : 1.4,
      fill: style.color,
      fillOpacity: 0.6,
    }),
    Plot.ruleY(drawn, { ...sides, y: of((box) => box.median), stroke: style.color, strokeWidth: 2.4 }),
  ]
}

/** Dots of all values are spread over the box, so that equal ones can be told apart. */
function dotsOf(drawn: readonly Slot[], dots: BoxText['dots']): { x: number; y: number }[] {
  return drawn.flatMap(({ box, x, x1, x2, y }) =>
    dotValues(box, dots).map((value, i) => ({
      x: dots === 'all' ? x + (((i * 0.618034) % 1) - 0.5) * 0.8 * (x2 - x1) : x,
      y: y(value),
    })),
  )
}

function dotValues(box: Box, dots: BoxText['dots']): number[] {
  return evenly(dots === 'all' ? box.values : box.outliers, mostDots[dots])
}

/** The names of the places; if they would touch, only every second, third and so on, counted from the last. */
function placeTicks(places: readonly string[]): Tick[] {
  const longest = Math.max(1, ...places.map((place) => place.length)) * letter + 8
  const every = Math.max(1, Math.ceil((longest * places.length) / plotWidth))
  return places.flatMap((text, i) => ((places.length - 1 - i) % every === 0 ? [{ at: i + 0.5, text }] : []))
}

/** The box of the values that are finite; none if there are none. */
export function boxOf(all: readonly number[]): Box | undefined {
  const values = all.filter(Number.isFinite).sort((a, b) => a - b)
  if (values.length === 0) return undefined
  const { median, lowerQuartile, upperQuartile } = summarize(values)
  const reach = 1.5 * (upperQuartile - lowerQuartile)
  const isNear = (value: number): boolean => value >= lowerQuartile - reach && value <= upperQuartile + reach
  const near = values.filter(isNear)
  const whiskers = [Math.min(lowerQuartile, ...near.slice(0, 1)), Math.max(upperQuartile, ...near.slice(-1))] as const
  const outliers = values.filter((value) => !isNear(value))
  return { count: values.length, median, lowerQuartile, upperQuartile, whiskers, outliers, values }
}

/** At most that many of sorted values, evenly chosen, the first and the last among them. */
export function evenly(sorted: readonly number[], most: number): number[] {
  if (sorted.length <= most) return [...sorted]
  return Array.from({ length: most }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))] as number)
}
