import { basename } from 'node:path'
import { ZerothError } from '../../index.ts'
import { encodeNumber, jsonSafe } from '../../optimizer/core/exact-json.ts'
import { type RunFacts, readOverview, type TraceRecord, traceRecords } from '../store/index.ts'
import { type ArrayOptions, exportAttack } from './evaluation/export-attack.ts'
import { isAttack, isRun, runsOf, runsPlace } from './folders.ts'
import { type Cell, type Column, csvLine, npyHeader, npyNumbers, parquetBytes } from './formats.ts'
import { readPoints } from './tuned.ts'

type Bytes = AsyncGenerator<Uint8Array, void, void>

/** A run to be written. */
export interface ExportedRun {
  readonly folder: string
  /** Its iterations, each time from the first: they need not fit into memory. */
  readonly records: () => Iterable<TraceRecord>
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
  /** Of a run whose variables have names, all settings it has tried, a row each, instead of its history. */
  readonly points?: boolean | undefined
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
  { warn = () => undefined, points = false, ...options }: ExportOptions = {},
): Promise<Bytes> {
  const places = [folders].flat().map(runsPlace)
  const [first = '', ...others] = places
  if (points) return exportPoints(places, format)
  if (others.length === 0 && isAttack(first)) return exportAttack(first, format, options)
  const [odd] = Object.entries(options).filter(([, value]) => value !== undefined)
  if (odd !== undefined) throw new ZerothError('invalid-option', `${odd[0]} is for attacks: ${first} is none`)
  const runs = (await Promise.all(places.map(runsOf))).flat().map((folder) => exportedRun(folder, warn))
  for (const { folder, facts } of runs) for (const problem of (await facts()).problems) warn(`${folder}: ${problem}`)
  return exporters[format](runs)
}

/** All settings that a run has tried, with what became of them. */
async function exportPoints([folder = '', ...others]: readonly string[], format: ExportFormat): Promise<Bytes> {
  const tried = others.length > 0 || !isRun(folder) ? undefined : await readPoints(folder)
  if (tried === undefined || format === 'npy') {
    const what = format === 'npy' ? 'csv, json and parquet, not for npy' : 'one run whose variables have names'
    throw new ZerothError('invalid-option', `points are for ${what}`)
  }
  const own = ['query', 'iteration', 'at', 'status', 'value', ...tried.details.slice(1), 'reason']
  const names = tried.names.map((name) => (own.includes(name) ? `variable ${name}` : name))
  const table = [...own.slice(0, 5), ...names, ...own.slice(5)]
  const rows = tried.points.map(({ query, iteration, at, status, value, values, details, reason }): Cell[] => {
    const numbers = [value, ...details.slice(1)].map((each) => (Number.isNaN(each) ? undefined : each))
    return [query, iteration, at, status, numbers[0], ...values, ...numbers.slice(1), reason]
  })
  const typed = table.map((name, i): Column => {
    const isNumber = name !== 'reason' && rows.every((row) => row[i] === undefined || typeof row[i] === 'number')
    return { name, type: i < 2 ? 'INT64' : isNumber ? 'DOUBLE' : 'STRING' }
  })
  if (format === 'parquet') return parquetBytes(typed, rows)
  if (format === 'csv') return inPieces([[table, ...rows].map(csvLine)])
  const all = rows.map((row) => Object.fromEntries(table.map((name, i) => [name, row[i]])))
  return inPieces([[`${JSON.stringify(all)}\n`]])
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
  parquet: (runs) => parquetBytes(historyColumns(runs.length > 1), historyRows(runs)),
  npy: npyPoints,
}

/** The names of the formats. */
export const exportFormats = Object.keys(exporters) as readonly ExportFormat[]

function historyColumns(several: boolean): Column[] {
  const isCount = (name: string): boolean => name === 'iteration' || name === 'queries'
  const own = columns.map((name): Column => {
    if (isCount(name)) return { name, type: 'INT64', nullable: false, encoding: 'DELTA_BINARY_PACKED' }
    return { name, type: 'DOUBLE', nullable: false, encoding: 'PLAIN' }
  })
  return several ? [{ name: 'run', type: 'STRING', nullable: false }, ...own] : own
}

function* historyRows(runs: readonly ExportedRun[]): Generator<Cell[], void, void> {
  for (const { folder, records } of runs) {
    const name = runs.length > 1 ? [basename(folder)] : []
    for (const record of records()) yield [...name, ...columns.map((column) => record[column])]
  }
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
async function* inPieces(texts: AsyncIterable<Iterable<string>> | Iterable<Iterable<string>>): Bytes {
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
