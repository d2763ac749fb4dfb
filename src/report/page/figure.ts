import { type ChartData, rounded } from '../chart/chart-data.ts'
import { chartTable } from '../chart/chart-table.ts'
import type { Chart } from '../chart/plot-chart.ts'
import { html, type Markup, trusted } from '../markup.ts'
import { unfolding } from './elements.ts'

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

/** Drawings side by side; a sentence where there are none. */
export function figuresMarkup(figures: readonly Figure[], none: string): Markup {
  return figures.length === 0 ? html`<p>${none}</p>\n` : html`<div class="figures">${figures.map(figureMarkup)}</div>\n`
}

/** The drawings as files that stand alone, by name. */
export function figureFiles(figures: readonly Figure[]): Readonly<Record<string, string>> {
  return Object.fromEntries(figures.map(({ file, chart }) => [file, chart.file]))
}
