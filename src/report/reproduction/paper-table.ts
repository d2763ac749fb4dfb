import { html, type Markup, type Piece } from '../markup.ts'
import { numberMarkup } from '../number-text.ts'
import { pageTable } from '../page/table.ts'
import { shortNumber } from '../table.ts'

/** A cell of a table: a number with all its digits, or words. */
export type PaperValue = string | number | null | undefined

/** A column of a table of a reproduction. */
export interface PaperColumn {
  readonly key: string
  readonly title: string
  /** How it is shown; words if left out. */
  readonly as?: 'number' | 'percent' | 'prose'
  /** Numbers of the paper, beside ours. */
  readonly paper?: boolean
}

/** A table of a reproduction. Tables of the same file go into one CSV. */
export interface PaperTable {
  readonly file: string
  readonly caption: string
  readonly columns: readonly PaperColumn[]
  readonly rows: readonly Readonly<Record<string, PaperValue>>[]
  /** Only for its file: the page shows it in another way. */
  readonly isHidden?: boolean
}

/** A table on a page. */
export function paperTableMarkup({ caption, columns, rows }: PaperTable): Markup {
  const pageColumns = columns.map(({ key, title, as, paper }) => ({
    title: paper === true ? html`<span class="theirs">${title}</span>` : html`${title}`,
    numeric: as === 'number' || as === 'percent',
    cell: (row: PaperTable['rows'][number]): Piece => {
      const value = row[key]
      // As the paper prints it.
      const isPrinted = paper === true && as === 'number' && typeof value === 'number'
      const shown = isPrinted ? numberMarkup(value, String(value)) : cellOf(value, as)
      return paper === true ? html`<span class="theirs">${shown}</span>` : shown
    },
  }))
  return pageTable(caption, pageColumns, rows)
}

function cellOf(value: PaperValue, as: PaperColumn['as']): Piece {
  if (value === null || value === undefined || value === '' || Number.isNaN(value))
    return html`<span class="none">–</span>`
  if (typeof value === 'string') return as === 'prose' ? html`<span class="prose">${value}</span>` : value
  if (as === 'percent') return numberMarkup(value, `${Number((100 * value).toFixed(1))}\u00a0%`)
  return numberMarkup(value, Number.isInteger(value) ? String(value) : shortNumber(value).replace(/\.?0+e/, 'e'))
}

/** Tables of the same columns as CSV, numbers with all their digits; what is missing is empty. */
export function paperTableCsv(tables: readonly PaperTable[]): string {
  const keys = [...new Set(tables.flatMap(({ columns }) => columns.map(({ key }) => key)))]
  const rows = tables.flatMap((table) => table.rows.map((row) => keys.map((key) => field(row[key])).join(',')))
  return `${[keys.join(','), ...rows].join('\n')}\n`
}

function field(value: PaperValue): string {
  const text = value === null || value === undefined || Number.isNaN(value) ? '' : String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
