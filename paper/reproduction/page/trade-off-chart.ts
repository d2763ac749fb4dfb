import { logTicks, roundedDown, roundedUp, type ValueScale } from '../../../src/app/report/chart/axis.ts'
import {
  type Chart,
  type ChartText,
  plotChart,
  plotDepth,
  plotWidth,
} from '../../../src/app/report/chart/plot-chart.ts'
import { type CurveStyle, curveStyle } from '../../../src/app/report/palette.ts'
import { Plot } from '../../../src/app/report/plotting.ts'
import { placeLabels } from './place-labels.ts'

/** A point of a trade-off: what is paid, and what is got. */
export interface TradeOffPoint {
  readonly x: number
  readonly y: number
  /** What stands beside it, where there is room. */
  readonly label: string
  /** Said when it is pointed at. */
  readonly text: string
  readonly isHollow: boolean
  readonly isLarge: boolean
}

/** One method: a curve over its settings, or points that bear its name where it has no style. */
export interface TradeOffSeries {
  readonly label: string
  /** Its number in the palette. */
  readonly style?: number | undefined
  readonly points: readonly TradeOffPoint[]
}

const radius = { usual: 3.2, large: 5 }

/** Draws curves through points on logarithmic axes, the first in front; only points above 0 on both can be drawn. */
export function tradeOffChart(series: readonly TradeOffSeries[], text: ChartText): Chart {
  const drawn = series.map((each) => ({ ...each, points: each.points.filter(isDrawable) }))
  const points = drawn.flatMap((each) => each.points)
  const axes = { x: logAxis(points.map((point) => point.x)), y: logAxis(points.map((point) => point.y)) }
  const named = drawn.filter(({ style, points: own }) => style !== undefined && own.length > 0)
  const entries = named.map(({ label, style }) => ({ label, style: styleOf(style) }))
  const marks = [...[...drawn].reverse().map(seriesMarks), labelMarks(drawn, axes)]
  return plotChart({ ...axes, marks, entries }, text)
}

/** Whether a point has a place on logarithmic axes. */
export function isDrawable({ x, y }: TradeOffPoint): boolean {
  return x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y)
}

const place = { x: 'x', y: 'y' }

function seriesMarks({ style, points }: TradeOffSeries): Plot.Markish {
  const { color, dash } = styleOf(style)
  return [
    Plot.line(points, { ...place, stroke: color, strokeWidth: 1.6, strokeDasharray: dash ?? 'none' }),
    Plot.dot(points, {
      ...place,
      r: { value: ({ isLarge }: TradeOffPoint) => (isLarge ? radius.large : radius.usual), scale: null },
      symbol: style === undefined ? 'diamond' : 'circle',
      stroke: color,
      strokeWidth: 1.6,
      fill: { value: ({ isHollow }: TradeOffPoint) => (isHollow ? 'var(--paper)' : color), scale: null },
      title: 'text',
    }),
  ]
}

/** Names of points without a legend, then settings as far as there is room. */
function labelMarks(series: readonly TradeOffSeries[], axes: { readonly x: ValueScale; readonly y: ValueScale }) {
  const at = ({ x, y }: TradeOffPoint) => ({
    x: share(axes.x, x) * plotWidth,
    y: (1 - share(axes.y, y)) * plotDepth,
  })
  const all = series.flatMap(({ label, style, points }) =>
    points.map((point) =>
      style === undefined
        ? { point, ...at(point), text: label, isNeeded: true }
        : { point, ...at(point), text: point.label },
    ),
  )
  const look = { fontSize: 10, fill: 'var(--muted)', stroke: 'var(--paper)', strokeWidth: 3 }
  return placeLabels(
    all.filter(({ text }) => text !== ''),
    all,
    plotWidth,
  ).map(({ point, text, dx, dy, anchor }) =>
    Plot.text([point], { ...place, ...look, dx, dy, textAnchor: anchor, text: () => text }),
  )
}

/** How far along an axis a value lies, from 0 to 1. */
function share({ domain: [low, high] }: ValueScale, value: number): number {
  return Math.log(value / low) / Math.log(high / low)
}

function styleOf(style: number | undefined): CurveStyle {
  return style === undefined ? { color: 'var(--ink)' } : curveStyle(style)
}

function logAxis(values: readonly number[]): ValueScale {
  const [low, high] = [roundedDown(Math.min(...values)), roundedUp(Math.max(...values))]
  const domain = low < high ? ([low, high] as const) : ([low / 2, 2 * low] as const)
  return { type: 'log', domain, ticks: logTicks(...domain) }
}
