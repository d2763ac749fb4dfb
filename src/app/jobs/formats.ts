import type { ColumnSource } from 'hyparquet-writer'

/** What a cell of a table may hold; what does not apply is empty. */
export type Cell = string | number | boolean | null | undefined

/** How the formulas of spreadsheets begin, and what they skip in front of one. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * A cell of a CSV table (RFC 4180) that a spreadsheet shows and never computes: a text that begins as a formula does gets
 * an apostrophe in front, as spreadsheets themselves mark text. Numbers stay as they are.
 */
export function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell)
  const isFormula = formula.test(cell) && (cell.trim() === '' || Number.isNaN(Number(cell)))
  const text = isFormula ? `'${cell}` : cell
  // Where the comma is the decimal sign, spreadsheets split at semicolons; many split at tabs.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of a CSV table. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Numbers of an array, as numpy calls them: float64, float32, int64, bytes. */
export type NumberFormat = '<f8' | '<f4' | '<i8' | '|u1'

/** What comes before the numbers of an array that numpy.load reads: format 1.0, little-endian, row by row. */
export function npyHeader(shape: readonly number[], format: NumberFormat = '<f8'): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const description = `{'descr': '${format}', 'fortran_order': False, 'shape': (${sizes}), }`
  // Magic, version and length take 10 bytes, the line ends with a line break, and all of it fills blocks of 64.
  const header = description.padEnd(64 * Math.ceil((description.length + 11) / 64) - 11)
  const length = header.length + 1
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, length & 255, length >> 8])
  return Buffer.concat([start, Buffer.from(`${header}\n`)])
}

/** Numbers as they follow the header. */
export function npyNumbers(numbers: readonly number[]): Uint8Array {
  const data = new DataView(new ArrayBuffer(8 * numbers.length))
  numbers.forEach((each, i) => {
    data.setFloat64(8 * i, each, true)
  })
  return new Uint8Array(data.buffer)
}

/** A column of a table, as Parquet has it. */
export type Column = Omit<ColumnSource, 'data'>

/** Rows that are held, and written, together. */
const groupRows = 1 << 16

/** A table as a Parquet file, a row group at a time: it need not fit into memory. */
export async function* parquetBytes(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
): AsyncGenerator<Uint8Array, void, void> {
  // Half a hundred modules that no other command waits for.
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer')
  const writer = new ByteWriter()
  const columnData = columns.map((column): ColumnSource & { data: unknown[] } => ({ ...column, data: [] }))
  const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData }) })
  const written = (): Uint8Array => {
    if (columnData.some(({ data }) => data.length > 0)) file.write({ columnData, rowGroupSize: groupRows })
    for (const { data } of columnData) data.length = 0
    const bytes = writer.getBytes().slice()
    writer.index = 0
    return bytes
  }
  for (const row of rows) {
    for (const [i, { type, data }] of columnData.entries()) data.push(stored(row[i], type))
    if ((columnData[0]?.data.length ?? 0) === groupRows) yield written()
  }
  yield written()
  file.finish()
  yield writer.getBytes().slice()
}

function stored(cell: Cell, type: Column['type']): unknown {
  if (cell === null || cell === undefined) return null
  return type === 'INT64' ? BigInt(cell) : type === 'STRING' ? String(cell) : type === 'DOUBLE' ? Number(cell) : cell
}
