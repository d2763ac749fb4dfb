import { html, type Markup, type Piece } from '../markup.ts'

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
