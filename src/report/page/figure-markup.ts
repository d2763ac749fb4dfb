import type { Chart } from '../chart/plot-chart.ts'
import { html, type Markup } from '../markup.ts'

/** A drawing of a page: the file it is written into, and what stands below it. */
export interface Figure {
  readonly file: string
  readonly chart: Chart
  readonly caption: string
}

/** A drawing on a page, with its caption and what its reader must know. */
export function figureMarkup({ chart, caption }: Figure): Markup {
  const note = chart.note === undefined ? undefined : html` <span>${chart.note}</span>`
  return html`<figure>${chart.inline}<figcaption>${caption}.${note}</figcaption></figure>\n`
}

/** The drawings as files that stand alone, by name. */
export function figureFiles(figures: readonly Figure[]): Readonly<Record<string, string>> {
  return Object.fromEntries(figures.map(({ file, chart }) => [file, chart.file]))
}
