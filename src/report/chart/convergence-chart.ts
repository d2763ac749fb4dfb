import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { html, type Markup, trusted } from '../markup.ts'
import type { CurveStyle } from '../palette.ts'
import type { Curve } from './curve.ts'
import { type Framed, framed } from './framed.ts'
import { legend, legendHeight } from './legend.ts'
import { linearTicks, type Tick } from './ticks.ts'
import { placed, type ValueScale, valueScale } from './value-scale.ts'

/** One line of a chart, with a band around it where it stands for several runs. */
export interface ChartLine {
  readonly label: string
  readonly style: CurveStyle
  readonly curve: Curve & { readonly low?: Float64Array; readonly high?: Float64Array }
  /** Drawn behind the others, and thinly: what wavers more than it tells. */
  readonly faint?: boolean
}

/** What a chart says beside its lines. */
export interface ChartText {
  /** A name for the file, unique on its page. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly xLabel: string
  readonly yLabel: string
  /** A value to be reached, drawn as a level. */
  readonly target?: number | undefined
  /** Said in the legend for lines that it does not name. */
  readonly others?: string | undefined
}

/** The drawing, and what its reader must know. */
export interface Chart extends Framed {
  readonly note: string | undefined
}

const width = 480
const plotHeight = 300
/** The width of a digit, about. */
const letter = 6.8
const margin = { top: 34, right: 24, bottom: 44, left: 62 }

/** Draws lines against their progress, in colours that are CSS variables. */
export function convergenceChart(lines: readonly ChartLine[], text: ChartText): Chart {
  const scale = valueScale(
    lines.flatMap(({ curve }) => shownValues(curve)),
    lines.map(laterValues),
  )
  const height = plotHeight + legendHeight(lines, text.others)
  const content = html`${trusted(drawing(lines, scale, text.target))}${axisTitles(text)}
    <g transform="translate(${margin.left},${plotHeight + 6})">${legend(lines, text.others)}</g>`
  return { note: scale.note, ...framed(content, { ...text, width, height }) }
}

function drawing(lines: readonly ChartLine[], scale: ValueScale, target: number | undefined): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const end = Math.max(...lines.map(({ curve }) => curve.x[curve.x.length - 1] ?? 0))
  const xTicks = linearTicks(0, end, 5)
  const axis = { tickSize: 0, label: null, color: 'var(--muted)', fontSize: 12 }
  const figure = Plot.plot({
    document,
    width,
    height: plotHeight,
    marginTop: margin.top,
    marginRight: margin.right,
    marginBottom: margin.bottom,
    marginLeft: Math.max(margin.left, longest(scale.ticks) * letter + 14),
    x: { type: 'linear', domain: [0, end || 1] },
    y: { type: scale.type, domain: scale.domain },
    marks: [
      Plot.gridY(places(scale.ticks), { stroke: 'var(--rule)', strokeOpacity: 1 }),
      Plot.axisY(places(scale.ticks), { ...axis, text: texts(scale.ticks) }),
      Plot.axisX(places(xTicks), { ...axis, text: texts(xTicks), tickPadding: 7 }),
      Plot.ruleY([scale.domain[0]], { stroke: 'var(--muted)' }),
      lines.flatMap((line) => bandMark(line, scale)),
      [...lines].reverse().map((line) => lineMark(line, scale)),
      target === undefined ? [] : targetMark(target, scale),
    ],
  })
  figure.querySelector('style')?.remove()
  return figure.innerHTML
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

function axisTitles({ xLabel, yLabel }: ChartText): Markup {
  return html`<g fill="var(--muted)"><text x="0" y="18" text-anchor="start">${yLabel}</text><text x="${width - margin.right}" y="${plotHeight - 6}" text-anchor="end">${xLabel}</text></g>`
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

function longest(ticks: readonly Tick[]): number {
  return Math.max(0, ...ticks.map(({ text }) => text.length))
}

function places(ticks: readonly Tick[]): number[] {
  return ticks.map(({ at }) => at)
}

function texts(ticks: readonly Tick[]): string[] {
  return ticks.map(({ text }) => text)
}
