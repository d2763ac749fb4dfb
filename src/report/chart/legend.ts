import { html, type Markup } from '../markup.ts'
import { shortened } from '../number-text.ts'
import { type CurveStyle, distinctStyles } from '../palette.ts'

/** The rows of a legend, and the names in them. */
const rowHeight = 19
const longestLabel = 56
const labelLetter = 6.4

/** What a legend needs to know of a line. */
export interface LegendEntry {
  readonly label: string
  readonly style: CurveStyle
  readonly faint?: boolean
}

/** The lines of a chart, what stands for those that have no name, and how wide their names may stand. */
interface Named {
  readonly entries: readonly LegendEntry[]
  readonly others?: string | undefined
  readonly width: number
}

/** The height a legend takes; a single line needs none. */
export function legendHeight(named: Named): number {
  const rows = Math.ceil(legendTexts(named).length / columns(named))
  return rows === 0 ? 0 : rows * rowHeight + 8
}

/** The lines by name, in rows below each other, side by side where the names are short. */
export function legend(named: Named): Markup {
  const perRow = columns(named)
  const items = legendTexts(named).map((text, i) => {
    const x = (i % perRow) * (named.width / perRow)
    const y = Math.floor(i / perRow) * rowHeight + 8
    const entry = i < distinctStyles ? named.entries[i] : undefined
    return html`<g transform="translate(${x},${y})">${swatch(entry)}<text x="28" y="4">${text}</text></g>`
  })
  return html`<g text-anchor="start">${items}</g>`
}

function swatch(entry: LegendEntry | undefined): Markup {
  const { color, dash } = entry?.style ?? { color: 'var(--muted)' }
  return html`<line x1="0" x2="20" y1="0" y2="0" stroke="${color}" stroke-width="${entry?.faint ? 1 : 2.4}" stroke-dasharray="${dash ?? 'none'}"/>`
}

function legendTexts({ entries, others, width }: Named): string[] {
  if (entries.length < 2) return []
  const most = Math.min(longestLabel, Math.floor(width / labelLetter) - 5)
  const labels = entries.slice(0, distinctStyles).map(({ label }) => shortened(label, most))
  return others === undefined ? labels : [...labels, others]
}

/** As many side by side as fit, but no more than fill the rows evenly. */
function columns(named: Named): number {
  const all = legendTexts(named)
  const widest = Math.max(1, ...all.map((text) => text.length)) * labelLetter + 40
  const fitting = Math.min(3, Math.max(1, Math.floor(named.width / widest)))
  return Math.ceil(all.length / Math.max(1, Math.ceil(all.length / fitting))) || 1
}
