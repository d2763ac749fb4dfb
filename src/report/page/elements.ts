import { html, type Markup, type Piece } from '../markup.ts'
import { countText } from '../number-text.ts'
import type { CurveStyle } from '../palette.ts'

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

/** A small line below something; nothing where there is nothing to say. */
export function remark(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : html`<p class="remark">${text}</p>\n`
}

/** Says how many more there are than are shown; nothing where there are none. */
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
