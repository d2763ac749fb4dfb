import { html, type Markup, type Piece } from '../../../src/app/report/markup.ts'
import { numberMarkup, pageTable } from '../../../src/app/report/page/elements.ts'
import { shortNumber } from '../../../src/app/report/table.ts'

/** A cell of a table: a number with all its digits, or words. */
export type PaperValue = string | number | null | undefined

/** A column of a table of a reproduction. */
export interface PaperColumn {
  readonly key: string
  readonly title: string
  /** How it is shown; words if left out. A mark is left empty where it is missing. */
  readonly as?: 'number' | 'percent' | 'rate' | 'prose' | 'mark'
  /** Numbers of the paper, beside ours. */
  readonly paper?: boolean
  /** Digits behind the point, as the paper prints them; whole numbers have none. */
  readonly digits?: number
  /** The column that says how far the interval of a number reaches to either side; shown behind it. */
  readonly plusMinus?: string
  /** Only for the file: the page says it once, in the caption. */
  readonly isHidden?: boolean
}

/** A row of a table. */
export type PaperRow = Readonly<Record<string, PaperValue>>

/** A table of a reproduction. Tables of the same file go into one CSV. */
export interface PaperTable {
  readonly file: string
  readonly caption: string
  readonly columns: readonly PaperColumn[]
  readonly rows: readonly PaperRow[]
  /** The column that says which rows stand out: those where it says something. */
  readonly emphasis?: string
  /** Only for its file: the page shows it in another way. */
  readonly isHidden?: boolean
}

/** A table on a page. */
export function paperTableMarkup({ caption, columns, rows, emphasis }: PaperTable): Markup {
  const pageColumns = shownColumns(columns).map((column) => ({
    title: column.paper === true ? html`<span class="theirs">${column.title}</span>` : html`${column.title}`,
    numeric: isNumeric(column),
    cell: (row: PaperRow): Piece => {
      const shown = cellMarkup(row, column)
      if (column.paper === true) return html`<span class="theirs">${shown}</span>`
      return isEmphatic(row, emphasis) ? html`<b>${shown}</b>` : shown
    },
  }))
  return pageTable(caption, pageColumns, rows)
}

/** The columns that a page has. */
export function shownColumns(columns: readonly PaperColumn[]): PaperColumn[] {
  return columns.filter(({ isHidden }) => isHidden !== true)
}

/** Whether a column holds numbers, which stand flush right. */
export function isNumeric({ as }: PaperColumn): boolean {
  return as === 'number' || as === 'percent' || as === 'rate'
}

/** Whether a row stands out. */
export function isEmphatic(row: PaperRow, emphasis: string | undefined): boolean {
  return emphasis !== undefined && !isMissing(row[emphasis])
}

/** What a row says in a column, as people read it, with its interval where it has one. */
export function rowText(row: PaperRow, column: PaperColumn): string {
  const text = cellText(row[column.key], column)
  const { plusMinus } = column
  if (plusMinus === undefined || isMissing(row[plusMinus])) return text
  return `${text}\u00a0±\u00a0${cellText(row[plusMinus], column).replace('\u00a0%', '')}`
}

/** A value as people read it: in few digits, those of the paper as they are printed. */
export function cellText(value: PaperValue, { as, paper, digits }: PaperColumn): string {
  if (isMissing(value)) return as === 'mark' ? '' : '–'
  if (typeof value !== 'number') return String(value)
  if (digits !== undefined && !Number.isInteger(value)) return value.toFixed(digits)
  if (as === 'percent') return `${Number((100 * value).toFixed(1))}\u00a0%`
  if (as === 'rate') return rateText(value)
  if (paper === true || Number.isInteger(value)) return String(value)
  return shortNumber(value).replace(/\.?0+e/, 'e')
}

/** Tables of the same columns as CSV, numbers with all their digits; what is missing is empty. */
export function paperTableCsv(tables: readonly PaperTable[]): string {
  const keys = [...new Set(tables.flatMap(({ columns }) => columns.map(({ key }) => key)))]
  const rows = tables.flatMap((table) => table.rows.map((row) => keys.map((key) => field(row[key])).join(',')))
  return `${[keys.join(','), ...rows].join('\n')}\n`
}

function cellMarkup(row: PaperRow, column: PaperColumn): Piece {
  const value = row[column.key]
  const text = rowText(row, column)
  if (isMissing(value)) return html`<span class="none">${text}</span>`
  if (typeof value === 'number') return numberMarkup(value, text)
  return column.as === 'prose' ? html`<span class="prose">${text}</span>` : text
}

/** Learning rates side by side: all small ones with an exponent. */
function rateText(rate: number): string {
  const digits = Number(rate.toPrecision(3))
  return digits < 0.01 ? digits.toExponential() : String(digits)
}

function isMissing(value: PaperValue): value is null | undefined | '' {
  return value === null || value === undefined || value === '' || Number.isNaN(value)
}

function field(value: PaperValue): string {
  const text = value === null || value === undefined || Number.isNaN(value) ? '' : String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
