import { join } from 'node:path'
import { openToRead, type RunFile } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles, type StoreFiles } from './store-files.ts'
import { thinTrace } from './thin-trace.ts'
import { type TraceRecord, traceFields, traceLines } from './trace-lines.ts'

/** The trace of a run, a column per field, a row per iteration. */
export interface TraceColumns {
  readonly iteration: Float64Array
  readonly queries: Float64Array
  readonly value: Float64Array
  readonly best: Float64Array
  readonly seconds: Float64Array
}

/** How far a run is. */
export interface RunProgress {
  readonly iterations: number
  readonly queries: number
  /** The best value so far; NaN before the first. */
  readonly best: number
  readonly seconds: number
}

/** Bytes at the end of a trace among which its last line is searched. */
const tailLength = 4096

/** Bytes at the end of a trace from which it is followed. */
const followLength = 1 << 16

/**
 * The iterations of a run one after the other, in bounded memory however long its trace is; damaged lines are left out, and
 * in the end it returns a text that says how many they were. Of a run at work, those that were written when the first was asked for.
 */
export function* traceRecords(folder: string): Generator<TraceRecord, string | undefined, void> {
  return damagedText(yield* soundRecords(nodeFiles, folder))
}

function* soundRecords(files: StoreFiles, folder: string): Generator<TraceRecord, number, void> {
  let damaged = 0
  for (const { record } of linesOf(files, folder)) {
    if (record === undefined) damaged++
    else yield record
  }
  return damaged
}

/** That lines of a trace were left out, in words; undefined where none was. */
export function damagedText(lines: number): string | undefined {
  if (lines === 0) return undefined
  return `${lines === 1 ? '1 line' : `${lines} lines`} of ${fileNames.trace} ${lines === 1 ? 'is' : 'are'} damaged and left out`
}

/** What was added to a trace. */
export interface TraceTail {
  readonly records: readonly TraceRecord[]
  /** Where the next reading begins. */
  readonly to: number
}

/**
 * The iterations that were added to a trace behind a place, for a reader that follows a run. Without a place, those among
 * its last bytes. A trace that was cut back, as a run does when it is resumed, is read from its new end.
 */
export function traceTail(folder: string, from?: number): TraceTail {
  let to = 0
  const start = ({ size }: RunFile): number => {
    to = from === undefined ? Math.max(0, size - followLength) : Math.min(from, size)
    return to
  }
  const records: TraceRecord[] = []
  for (const line of linesOf(nodeFiles, folder, start)) {
    to = line.to
    if (line.record !== undefined) records.push(line.record)
  }
  return { records, to }
}

/**
 * The columns of a trace, thinned to `points` rows where it has more, how many it has, and how many of its lines could not
 * be read. A line still being written counts as neither.
 */
export function readTrace(
  files: StoreFiles,
  folder: string,
  points = Infinity,
): { columns: TraceColumns; length: number; damaged: number } {
  let damaged = 0
  function* sound(): Generator<TraceRecord, void, void> {
    damaged = yield* soundRecords(files, folder)
  }
  if (points === Infinity) {
    const columns = columnsOf(sound())
    return { columns, length: columns.iteration.length, damaged }
  }
  const { records, length } = thinTrace(sound(), points)
  return { columns: columnsOf(records), length, damaged }
}

function columnsOf(records: Iterable<TraceRecord>): TraceColumns {
  const lists = traceFields.map((): number[] => [])
  for (const record of records) traceFields.forEach((field, i) => void lists[i]?.push(record[field]))
  const columns = traceFields.map((field, i) => [field, Float64Array.from(lists[i] ?? [])])
  return Object.fromEntries(columns) as unknown as TraceColumns
}

/** How far the trace of a run has come, from its end alone: it may be long. */
export function readProgress(files: StoreFiles, folder: string): RunProgress {
  let last: TraceRecord | undefined
  for (const { record } of linesOf(files, folder, (file) => Math.max(0, file.size - tailLength))) last = record ?? last
  return {
    iterations: last?.iteration ?? 0,
    queries: last?.queries ?? 0,
    best: last?.best ?? Number.NaN,
    seconds: last?.seconds ?? 0,
  }
}

function* linesOf(
  files: StoreFiles,
  folder: string,
  start: (file: RunFile) => number = () => 0,
): ReturnType<typeof traceLines> {
  const file = openToRead(files, join(folder, fileNames.trace))
  if (file === undefined) return
  try {
    yield* traceLines(file, start(file))
  } finally {
    file.close()
  }
}
