import { valueScale } from '../../src/app/report/chart/axis.ts'
import { type Chart, type ChartText, plotChart } from '../../src/app/report/chart/plot-chart.ts'
import type { CurveStyle } from '../../src/app/report/palette.ts'
import { Plot } from '../../src/app/report/plotting.ts'
import type { Cell } from './cells.ts'
import type { Row } from './rows.ts'
import { medianDistance } from './summary.ts'
import { marks } from './tracker.ts'

/** A method in a chart. */
export interface Line {
  readonly label: string
  readonly style: CurveStyle
  readonly rows: readonly Row[]
}

/** Points of a line. */
export interface Curve {
  readonly x: readonly number[]
  readonly y: readonly number[]
}

/** The share of runs that succeeded, as it grows with the queries. */
export function successCurve(rows: readonly Row[], budget: number): Curve {
  const firsts = rows.flatMap(({ first }) => (first !== undefined && first <= budget ? [first] : []))
  const x = firsts.sort((a, b) => a - b)
  const y = x.map((_, i) => (i + 1) / rows.length)
  return { x: [1, ...x, budget], y: [0, ...y, y.at(-1) ?? 0] }
}

/** The median distance of the nearest success, from where half of the runs have one. */
export function distanceCurve(rows: readonly Row[], budget: number): Curve {
  const points = marks
    .filter((mark) => mark <= budget)
    .map((mark) => ({ mark, l2: medianDistance(rows, mark) }))
    .filter(({ l2 }) => Number.isFinite(l2))
  return { x: points.map(({ mark }) => mark), y: points.map(({ l2 }) => l2) }
}

/** Draws a cell: success against queries where there is a limit, the median distance where the nearest success is wanted. */
export function cellChart(cell: Cell, lines: readonly Line[], text: ChartText): Chart {
  return cell.limit === undefined ? distanceChart(cell, lines, text) : successChart(cell, lines, text)
}

function successChart({ budget }: Cell, lines: readonly Line[], text: ChartText): Chart {
  const curves = lines.map(({ rows }) => successCurve(rows, budget))
  return plotChart(
    {
      x: queryAxis(1, budget),
      y: { type: 'linear', domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: String(at) })) },
      marks: drawn(lines, curves, 'step-after'),
      entries: lines,
      series: seriesOf(lines, curves),
    },
    text,
  )
}

function distanceChart({ budget }: Cell, lines: readonly Line[], text: ChartText): Chart {
  const curves = lines.map(({ rows }) => distanceCurve(rows, budget))
  const y = valueScale(curves.map((curve) => Float64Array.from(curve.y)))
  const content = { x: queryAxis(10, budget), y, marks: drawn(lines, curves, 'linear'), entries: lines }
  return plotChart({ ...content, series: seriesOf(lines, curves) }, text)
}

function seriesOf(lines: readonly Line[], curves: readonly Curve[]) {
  return lines.map(({ label, style }, i) => ({ label, ...style, ...(curves[i] as Curve) }))
}

function queryAxis(from: number, budget: number) {
  const ticks = [1, 10, 100, 1000, 10_000]
    .filter((at) => at >= from && at <= budget)
    .map((at) => ({ at, text: at.toLocaleString('en') }))
  return { type: 'log', domain: [from, budget], ticks } as const
}

/** The first lines in front. */
function drawn(lines: readonly Line[], curves: readonly Curve[], curve: 'linear' | 'step-after') {
  return lines
    .map(({ style: { color, dash = 'none' } }, i) => {
      const { x, y } = curves[i] as Curve
      const look = { stroke: color, strokeDasharray: dash, strokeWidth: 1.8 }
      return Plot.line({ length: x.length }, { x, y, ...look, curve })
    })
    .toReversed()
}
