import { basename } from 'node:path'
import type { ByteWriter, ColumnSource } from 'hyparquet-writer'
import type { TraceRecord } from '../store/index.ts'

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

/** The history of a run, read piece by piece: it need not fit into memory. */
export interface StoredHistory {
  readonly folder: string
  /** Its iterations, each time from the first. */
  readonly records: () => Iterable<TraceRecord>
}

/** Rows that are held, and written, together. */
const groupRows = 1 << 16

/** Rows of a history, column by column. */
interface Group {
  readonly run: string[]
  readonly iteration: BigInt64Array
  readonly queries: BigInt64Array
  readonly value: Float64Array
  readonly best: Float64Array
  readonly seconds: Float64Array
}

const count = { type: 'INT64', nullable: false, encoding: 'DELTA_BINARY_PACKED' } as const
const number = { type: 'DOUBLE', nullable: false, encoding: 'PLAIN' } as const
const kinds: Readonly<Record<keyof Group, Omit<ColumnSource, 'name' | 'data'>>> = {
  run: { type: 'STRING', nullable: false },
  iteration: count,
  queries: count,
  value: number,
  best: number,
  seconds: number,
}

/** What writes Parquet files, loaded for whoever does: half a hundred modules that no other command waits for. */
export function loadParquet(): Promise<typeof import('hyparquet-writer')> {
  return import('hyparquet-writer')
}

/** Histories as a Parquet file, a row group at a time; those of several runs with a column that names the run. */
export async function* parquetBytes(runs: readonly StoredHistory[]): AsyncGenerator<Uint8Array, void, void> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await loadParquet()
  const isWanted = (name: string): boolean => name !== 'run' || runs.length > 1
  const writer = new ByteWriter()
  const schema = schemaFromColumnData({ columnData: columnsOf(roomFor(0)).filter(({ name }) => isWanted(name)) })
  const file = new ParquetWriter({ writer, schema })
  for (const group of groupsOf(runs)) {
    file.write({ columnData: columnsOf(group).filter(({ name }) => isWanted(name)), rowGroupSize: groupRows })
    yield taken(writer)
  }
  file.finish()
  yield taken(writer)
}

function columnsOf(group: Group): ColumnSource[] {
  return (Object.keys(kinds) as (keyof Group)[]).map((name) => ({ ...kinds[name], name, data: group[name] }))
}

/** The rows of all runs in groups, each of which is overwritten by the next. */
function* groupsOf(runs: readonly StoredHistory[]): Generator<Group, void, void> {
  const room = roomFor(groupRows)
  let rows = 0
  for (const { folder, records } of runs) {
    const run = basename(folder)
    for (const { iteration, queries, value, best, seconds } of records()) {
      room.run[rows] = run
      room.iteration[rows] = BigInt(iteration)
      room.queries[rows] = BigInt(queries)
      room.value[rows] = value
      room.best[rows] = best
      room.seconds[rows] = seconds
      if (++rows < groupRows) continue
      yield room
      rows = 0
    }
  }
  if (rows > 0) yield firstRows(room, rows)
}

function roomFor(rows: number) {
  const [iteration, queries] = [new BigInt64Array(rows), new BigInt64Array(rows)]
  const [value, best, seconds] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(rows)]
  return { run: new Array<string>(rows).fill(''), iteration, queries, value, best, seconds }
}

function firstRows({ run, iteration, queries, value, best, seconds }: Group, rows: number): Group {
  return {
    run: run.slice(0, rows),
    iteration: iteration.subarray(0, rows),
    queries: queries.subarray(0, rows),
    value: value.subarray(0, rows),
    best: best.subarray(0, rows),
    seconds: seconds.subarray(0, rows),
  }
}

/** What a writer holds; it begins anew behind it. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}
