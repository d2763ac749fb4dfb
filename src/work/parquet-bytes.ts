import { basename } from 'node:path'
import { ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { TraceRecord } from '../trace/index.ts'
import type { ExportedRun } from './export.ts'

/** Rows that are held, and written, together. */
const groupRows = 100_000

/** Histories as a Parquet file, a row group at a time; those of several runs with a column that names the run. */
export async function* parquetBytes(runs: readonly ExportedRun[]): AsyncGenerator<Uint8Array, void, void> {
  const several = runs.length > 1
  const writer = new ByteWriter()
  const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: groupColumns([], several) }) })
  for (const group of groupsOf(runs)) {
    file.write({
      columnData: groupColumns(group, several).map(({ name, data }) => ({ name, data })),
      rowGroupSize: groupRows,
    })
    yield taken(writer)
  }
  file.finish()
  yield taken(writer)
}

interface Row extends TraceRecord {
  readonly run: string
}

function* groupsOf(runs: readonly ExportedRun[]): Generator<Row[], void, void> {
  let rows: Row[] = []
  for (const { folder, records } of runs) {
    const run = basename(folder)
    for (const record of records()) {
      if (rows.push({ run, ...record }) < groupRows) continue
      yield rows
      rows = []
    }
  }
  if (rows.length > 0) yield rows
}

function groupColumns(rows: readonly Row[], several: boolean): ColumnSource[] {
  const counts = (['iteration', 'queries'] as const).map((name) => {
    const data = BigInt64Array.from(rows, (row) => BigInt(row[name]))
    return { name, data, type: 'INT64' as const, nullable: false }
  })
  const numbers = (['value', 'best', 'seconds'] as const).map((name) => {
    const data = Float64Array.from(rows, (row) => row[name])
    return { name, data, type: 'DOUBLE' as const, nullable: false }
  })
  const names = { name: 'run', data: rows.map(({ run }) => run), type: 'STRING' as const, nullable: false }
  return [...(several ? [names] : []), ...counts, ...numbers]
}

/** What a writer holds; it begins anew behind it. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}
