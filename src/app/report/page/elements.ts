import { axisText, type ChartAxis, type ChartData, type ChartSeries, rounded, type Tick } from '../chart/axis.ts'
import { valueAt } from '../chart/curve.ts'
import type { Chart } from '../chart/plot-chart.ts'
import { html, type Markup, type Piece, trusted } from '../markup.ts'
import {
  countText,
  distanceText,
  effortText,
  exactNumber,
  type MaybeNumber,
  percentText,
  readableNumber,
  secondsText,
  shortened,
  someNames,
} from '../number-text.ts'
import type { CurveStyle } from '../palette.ts'

/** A part of a page under a heading of its own. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly content: Markup
  readonly className?: string
}

/** A number that matters, what it is, and a word on it. */
export interface Tile {
  readonly name: string
  readonly value: Piece
  readonly note?: Piece
}

/** The numbers that matter most, large and side by side. */
export function tiles(list: readonly Tile[]): Markup {
  const items = list.map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd>${value}${note === undefined ? undefined : html`<small>${note}</small>`}</dd></div>\n`,
  )
  return html`<dl class="tiles">\n${items}</dl>\n`
}

/** A name behind a sample of its line. */
export function lineName(name: string, { color, dash = 'none' }: CurveStyle): Markup {
  return html`<span class="group"><svg width="18" height="8" aria-hidden="true"><line x1="0" x2="18" y1="4" y2="4" stroke="${color}" stroke-width="3" stroke-dasharray="${dash}"/></svg> ${name}</span>`
}

/** A word with a colour that only underlines it; words without a look are plain. */
export function badge(word: string, looks: Readonly<Record<string, string>>): Markup {
  return html`<span class="badge ${Object.hasOwn(looks, word) ? looks[word] : 'plain'}">${word}</span>`
}

/** A small line below something; nothing if there is nothing to say. */
export function remark(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : html`<p class="remark">${text}</p>\n`
}

/** Says how many more there are than are shown; nothing if there are none. */
export function moreThanShown(more: number, what: string): Markup | undefined {
  return more > 0 ? remark(`${countText(more)} more ${what}`) : undefined
}

/** Something long behind a line that unfolds it; short things stand as they are. */
export function unfolding(content: Markup, summary: string, open: boolean): Markup {
  return open ? content : html`<details><summary>${summary}</summary>${content}</details>\n`
}

/** One column of a table of a page. */
export interface PageColumn<Row> {
  readonly title: Piece
  /** Numbers stand flush right. */
  readonly numeric?: boolean
  readonly cell: (row: Row) => Piece
}

/** A table whose first column names its rows. Where it is wider than the screen, it scrolls on its own. */
export function pageTable<Row>(caption: string, columns: readonly PageColumn<Row>[], rows: readonly Row[]): Markup {
  const [name, ...others] = columns
  if (name === undefined) return html``
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${className(column)}>${column.title}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${name.cell(row)}</th>${others.map((column) => html`<td${className(column)}>${column.cell(row)}</td>`)}</tr>\n`)}</tbody>
</table></div>\n`
}

/** A list of names and what they stand for. */
export function factTable(caption: string, facts: readonly (readonly [Piece, Piece])[]): Markup {
  return html`<table class="facts"><caption>${caption}</caption><tbody>${facts.map(([name, fact]) => html`<tr><th scope="row">${name}</th><td>${fact}</td></tr>\n`)}</tbody></table>\n`
}

function className({ numeric }: { readonly numeric?: boolean }): Markup {
  return numeric ? html` class="num"` : html``
}

/** A number for people that carries its exact self for programs and for the pointer. */
export function numberMarkup(value: number, text: string = readableNumber(value)): Markup {
  if (Number.isNaN(value)) return dash
  const exact = exactNumber(value)
  return exact === text
    ? html`<data value="${exact}">${text}</data>`
    : html`<data value="${exact}" title="${exact}">${text}</data>`
}

const dash = html`<span class="none">–</span>`

/** Numbers as a page shows them: a dash if there is none. */
export const shown = {
  value: orDash(readableNumber, (value) => !Number.isNaN(value)),
  count: orDash(countText),
  duration: orDash(secondsText),
  percent: orDash(percentText),
  effort: orDash(effortText),
  distance: orDash(distanceText),
}

function orDash(text: (value: number) => string, isShown: (value: number) => boolean = Number.isFinite) {
  return (value: MaybeNumber): Markup =>
    typeof value === 'number' && isShown(value) ? numberMarkup(value, text(value)) : dash
}

const mostMessages = 50
const longestMessage = 600
const mostMachines = 12

/** Something that was said, and by which run. */
export interface Message {
  readonly text: string
  readonly name: string
}

/** Each message once, with the runs it came from if there are several. */
export function messageList(messages: readonly Message[], runs: number): Markup {
  const named = groupedBy(messages, ({ text }) => text)
  const items = [...named].slice(0, mostMessages).map(([text, those]) => {
    const names = someNames([...new Set(those.map(({ name }) => name))])
    return html`<li>${shortened(text, longestMessage)}${runs === 1 ? undefined : html` <small>(${names})</small>`}</li>\n`
  })
  return html`<ul>\n${items}</ul>\n${moreThanShown(named.size - mostMessages, 'messages are not shown.')}`
}

/** What a run ran on. */
export interface RanOn {
  readonly name: string
  /** The version of zeroth. */
  readonly zeroth: string
  readonly machine: readonly (readonly [string, Piece])[]
}

/** Versions and machines, each combination once with the runs it stands for; `kind` is what a run is called. */
export function machineSection(runs: readonly RanOn[], kind: string): Section {
  const places = [...groupedBy(runs, ({ zeroth, machine }) => JSON.stringify([zeroth, machine])).values()]
  const all = runs.length === 1 ? `This ${kind}` : `All ${kind}s`
  const caption = (those: readonly RanOn[]): string =>
    places.length === 1 ? all : `${kind[0]?.toUpperCase()}${kind.slice(1)}s ${someNames(those.map(({ name }) => name))}`
  const tables = places.slice(0, mostMachines).map((those) => {
    const { zeroth, machine } = those[0] as RanOn
    return factTable(caption(those), [['zeroth', zeroth], ...machine])
  })
  const content = html`<div class="cards">${tables}</div>
${moreThanShown(places.length - mostMachines, 'machines are not shown.')}`
  return { id: 'machine', title: 'Machine and versions', content }
}

/** How to get the same numbers again. */
export function reproduceSection(content: Markup): Section {
  return { id: 'reproduce', title: 'How to reproduce', content }
}

/** Items by what they have in common, in the order in which that first occurs. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** A drawing of a page: the file it is written into, and what stands below it. */
export interface Figure {
  readonly file: string
  readonly chart: Chart
  readonly caption: string
}

/** A drawing on a page, with its caption, what its reader must know, and its values: for the pointer, and in a table. */
export function figureMarkup({ chart, caption }: Figure): Markup {
  const note = chart.note === undefined ? undefined : html` <span>${chart.note}</span>`
  const said = html`<figcaption>${caption}.${note}</figcaption>`
  if (chart.data === undefined) return html`<figure>${chart.inline}${said}</figure>\n`
  const data = rounded(chart.data)
  const values = unfolding(chartTable(data, caption), 'Values', false)
  return html`<figure class="chart"><div class="plot"><div class="drawing">${chart.inline}</div></div>${said}${jsonMarkup(data)}${values}</figure>\n`
}

/** Data for a script of the page: nothing in it can end its element. */
function jsonMarkup(data: ChartData): Markup {
  const text = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="application/json">${trusted(text)}</script>`
}

/** Drawings side by side; a sentence if there are none. */
export function figuresMarkup(figures: readonly Figure[], none: string): Markup {
  return figures.length === 0 ? html`<p>${none}</p>\n` : html`<div class="figures">${figures.map(figureMarkup)}</div>\n`
}

/** The drawings as files that stand alone, by name. */
export function figureFiles(figures: readonly Figure[]): Readonly<Record<string, string>> {
  return Object.fromEntries(figures.map(({ file, chart }) => [file, chart.file]))
}

const mostColumns = 3

/** The values of a chart at its ticks, as a table: for those who do not see it, and to copy. */
export function chartTable(data: ChartData, caption: string): Markup {
  const { x, y, series } = data
  const places = tablePlaces(data)
  if (series.length <= mostColumns) {
    const columns = series.map((each): PageColumn<Tick> => {
      return {
        title: each.label,
        numeric: true,
        cell: ({ at }) => html`${valueCell(each, at, y)}${bandCell(each, at, y)}`,
      }
    })
    return pageTable(caption, [{ title: x.label, cell: ({ text }) => text }, ...columns], places)
  }
  // Many lines stand below each other, or there would be no room for them.
  const columns = places.map(({ at, text }): PageColumn<ChartSeries> => {
    return { title: text, numeric: true, cell: (each) => valueCell(each, at, y) }
  })
  return pageTable(caption, [{ title: x.label, cell: ({ label }) => label }, ...columns], series)
}

/** Where a chart is read: at its own places, or at the ticks of its axis and at the end of its longest line. */
function tablePlaces({ x, series }: ChartData): readonly Tick[] {
  if (x.places !== undefined) return x.places
  const ends = series.map((each) => each.x.at(-1) ?? Number.NEGATIVE_INFINITY)
  const end = Math.min(x.domain[1], Math.max(...ends))
  const ticks = x.ticks.filter(({ at }) => at < end)
  return Number.isFinite(end) ? [...ticks, { at: end, text: axisText(x, end) }] : ticks
}

function valueCell(series: ChartSeries, at: number, axis: ChartAxis): Piece {
  const value = valueAt(series, at)
  return Number.isFinite(value) ? numberMarkup(value, axisText(axis, value)) : '–'
}

function bandCell({ x, low, high }: ChartSeries, at: number, axis: ChartAxis): Markup | undefined {
  if (low === undefined || high === undefined || !Number.isFinite(valueAt({ x, y: low }, at))) return undefined
  const [from, to] = [low, high].map((y) => axisText(axis, valueAt({ x, y }, at)))
  return from === to ? undefined : html` <small>(${from} to ${to})</small>`
}
