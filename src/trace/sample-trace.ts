import { join } from 'node:path'
import { openToRead, type RunFile } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles } from './store-files.ts'
import { leastPoints, type ThinTrace, thinTrace } from './thin-trace.ts'
import { type TraceLine, type TraceRecord, traceLines } from './trace-lines.ts'

/** Which part of a trace is read, and how much of it. */
export interface SampleOptions {
  /** Iterations at most, at least 9. */
  readonly points: number
  /** What `from` and `to` are about; it never falls from one iteration to the next. */
  readonly by?: 'iteration' | 'queries' | 'seconds'
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Bytes up to which every line is read. Beyond, one line at each of evenly spaced places is (default: 8 MB). */
  readonly mostBytes?: number | undefined
}

/** Bytes in which a line is found from any place. */
const lineWindow = 2048

const defaultBytes = 8 << 20

/**
 * Some iterations of a trace, however long it is, in bounded time: those between two places, thinned as `readRun` does where
 * that part is short, else one at each of evenly spaced places. The last one before `from` is among them, so that a curve
 * begins where it should. `length` is the number of the last iteration of the whole trace.
 */
export function sampleTrace(folder: string, options: SampleOptions): ThinTrace {
  const file = openToRead(nodeFiles, join(folder, fileNames.trace))
  if (file === undefined) return { records: [], length: 0 }
  try {
    const { points, by = 'queries', from = -Infinity, to = Infinity, mostBytes = defaultBytes } = options
    const { size } = file
    const start = from === -Infinity ? 0 : placeOf(file, size, by, from).below
    const end = to === Infinity ? size : placeOf(file, size, by, to).above
    const most = Math.max(points, leastPoints)
    const records = end - start <= mostBytes ? thinned(file, start, end, most) : spaced(file, start, end, most)
    return { records: within(records, by, from, to), length: lastOf(file, size)?.iteration ?? 0 }
  } finally {
    file.close()
  }
}

function thinned(file: RunFile, start: number, end: number, points: number): readonly TraceRecord[] {
  function* sound(): Generator<TraceRecord, void, void> {
    for (const { record } of traceLines(file, start, end)) if (record !== undefined) yield record
  }
  return thinTrace(sound(), points).records
}

/** One iteration at each of evenly spaced places, and the last. */
function spaced(file: RunFile, start: number, end: number, points: number): TraceRecord[] {
  const found: TraceRecord[] = []
  const add = (record: TraceRecord | undefined): void => {
    if (record !== undefined && record.iteration > (found.at(-1)?.iteration ?? 0)) found.push(record)
  }
  for (let i = 0; i < points - 1; i++) {
    add(lineAt(file, start + Math.floor(((end - start) * i) / (points - 1)), end)?.record)
  }
  add(lastOf(file, end))
  return found
}

/** Bytes between which a field reaches a value. */
function placeOf(file: RunFile, size: number, by: keyof TraceRecord, value: number): { below: number; above: number } {
  let [below, above] = [0, size]
  while (above - below > lineWindow) {
    const middle = Math.floor((below + above) / 2)
    const line = lineAt(file, middle, size)
    if (line?.record === undefined || line.record[by] >= value) above = middle
    else below = line.from
  }
  // The line that reaches it may begin just before.
  return { below, above: lineAt(file, above, size)?.to ?? size }
}

/** The first whole line from a byte on. */
function lineAt(file: RunFile, at: number, size: number): TraceLine | undefined {
  for (const line of traceLines(file, at, Math.min(size, at + lineWindow))) {
    if (line.record !== undefined) return line
  }
  return undefined
}

function lastOf(file: RunFile, end: number): TraceRecord | undefined {
  let last: TraceRecord | undefined
  for (const { record } of traceLines(file, Math.max(0, end - lineWindow), end)) last = record ?? last
  return last
}

function within(records: readonly TraceRecord[], by: keyof TraceRecord, from: number, to: number): TraceRecord[] {
  const first = records.findLastIndex((record) => record[by] <= from)
  const last = records.findIndex((record) => record[by] > to)
  return records.slice(Math.max(0, first), last < 0 ? undefined : last + 1)
}
