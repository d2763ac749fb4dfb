const made = Symbol('markup')

/** Text that is markup already. Nothing read from a file can pass for it: its key is a symbol. */
export interface Markup {
  readonly [made]: string
}

/** What may stand in a template: markup as it is, all else as escaped text; nothing for `undefined`. */
export type Piece = Markup | string | number | undefined | readonly Piece[]

/** A template for HTML and SVG that escapes every value put into it, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return trusted(strings.reduce((text, string, i) => text + render(pieces[i - 1]) + string))
}

/** Takes a text for markup: only for text of our own making. */
export function trusted(text: string): Markup {
  return { [made]: text }
}

/** The text of a piece of markup. */
export function textOf(markup: Markup): string {
  return markup[made]
}

/**
 * A text in which no character means anything to HTML or XML. What neither of the two may hold, and what would make a
 * line read in another order than it is written, becomes a replacement character.
 */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, (character) =>
      character === '\n' || character === '\t' ? character : '\ufffd',
    )
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function render(piece: Piece): string {
  if (piece === undefined) return ''
  if (typeof piece === 'object') return made in piece ? piece[made] : piece.map(render).join('')
  return escaped(String(piece))
}
