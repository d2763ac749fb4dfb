import { html, type Markup, textOf, trusted } from '../markup.ts'
import { shortened } from '../number-text.ts'
import { type CurveStyle, distinctStyles, paletteCss } from '../palette.ts'
import { Plot } from '../plotting.ts'
import { type ChartAxis, type ChartData, type ChartSeries, linearTicks, type Tick, type ValueScale } from './axis.ts'

/** What a chart says beside what it draws, and the document that it is drawn in. */
export interface ChartText {
  readonly document: Document
  /** A name for the file, unique on its page. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly xLabel: string
  readonly yLabel: string
  /** Said in the legend for what it does not name. */
  readonly others?: string | undefined
  /** Units from side to side, for a page with less room than usual. */
  readonly width?: number | undefined
}

/** The drawing, what its reader must know, and what it shows in numbers. */
export interface Chart extends Framed {
  readonly note: string | undefined
  readonly data?: ChartData | undefined
}

/** What is drawn, and on which axes. */
export interface ChartContent {
  readonly x: {
    /** Linear if left out. */
    readonly type?: ValueScale['type']
    readonly domain: readonly [number, number]
    readonly ticks: readonly Tick[]
    readonly places?: ChartAxis['places']
    readonly whole?: ChartAxis['whole']
  }
  readonly y: ValueScale
  readonly marks: readonly Plot.Markish[]
  readonly entries: readonly LegendEntry[]
  /** The same as the marks, in numbers; left out if they would not say what is seen. */
  readonly series?: readonly ChartSeries[]
}

/** How wide a chart is, unless it is told. */
const chartWidth = 480
const plotHeight = 300
/** The width of a digit, about. */
const letter = 6.8
/** The same with the commas between them. */
const narrowLetter = 5.8
const margin = { top: 34, right: 24, bottom: 44, left: 62 }

/** How wide the part of a chart is in which marks lie, if the numbers beside it are short. */
export const plotWidth = chartWidth - margin.left - margin.right

/** How high it is. */
export const plotDepth = plotHeight - margin.top - margin.bottom

/** Draws marks on axes with a legend below, in colours that are CSS variables. */
export function plotChart(content: ChartContent, text: ChartText): Chart {
  const { width = chartWidth } = text
  const named = { entries: content.entries, others: text.others, width: width - margin.left - margin.right }
  const height = plotHeight + legendHeight(named)
  const frame = frameOf(content.y, width)
  const drawn = html`${trusted(drawing(content, frame, text))}${axisTitles(text)}
    <g transform="translate(${margin.left},${plotHeight + 6})">${legend(named)}</g>`
  const series = content.series?.slice(0, distinctStyles)
  const data = series && { frame, ...axesOf(content, text), series }
  return { note: content.y.note, data, ...framed(drawn, { ...text, width, height }) }
}

/** Round numbers along the lower edge, as many as there is room for. */
export function ticksAcross(
  from: number,
  to: number,
  { xLabel, width = chartWidth }: Pick<ChartText, 'xLabel' | 'width'>,
): Tick[] {
  const room = width - margin.left - margin.right
  const most = isCount(xLabel) ? to - from : Infinity
  const tries = [5, 4, 3, 2].map((about) => linearTicks(from, to, Math.min(about, most)))
  return tries.find((ticks) => ticks.length * (longest(ticks) * narrowLetter + 8) <= room) ?? (tries.at(-1) as Tick[])
}

function frameOf({ ticks }: ValueScale, width: number): ChartData['frame'] {
  const left = Math.max(margin.left, longest(ticks) * letter + 14)
  return { left, right: width - margin.right, top: margin.top, bottom: plotHeight - margin.bottom }
}

const counts = ['queries', 'iterations']

/** Whether an axis counts something: between its whole numbers there is nothing. */
function isCount(label: string): boolean {
  return counts.includes(label)
}

function axesOf({ x, y }: ChartContent, { xLabel, yLabel }: ChartText): Pick<ChartData, 'x' | 'y'> {
  const isWhole = isCount(xLabel)
  return {
    x: {
      ...{ label: xLabel, type: x.type ?? 'linear', domain: x.domain, whole: x.whole },
      ...{ ticks: x.ticks, places: x.places, isWhole },
    },
    y: { label: yLabel, type: y.type, domain: y.domain, ticks: y.ticks, unit: y.unit },
  }
}

function drawing(
  { x, y, marks }: ChartContent,
  frame: ChartData['frame'],
  { document, width = chartWidth }: ChartText,
): string {
  const axis = { tickSize: 0, label: null, color: 'var(--muted)', fontSize: 12 }
  const figure = Plot.plot({
    document,
    width,
    height: plotHeight,
    marginTop: margin.top,
    marginRight: margin.right,
    marginBottom: margin.bottom,
    marginLeft: frame.left,
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
  return withMarksApart(stripPlotMarkup(figure), frame, document).innerHTML
}

/** Puts all that lies within the axes into a drawing of its own, so that a page can zoom it by its `viewBox`. */
function withMarksApart<Drawing extends Element>(
  figure: Drawing,
  frame: ChartData['frame'],
  document: Document,
): Drawing {
  const { left, right, top, bottom } = frame
  const marks = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const [x, y, width, height] = [left, top, right - left, bottom - top].map(String) as [string, string, string, string]
  const viewBox = [x, y, width, height].join(' ')
  const attributes = { class: 'marks', x, y, width, height, viewBox, preserveAspectRatio: 'none', overflow: 'visible' }
  for (const [name, value] of Object.entries(attributes)) marks.setAttribute(name, value)
  const baseline = figure.querySelector('[data-mark="rule"]')
  while (baseline?.nextSibling) marks.append(baseline.nextSibling)
  figure.append(marks)
  return figure
}

/**
 * Takes away what a page may not have: Plot's style element, which a content security policy refuses, and its names of
 * groups, which screen readers may not be given. What a group draws stays to be seen in `data-mark`.
 */
function stripPlotMarkup<Drawing extends Element>(figure: Drawing): Drawing {
  figure.querySelector('style')?.remove()
  for (const group of figure.querySelectorAll('g[aria-label]')) {
    group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '')
    group.removeAttribute('aria-label')
  }
  return figure
}

function axisTitles({ xLabel, yLabel, width = chartWidth }: ChartText): Markup {
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

/** A drawing twice. */
export interface Framed {
  /** For a page, which brings the colours. */
  readonly inline: Markup
  /** For a file that stands alone. */
  readonly file: string
  /** For a larger drawing that it is a part of. */
  readonly part: { readonly content: Markup; readonly width: number; readonly height: number }
}

/** The size of a drawing, and its text for screen readers. */
export interface Frame {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly width: number
  readonly height: number
}

const filePad = 16
const font = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'

/** Puts a drawing into an SVG element. A file brings its colours and its paper, to be read on light and on dark. */
export function framed(content: Markup, frame: Frame): Framed {
  const { id, title, description, width, height } = frame
  const said = html`<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>`
  const file = html`<svg xmlns="http://www.w3.org/2000/svg" ${attributes(frame, filePad)}>${said}${background(frame)}${content}</svg>\n`
  const inline = html`<svg ${attributes(frame, 0)}>${said}${content}</svg>`
  return { inline, file: textOf(file), part: { content, width, height } }
}

function attributes({ id, width, height }: Frame, pad: number): Markup {
  const [w, h] = [width + 2 * pad, height + 2 * pad]
  return html`class="zeroth-chart" viewBox="${-pad} ${-pad} ${w} ${h}" width="${w}" height="${h}" role="img" aria-labelledby="${id}-title ${id}-desc" fill="var(--ink)" font-family="${font}" font-size="12" text-anchor="middle"`
}

function background({ width, height }: Frame): Markup {
  const [w, h] = [width + 2 * filePad, height + 2 * filePad]
  return html`<style>${trusted(paletteCss('.zeroth-chart'))}</style><rect x="${-filePad}" y="${-filePad}" width="${w}" height="${h}" fill="var(--paper)"/>`
}

/** The rows of a legend, and the names in them. */
const rowHeight = 19
const longestLabel = 56
const labelLetter = 6.4

/** What a legend needs to know of a line. */
export interface LegendEntry {
  readonly label: string
  readonly style: CurveStyle
  readonly faint?: boolean
}

/** The lines of a chart, what stands for those that have no name, and how wide their names may stand. */
interface Named {
  readonly entries: readonly LegendEntry[]
  readonly others?: string | undefined
  readonly width: number
}

/** The height a legend takes; a single line needs none. */
export function legendHeight(named: Named): number {
  const rows = Math.ceil(legendTexts(named).length / columns(named))
  return rows === 0 ? 0 : rows * rowHeight + 8
}

/** The lines by name, in rows below each other, side by side if the names are short. */
export function legend(named: Named): Markup {
  const perRow = columns(named)
  const items = legendTexts(named).map((text, i) => {
    const x = (i % perRow) * (named.width / perRow)
    const y = Math.floor(i / perRow) * rowHeight + 8
    const entry = i < distinctStyles ? named.entries[i] : undefined
    return html`<g transform="translate(${x},${y})">${swatch(entry)}<text x="28" y="4">${text}</text></g>`
  })
  return html`<g text-anchor="start">${items}</g>`
}

function swatch(entry: LegendEntry | undefined): Markup {
  const { color, dash } = entry?.style ?? { color: 'var(--muted)' }
  return html`<line x1="0" x2="20" y1="0" y2="0" stroke="${color}" stroke-width="${entry?.faint ? 1 : 2.4}" stroke-dasharray="${dash ?? 'none'}"/>`
}

function legendTexts({ entries, others, width }: Named): string[] {
  if (entries.length < 2) return []
  const most = Math.min(longestLabel, Math.floor(width / labelLetter) - 5)
  const labels = entries.slice(0, distinctStyles).map(({ label }) => shortened(label, most))
  return others === undefined ? labels : [...labels, others]
}

/** As many side by side as fit, but no more than fill the rows evenly. */
function columns(named: Named): number {
  const all = legendTexts(named)
  const widest = Math.max(1, ...all.map((text) => text.length)) * labelLetter + 40
  const fitting = Math.min(3, Math.max(1, Math.floor(named.width / widest)))
  return Math.ceil(all.length / Math.max(1, Math.ceil(all.length / fitting))) || 1
}
