import { basename } from 'node:path'
import { jsonSafe } from '../core/json-safe.ts'
import { ZerothError } from '../index.ts'
import type { TraceRecord } from '../trace/index.ts'
import type { ExportedRun } from './exported-run.ts'
import { npyHeader, npyNumbers } from './npy-bytes.ts'
import { parquetBytes } from './parquet-bytes.ts'

type Bytes = AsyncGenerator<Uint8Array, void, void>

/** The columns of a history, in the order of every table. */
const columns = ['iteration', 'queries', 'value', 'best', 'seconds'] as const
/** Characters that are written together. */
const pieceLength = 1 << 16

/** How runs can be written for other programs; several have a column more, which says whose row it is. */
export const exportFormats: Readonly<Record<string, (runs: readonly ExportedRun[]) => Bytes>> = {
  csv: (runs) => inPieces(csvTexts(runs)),
  json: (runs) => inPieces(jsonTexts(runs)),
  parquet: parquetBytes,
  npy: npyPoints,
}

async function* csvTexts(runs: readonly ExportedRun[]): AsyncGenerator<Iterable<string>, void, void> {
  const several = runs.length > 1
  yield [`${[...(several ? ['run'] : []), ...columns].join(',')}\n`]
  for (const { folder, records } of runs) yield csvRows(several ? `${basename(folder)},` : '', records())
}

function* csvRows(name: string, records: Iterable<TraceRecord>): Generator<string, void, void> {
  for (const { iteration, queries, value, best, seconds } of records) {
    yield `${name}${iteration},${queries},${value},${best},${seconds}\n`
  }
}

async function* jsonTexts(runs: readonly ExportedRun[]): AsyncGenerator<Iterable<string>, void, void> {
  const several = runs.length > 1
  if (several) yield ['{"runs":[']
  for (const [i, run] of runs.entries()) {
    const { meta, status, result } = await run.facts()
    const facts = JSON.stringify(jsonSafe({ run: basename(run.folder), status, meta, result }))
    yield [`${i > 0 ? ',' : ''}${facts.slice(0, -1)},"history":{`]
    yield jsonColumns(run)
    yield ['}}']
  }
  yield [several ? ']}\n' : '\n']
}

/** The trace column by column: it is read once for each. */
function* jsonColumns({ folder, records }: ExportedRun): Generator<string, void, void> {
  let rows = Infinity
  for (const [i, column] of columns.entries()) {
    yield `${i > 0 ? ',' : ''}"${column}":[`
    let row = 0
    for (const record of records()) {
      // A run at work may have got further in between.
      if (row === rows) break
      yield `${row++ > 0 ? ',' : ''}${jsonNumber(record[column])}`
    }
    if (i > 0 && row < rows) throw new ZerothError('invalid-data', `the trace of ${folder} changed while it was read`)
    rows = row
    yield ']'
  }
}

function jsonNumber(value: number): string {
  return Number.isFinite(value) && !Object.is(value, -0) ? String(value) : JSON.stringify(jsonSafe(value))
}

async function* npyPoints(runs: readonly ExportedRun[]): Bytes {
  const dims: number[] = []
  for (const { folder, facts } of runs) {
    const { result } = await facts()
    if (result !== undefined) dims.push(result.point.length)
    else throw new ZerothError('invalid-data', `${folder} has no result yet: its best point is not known`)
  }
  const [dim = 0, ...others] = new Set(dims)
  if (others.length > 0) {
    const found = [dim, ...others].join(', ')
    throw new ZerothError('invalid-data', `npy: the points must have equally many variables, got ${found}`)
  }
  yield npyHeader(runs.length > 1 ? [runs.length, dim] : [dim])
  for (const { facts } of runs) yield npyNumbers((await facts()).result?.point ?? [])
}

/** Texts as bytes, many in a piece. */
async function* inPieces(texts: AsyncIterable<Iterable<string>>): Bytes {
  let waiting = ''
  for await (const some of texts) {
    for (const text of some) {
      waiting += text
      if (waiting.length < pieceLength) continue
      yield Buffer.from(waiting)
      waiting = ''
    }
  }
  yield Buffer.from(waiting)
}
