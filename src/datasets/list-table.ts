import { type ClassLabels, classLabels, type Named } from './class-labels.ts'
import { type CsvTable, parseCsv } from './csv.ts'
import { dataError } from './data-error.ts'
import { pathWithin } from './path-within.ts'
import { readText } from './read-bytes.ts'

/** The images of a folder: paths below it, and their classes. */
export interface Listing extends ClassLabels {
  readonly files: readonly string[]
}

/** Which columns of a table to use. */
export interface TableColumns {
  readonly fileColumn: string
  readonly column?: string | undefined
}

const classColumns = ['index', 'label', 'class']
const maxTableBytes = 0x4000000

/** The images that a table names, each of which must exist, with the classes of one of its columns. */
export async function listTable(folder: string, table: string, columns: TableColumns): Promise<Listing> {
  const csv = parseCsv(await readText(table, maxTableBytes), table)
  const files = column(csv, table, columns.fileColumn)
  if (files.length === 0) throw dataError(table, 'names no images')
  checkDistinct(files)
  await checkPaths(folder, files)
  const classes = columns.column ?? classColumnOf(csv, table)
  const labels = classes === undefined ? { labels: [] } : classLabels(column(csv, table, classes))
  return { files: files.map(({ text }) => text), ...labels }
}

function column(csv: CsvTable, table: string, name: string): Named[] {
  const at = csv.columns.indexOf(name)
  if (at < 0) throw dataError(table, `has no column ${JSON.stringify(name)} (columns: ${csv.columns.join(', ')})`)
  return csv.rows.map(({ line, cells }) => ({ where: `${table} line ${line}`, text: cells[at] as string }))
}

/** A table of files alone has no classes; in any other, not to find them is more likely a mistake. */
function classColumnOf(csv: CsvTable, table: string): string | undefined {
  const found = classColumns.find((name) => csv.columns.includes(name))
  if (found !== undefined || csv.columns.length === 1) return found
  const expected = `has no column ${classColumns.join(', ')} (columns: ${csv.columns.join(', ')})`
  throw dataError(table, `${expected}; say with "column" which one holds the classes`)
}

function checkDistinct(files: readonly Named[]): void {
  const seen = new Map<string, string>()
  for (const { where, text } of files) {
    const before = seen.get(text)
    if (before !== undefined) throw dataError(where, `names ${JSON.stringify(text)} again, after ${before}`)
    seen.set(text, where)
  }
}

async function checkPaths(folder: string, files: readonly Named[]): Promise<void> {
  const paths = await Promise.allSettled(files.map(({ where, text }) => pathWithin(folder, text, where)))
  const bad = paths.find((path) => path.status === 'rejected')
  if (bad !== undefined) throw bad.reason
}
