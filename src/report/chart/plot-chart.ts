import { html, type Markup, trusted } from '../markup.ts'
import { Plot, parseHTML } from '../plotting.ts'
import { type Framed, framed } from './framed.ts'
import { type LegendEntry, legend, legendHeight } from './legend.ts'
import type { Tick } from './ticks.ts'
import type { ValueScale } from './value-scale.ts'

/** What a chart says beside what it draws. */
export interface ChartText {
  /** A name for the file, unique on its page. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly xLabel: string
  readonly yLabel: string
  /** Said in the legend for what it does not name. */
  readonly others?: string | undefined
}

/** The drawing, and what its reader must know. */
export interface Chart extends Framed {
  readonly note: string | undefined
}

/** What is drawn, and on which axes. */
export interface ChartContent {
  readonly x: {
    /** Linear if left out. */
    readonly type?: ValueScale['type']
    readonly domain: readonly [number, number]
    readonly ticks: readonly Tick[]
  }
  readonly y: ValueScale
  readonly marks: readonly Plot.Markish[]
  readonly entries: readonly LegendEntry[]
}

const width = 480
const plotHeight = 300
/** The width of a digit, about. */
const letter = 6.8
const margin = { top: 34, right: 24, bottom: 44, left: 62 }

/** How wide the part of a chart is in which marks lie, where the numbers beside it are short. */
export const plotWidth = width - margin.left - margin.right

/** How high it is. */
export const plotDepth = plotHeight - margin.top - margin.bottom

/** Draws marks on axes with a legend below, in colours that are CSS variables. */
export function plotChart(content: ChartContent, text: ChartText): Chart {
  const height = plotHeight + legendHeight(content.entries, text.others)
  const drawn = html`${trusted(drawing(content))}${axisTitles(text)}
    <g transform="translate(${margin.left},${plotHeight + 6})">${legend(content.entries, text.others)}</g>`
  return { note: content.y.note, ...framed(drawn, { ...text, width, height }) }
}

function drawing({ x, y, marks }: ChartContent): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const axis = { tickSize: 0, label: null, color: 'var(--muted)', fontSize: 12 }
  const figure = Plot.plot({
    document,
    width,
    height: plotHeight,
    marginTop: margin.top,
    marginRight: margin.right,
    marginBottom: margin.bottom,
    marginLeft: Math.max(margin.left, longest(y.ticks) * letter + 14),
    x: { type: x.type ?? 'linear', domain: x.domain },
    y: { type: y.type, domain: y.domain },
    marks: [
      Plot.gridY(places(y.ticks), { stroke: 'var(--rule)', strokeOpacity: 1 }),
      Plot.axisY(places(y.ticks), { ...axis, text: texts(y.ticks) }),
      Plot.axisX(places(x.ticks), { ...axis, text: texts(x.ticks), tickPadding: 7 }),
      Plot.ruleY([y.domain[0]], { stroke: 'var(--muted)' }),
      ...marks,
    ],
  })
  figure.querySelector('style')?.remove()
  return figure.innerHTML
}

function axisTitles({ xLabel, yLabel }: ChartText): Markup {
  return html`<g fill="var(--muted)"><text x="0" y="18" text-anchor="start">${yLabel}</text><text x="${width - margin.right}" y="${plotHeight - 6}" text-anchor="end">${xLabel}</text></g>`
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
