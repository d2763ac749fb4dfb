import { html, type Markup, type Piece } from '../markup.ts'

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
