import { chartTable } from '../chart/chart-table.ts'
import type { Chart } from '../chart/plot-chart.ts'
import { html, type Markup } from '../markup.ts'
import { unfolding } from './elements.ts'

/** A drawing of a page: the file it is written into, and what stands below it. */
export interface Figure {
  readonly file: string
  readonly chart: Chart
  readonly caption: string
}

/** A drawing on a page, with its caption, what its reader must know, and its values in a table that unfolds. */
export function figureMarkup({ chart, caption }: Figure): Markup {
  const note = chart.note === undefined ? undefined : html` <span>${chart.note}</span>`
  const values = chart.data && unfolding(chartTable(chart.data, caption), 'Values', false)
  return html`<figure class="chart">${chart.inline}<figcaption>${caption}.${note}</figcaption>${values}</figure>\n`
}

/** Drawings side by side; a sentence where there are none. */
export function figuresMarkup(figures: readonly Figure[], none: string): Markup {
  return figures.length === 0 ? html`<p>${none}</p>\n` : html`<div class="figures">${figures.map(figureMarkup)}</div>\n`
}

/** The drawings as files that stand alone, by name. */
export function figureFiles(figures: readonly Figure[]): Readonly<Record<string, string>> {
  return Object.fromEntries(figures.map(({ file, chart }) => [file, chart.file]))
}
