import { basename } from 'node:path'
import { ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { TraceRecord } from '../trace/index.ts'

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

/** Histories as a Parquet file, a row group at a time; those of several runs with a column that names the run. */
export async function* parquetBytes(runs: readonly StoredHistory[]): AsyncGenerator<Uint8Array, void, void> {
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
