import { join } from 'node:path'
import { nodeFiles, openToRead, type RunFile, type StoreFiles } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type TraceLine, type TraceRecord, traceFields, traceLines } from './trace-file.ts'

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

/** How far a run is, by its trace; nothing is locked or repaired. */
export function runProgress(folder: string): RunProgress {
  return readProgress(nodeFiles, folder)
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

/** A stretch of iterations and which of them stand for it: its first and last, its lowest and highest value. */
interface Stretch {
  readonly first: TraceRecord
  last: TraceRecord
  lowest: TraceRecord
  highest: TraceRecord
}

/** What is left of a trace, and how many iterations it had. */
export interface ThinTrace {
  readonly records: readonly TraceRecord[]
  readonly length: number
}

const perStretch = 4
/** The fewest iterations a trace can be thinned to: two stretches and the best. */
export const leastPoints: number = 2 * perStretch + 1

/**
 * At most `points` iterations of a trace, in one pass and without holding more; all of them where there are no more. Of a
 * longer trace, stretches of equally many iterations keep their first, lowest, highest and last one; the first iteration
 * with the best value stays, too. What is kept depends on the trace and on `points` alone.
 */
export function thinTrace(records: Iterable<TraceRecord>, points: number): ThinTrace {
  const most = Math.floor((points - 1) / perStretch)
  let all: TraceRecord[] | undefined = []
  let stretches: Stretch[] = []
  let width = 1
  let length = 0
  let best: TraceRecord | undefined
  for (const record of records) {
    if (best === undefined || isBelow(record.best, best.best)) best = record
    const current = length++ % width === 0 ? undefined : stretches.at(-1)
    if (current === undefined) stretches.push({ first: record, last: record, lowest: record, highest: record })
    else extend(current, record)
    if (all !== undefined && all.push(record) > points) all = undefined
    if (stretches.length > most) {
      stretches = inPairs(stretches)
      width *= 2
    }
  }
  return { records: all ?? kept(stretches, best), length }
}

function kept(stretches: readonly Stretch[], best: TraceRecord | undefined): TraceRecord[] {
  const chosen = new Set(stretches.flatMap(({ first, lowest, highest, last }) => [first, lowest, highest, last]))
  if (best !== undefined) chosen.add(best)
  return [...chosen].sort((a, b) => a.iteration - b.iteration)
}

function extend(stretch: Stretch, record: TraceRecord): void {
  stretch.last = record
  if (isBelow(record.value, stretch.lowest.value)) stretch.lowest = record
  if (isBelow(-record.value, -stretch.highest.value)) stretch.highest = record
}

/** Stretches twice as long; an odd one at the end is not full yet. */
function inPairs(stretches: readonly Stretch[]): Stretch[] {
  const pairs: Stretch[] = []
  for (let i = 0; i < stretches.length; i += 2) {
    const [one, other] = [stretches[i] as Stretch, stretches[i + 1]]
    pairs.push(other === undefined ? one : joined(one, other))
  }
  return pairs
}

function joined(one: Stretch, other: Stretch): Stretch {
  return {
    first: one.first,
    last: other.last,
    lowest: isBelow(other.lowest.value, one.lowest.value) ? other.lowest : one.lowest,
    highest: isBelow(-other.highest.value, -one.highest.value) ? other.highest : one.highest,
  }
}

/** Whether a number is below another; what is not finite cannot be drawn, and counts as above all that is. */
function isBelow(one: number, other: number): boolean {
  return Number.isFinite(one) && !(Number.isFinite(other) && one >= other)
}
