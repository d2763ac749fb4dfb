import { dataError } from './data-error.ts'

/** A line of a table, with the number it has in its file: quoted cells may hold line breaks. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** A table with a header. */
export interface CsvTable {
  readonly columns: readonly string[]
  readonly rows: readonly CsvRow[]
}

/** Reads comma-separated values as RFC 4180 has them, any line ending allowed; blank lines are skipped. */
export function parseCsv(text: string, where: string): CsvTable {
  const [header, ...rows] = [...csvRows(text, where)]
  if (header === undefined) throw dataError(where, 'is empty, a line with the names of the columns is required')
  const columns = header.cells
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice !== undefined) throw dataError(where, `has two columns called ${JSON.stringify(twice)}`)
  const uneven = rows.find(({ cells }) => cells.length !== columns.length)
  if (uneven === undefined) return { columns, rows }
  throw dataError(`${where} line ${uneven.line}`, `has ${uneven.cells.length} cells, the header has ${columns.length}`)
}

function* csvRows(text: string, where: string): Generator<CsvRow> {
  let cells: string[] = []
  let first = 1
  let line = 1
  let at = 0
  while (at < text.length || cells.length > 0) {
    const end = text[at] === '"' ? endOfQuoted(text, at) : endOfPlain(text, at)
    if (end === undefined) throw badQuote(where, line, text[at] === '"')
    const raw = text.slice(at, end)
    const quoted = raw.startsWith('"')
    cells.push(quoted ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    line += raw.match(/\r\n|\n|\r/g)?.length ?? 0
    at = end + 1
    if (text[end] === ',') continue
    if (text[end] === '\r' && text[at] === '\n') at++
    if (cells.length > 1 || quoted || raw !== '') yield { line: first, cells }
    cells = []
    first = ++line
  }
}

/** Where the cell that begins at `at` ends: at a comma, at a line ending, or with the text. */
function endOfPlain(text: string, at: number): number | undefined {
  const stop = /[",\r\n]/g
  stop.lastIndex = at
  const end = stop.exec(text)?.index ?? text.length
  return text[end] === '"' ? undefined : end
}

function endOfQuoted(text: string, at: number): number | undefined {
  let close = text.indexOf('"', at + 1)
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  const follows = text[close + 1] ?? ','
  return close >= 0 && [',', '\r', '\n'].includes(follows) ? close + 1 : undefined
}

function badQuote(where: string, line: number, quoted: boolean) {
  const problem = quoted ? 'a quoted cell must be closed and end there' : 'a cell with quotes in it must be quoted'
  return dataError(`${where} line ${line}`, `${problem} (quotes inside it are written twice)`)
}
