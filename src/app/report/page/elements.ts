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
import { type CurveStyle, paletteCss } from '../palette.ts'

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

/** The style of charts that can be read and zoomed; colours are those of the palette. */
export const chartCss = `.chart,.plot{position:relative}
.drawing{touch-action:pan-y;cursor:crosshair}
.drawing:focus-visible{outline:2px solid var(--link);outline-offset:4px;border-radius:.25rem}
.drawing>svg{display:block;overflow:visible;width:100%;height:auto;user-select:none}
.marks *{vector-effect:non-scaling-stroke}
.zoomed .marks{overflow:hidden}
.zoomed .marks [data-mark=text]{display:none}
.cursor{pointer-events:none}
.cursor path{fill:none;stroke:var(--muted)}
.cursor .dragged{stroke:none;fill:var(--c1);fill-opacity:.15}
.cursor circle{stroke:var(--paper)}
.readout{position:absolute;z-index:1;top:1.9rem;left:.25rem;max-width:95%;padding:.3rem .5rem;border:1px solid var(--rule);border-radius:.375rem;background:var(--paper);color:var(--ink);font-size:.75rem;line-height:1.5;pointer-events:none;opacity:.94}
.readout.right{left:auto;right:.25rem}
.readout div{display:flex;gap:.5em;align-items:center;color:var(--muted);white-space:nowrap;overflow:hidden}
.readout i{flex:none;width:.9em;height:.25em;border-radius:.1em}
.readout b{margin-left:auto;padding-left:.5em;font-weight:600;color:var(--ink);white-space:nowrap}
.tools{position:absolute;z-index:2;top:0;right:0;display:none;gap:.25rem}
.plot:hover .tools,.plot:focus-within .tools,.zoomed .tools{display:flex}
.tools button{min-height:1.5rem;padding:0 .5rem;border:1px solid var(--rule);border-radius:.25rem;background:var(--paper);color:var(--muted);font:inherit;font-size:.75rem;cursor:pointer}
.tools button:hover{color:var(--ink)}
@media print{.readout,.tools{display:none!important}}`

/** The style of a page: quiet type, both colour schemes, small screens and paper. */
export const pageCss = `${paletteCss(':root')}
${chartCss}
:root{color-scheme:light dark}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3.5rem}
header p{margin:.25rem 0;color:var(--muted)}
h1{margin:0;font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{margin:0 0 1rem;font-size:1.25rem;font-weight:650;letter-spacing:-.005em}
h3{margin:1.75rem 0 .5rem;font-size:1rem;font-weight:650}
.pair h3{margin:0 0 .5rem;font-size:.9375rem;font-weight:600}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0 0;padding:0;list-style:none;font-size:.875rem}
a{color:var(--link)}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
section{padding:2.25rem 0 0}
p{max-width:44rem;margin:.5rem 0}
.kicker{font-size:.8125rem;letter-spacing:.04em}
.about{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}
.about>*{overflow-wrap:anywhere}
header .summary{max-width:50rem;margin:1rem 0 0;color:var(--ink);font-size:1.0625rem;overflow-wrap:anywhere}
.badge{display:inline-block;padding:0 .55em;border:1px solid currentColor;border-radius:1em;font-size:.8125rem;line-height:1.5;white-space:nowrap;color:var(--muted)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--ink);background:var(--mark);border-color:transparent}
.notice{max-width:none;margin:1.5rem 0 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--mark)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.75rem;margin:0}
.tiles>div{padding:.9rem 1rem;border-radius:.5rem;background:var(--panel);min-width:0}
.tiles>div:first-child{box-shadow:inset 3px 0 0 var(--c1)}
dt{color:var(--muted);font-size:.875rem}
dd{margin:.1rem 0 0;font-size:1.375rem;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
dd .words{font-size:1.0625rem}
dd small{display:block;margin-top:.15rem;font-size:.8125rem;font-weight:400;color:var(--muted)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 2.5rem}
.entries{font-size:.875rem;color:var(--muted);overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem 2rem}
figure{margin:0;min-width:0}
figure>svg{display:block;overflow:visible;width:100%;height:auto}
figcaption{margin-top:.35rem;font-size:.875rem;color:var(--muted)}
.scroll{overflow-x:auto;margin:0 0 1.5rem;background:linear-gradient(to right,var(--paper) 40%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(to left,var(--paper) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(to right,var(--shade),transparent) 0 0/.8rem 100% no-repeat,linear-gradient(to left,var(--shade),transparent) 100% 0/.8rem 100% no-repeat}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9375rem}
.scroll table{width:100%;font-size:.875rem}
caption{padding:0 0 .5rem;text-align:left;font-size:.875rem;color:var(--muted)}
th,td{padding:.45rem .9rem .45rem 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.8125rem;font-weight:600;color:var(--muted);border-bottom-color:var(--muted);vertical-align:bottom;line-height:1.3}
tbody th{font-weight:500}
.scroll th,.scroll td{padding-right:.7rem}
.scroll tbody th{min-width:5rem}
.badge{white-space:nowrap}
.num{text-align:right;white-space:nowrap}
.chart .num{white-space:normal}
.chart table{font-size:.8125rem}
td svg,th svg{vertical-align:middle}
.group{display:inline-flex;gap:.5rem;align-items:center}
.group svg{flex:none}
.point{font-size:.8125rem;color:var(--muted)}
.none{color:var(--muted)}
.cards{columns:3 18rem;column-gap:2.5rem}
.cards table{break-inside:avoid;margin-bottom:1.75rem}
.facts{width:100%}
.facts caption{padding-bottom:.25rem;font-size:.9375rem;font-weight:600;color:var(--ink)}
.facts th{width:45%;color:var(--muted);font-weight:400}
.facts td{overflow-wrap:anywhere}
.remark{font-size:.875rem;color:var(--muted)}
ul{margin:.5rem 0;padding-left:1.25rem}
li{overflow-wrap:anywhere}
mark{padding:0 .3em;border-radius:.25em;background:var(--mark);color:inherit}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
pre{margin:.5rem 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--panel);white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:.8125rem}
.hash{overflow-wrap:anywhere;font-size:.75rem}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--link)}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2.5rem;font-size:.8125rem;color:var(--muted)}
.verdict{max-width:none;margin:1rem 0 0;padding:.75rem 1rem;border-radius:.5rem;background:var(--panel)}
.verdict .badge{margin-right:.5rem}
.figures>figure:only-child{max-width:31rem}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:1rem}
.gallery>figure{padding:.75rem;border-radius:.5rem;background:var(--panel)}
.gallery figcaption{margin-top:.6rem;line-height:1.45}
.gallery strong{display:block;font-weight:600;color:var(--ink);overflow-wrap:anywhere}
.shots{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.5rem}
.shots.two{grid-template-columns:repeat(2,minmax(0,1fr))}
.shot{min-width:0;font-size:.8125rem;line-height:1.35;text-align:center;overflow-wrap:anywhere;color:var(--muted)}
.shot b{display:block;font-weight:600;color:var(--ink)}
.picture{display:block;width:100%;height:auto;margin-bottom:.3rem;border-radius:.2rem}
.squares{image-rendering:pixelated}
.missing{display:grid;place-items:center;aspect-ratio:1;margin-bottom:.3rem;border:1px dashed var(--rule);border-radius:.2rem}
.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(6.2rem,1fr));gap:1rem .6rem;margin:.25rem 0 1rem}
.compared{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:0 2rem}
.row .shot{text-align:left}.row .group{display:flex;min-height:1.35rem;margin-bottom:.2rem}
.solo{max-width:12rem;margin-bottom:1.5rem}
.wide{max-width:36rem}
details>.gallery{margin-top:1rem}
[data-pictures] .picture{cursor:zoom-in}
[data-pictures] button,dialog p button{min-height:1.5rem;padding:0 .6rem;border:1px solid var(--rule);border-radius:.25rem;background:var(--paper);color:var(--link);font:inherit;font-size:.8125rem;cursor:pointer}
.gallery figcaption button{float:right}
h3 button{margin-left:.5rem}
dialog{width:min(96vw,80rem);max-height:96vh;padding:1rem 1.5rem 1.5rem;border:1px solid var(--rule);border-radius:.5rem;background:var(--paper);color:var(--ink)}
dialog::backdrop{background:rgb(0 0 0/.6)}
dialog p{display:flex;gap:.5rem;max-width:none;margin:0 0 .75rem}
dialog p button:last-child{margin-left:auto}
dialog [data-pictures] button{display:none}
dialog .picture{cursor:auto;max-height:70vh;object-fit:contain}
dialog .shots{gap:1rem}
dialog .row{grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr))}
dialog figcaption{margin-top:1rem}
dialog strong{display:block}
.reason{display:block;white-space:normal;min-width:14rem;overflow-wrap:anywhere}
@media (max-width:40rem){.scroll td,.scroll .group{white-space:nowrap}.scroll thead th:first-child,.scroll tbody th{position:sticky;left:0;background:var(--paper)}dialog .shots{grid-template-columns:1fr}dialog .picture{max-height:none}main,header,footer{padding-left:1rem;padding-right:1rem}header{padding-top:2rem}h1{font-size:1.5rem}.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}dd{font-size:1.125rem}.tiles>div:first-child{grid-column:1/-1}}
@media print{nav{display:none}@page{margin:16mm}html{font-size:75%}main,header,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}.scroll{overflow:visible;background:none}.scroll th,.scroll td,.scroll .num,.scroll tbody th,.group,.point{white-space:normal}.scroll td,.scroll tbody th{overflow-wrap:anywhere}.scroll td.num{overflow-wrap:normal}th,td{padding-right:.5rem}tr,figure,.tiles>div,pre{break-inside:avoid}h2,h3,caption{break-after:avoid}.figures{grid-template-columns:1fr 1fr;gap:1rem}.tiles>div,pre{border:1px solid var(--rule)}details:not([open]){display:none}}
@media print{.methods table,.methods thead th{font-size:.6875rem}.methods .scroll td,.methods .scroll tbody th,.methods .group{overflow-wrap:normal;white-space:nowrap}.methods th,.methods td{padding-right:.35rem}.gallery{grid-template-columns:repeat(3,1fr)}.gallery>figure{border:1px solid var(--rule)}.picture{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
