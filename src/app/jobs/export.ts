import { basename } from 'node:path'
import { ZerothError } from '../../index.ts'
import { encodeNumber, jsonSafe } from '../../optimizer/core/exact-json.ts'
import { type RunFacts, readOverview, type TraceRecord, traceRecords } from '../store/index.ts'
import { type ArrayOptions, exportAttack } from './evaluation/export-attack.ts'
import { isAttack, runsOf, runsPlace } from './folders.ts'
import { npyHeader, npyNumbers, parquetBytes, type StoredHistory } from './formats.ts'

type Bytes = AsyncGenerator<Uint8Array, void, void>

/** A run to be written. */
export interface ExportedRun extends StoredHistory {
  readonly facts: () => Promise<RunFacts>
}

/** What runs and evaluations can be exported as: a table as `csv`, `json` or `parquet`, an array as `npy`. */
export type ExportFormat = 'csv' | 'json' | 'parquet' | 'npy'

/** The columns of a history, in the order of every table. */
const columns = ['iteration', 'queries', 'value', 'best', 'seconds'] as const
/** Characters that are written together. */
const pieceLength = 1 << 16

/** How jobs are exported. */
export interface ExportOptions extends ArrayOptions {
  /** Told what of a run could not be read and is left out. */
  readonly warn?: ((message: string) => void) | undefined
}

/**
 * Runs for other programs, as pieces of a file: those in the given folders, or in folders of series and tunings among them.
 * A file about several runs has a column more, which says whose row it is. One that cannot be read is told first. Of an
 * evaluation, its images as a table, or their pictures as an array.
 */
export async function exportJob(
  folders: string | readonly string[],
  format: ExportFormat,
  { warn = () => undefined, ...options }: ExportOptions = {},
): Promise<Bytes> {
  const places = [folders].flat().map(runsPlace)
  const [first = '', ...others] = places
  if (others.length === 0 && isAttack(first)) return exportAttack(first, format, options)
  const [odd] = Object.entries(options).filter(([, value]) => value !== undefined)
  if (odd !== undefined) throw new ZerothError('invalid-option', `${odd[0]} is for attacks: ${first} is none`)
  const runs = (await Promise.all(places.map(runsOf))).flat().map((folder) => exportedRun(folder, warn))
  for (const { folder, facts } of runs) for (const problem of (await facts()).problems) warn(`${folder}: ${problem}`)
  return exporters[format](runs)
}

function exportedRun(folder: string, warn: (message: string) => void): ExportedRun {
  let isTold = false
  return {
    folder,
    facts: () => readOverview(folder),
    *records() {
      const lost = yield* traceRecords(folder)
      if (lost === undefined || isTold) return
      isTold = true
      warn(`${folder}: ${lost}`)
    },
  }
}

/** How runs are written. */
export const exporters: Readonly<Record<ExportFormat, (runs: readonly ExportedRun[]) => Bytes>> = {
  csv: (runs) => inPieces(csvTexts(runs)),
  json: (runs) => inPieces(jsonTexts(runs)),
  parquet: parquetBytes,
  npy: npyPoints,
}

/** The names of the formats. */
export const exportFormats = Object.keys(exporters) as readonly ExportFormat[]

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
      // A running run may have got further in between.
      if (row === rows) break
      yield `${row++ > 0 ? ',' : ''}${jsonNumber(record[column])}`
    }
    if (i > 0 && row < rows) throw new ZerothError('invalid-data', `the trace of ${folder} changed while it was read`)
    rows = row
    yield ']'
  }
}

function jsonNumber(value: number): string {
  return JSON.stringify(encodeNumber(value))
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
