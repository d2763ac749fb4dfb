import { html, type Markup } from '../markup.ts'
import { type CurveStyle, distinctStyles } from '../palette.ts'
import { shortened } from '../shortened.ts'

/** What a legend needs to know of a line. */
export interface LegendEntry {
  readonly label: string
  readonly style: CurveStyle
  readonly faint?: boolean
}

const rowHeight = 19
const fullWidth = 394
const longest = 56
const letter = 6.4

/** The height a legend takes; a single line needs none. */
export function legendHeight(entries: readonly LegendEntry[], others?: string): number {
  const rows = Math.ceil(texts(entries, others).length / columns(entries, others))
  return rows === 0 ? 0 : rows * rowHeight + 8
}

/** The lines by name, in rows below each other, side by side where the names are short. */
export function legend(entries: readonly LegendEntry[], others?: string): Markup {
  const perRow = columns(entries, others)
  const items = texts(entries, others).map((text, i) => {
    const x = (i % perRow) * (fullWidth / perRow)
    const y = Math.floor(i / perRow) * rowHeight + 8
    const entry = i < distinctStyles ? entries[i] : undefined
    return html`<g transform="translate(${x},${y})">${swatch(entry)}<text x="28" y="4">${text}</text></g>`
  })
  return html`<g text-anchor="start">${items}</g>`
}

function swatch(entry: LegendEntry | undefined): Markup {
  const { color, dash } = entry?.style ?? { color: 'var(--muted)' }
  return html`<line x1="0" x2="20" y1="0" y2="0" stroke="${color}" stroke-width="${entry?.faint ? 1 : 2.4}" stroke-dasharray="${dash ?? 'none'}"/>`
}

function texts(entries: readonly LegendEntry[], others: string | undefined): string[] {
  if (entries.length < 2) return []
  const labels = entries.slice(0, distinctStyles).map(({ label }) => shortened(label, longest))
  return others === undefined ? labels : [...labels, others]
}

/** As many side by side as fit, but no more than fill the rows evenly. */
function columns(entries: readonly LegendEntry[], others: string | undefined): number {
  const all = texts(entries, others)
  const widest = Math.max(1, ...all.map((text) => text.length)) * letter + 40
  const fitting = Math.min(3, Math.max(1, Math.floor(fullWidth / widest)))
  return Math.ceil(all.length / Math.max(1, Math.ceil(all.length / fitting))) || 1
}
