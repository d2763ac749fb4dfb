import { join } from 'node:path'
import { encodeNumber, jsonOr, numberOf } from '../../optimizer/core/exact-json.ts'
import type { HistoryRecord } from '../../optimizer/core/types.ts'
import {
  attempt,
  type ByteRange,
  copied,
  type LaterFiles,
  RunFile,
  type Steps,
  type StoreFiles,
  writeAtomically,
} from './run-file.ts'
import { fileNames } from './run-folder.ts'

/** One iteration of a trace. */
export interface TraceRecord {
  readonly iteration: number
  /** Queries so far. */
  readonly queries: number
  /** The value at the iteration's point; NaN where there was none. */
  readonly value: number
  /** The best value so far; NaN before the first. */
  readonly best: number
  /** How long the run had been at work. */
  readonly seconds: number
}

/** One line of a trace: the bytes from `from` to `to`, its line break included; no record where it is damaged. */
export interface TraceLine {
  readonly from: number
  readonly to: number
  readonly record: TraceRecord | undefined
}

/** The fields of a line, in the order in which they are written. */
export const traceFields = ['iteration', 'queries', 'value', 'best', 'seconds'] as const

/** Bytes read at a time: a line that does not fit is damaged. */
const windowSize = 1 << 18

const whole = '(0|[1-9]\\d*)'
const number = '(-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|"(?:NaN|-?Infinity|-0)")'
const asWritten = new RegExp(
  `^\\{"iteration":${whole},"queries":${whole},"value":${number},"best":${number},"seconds":${number}\\}$`,
)

/**
 * The whole lines of a file from a byte on, read a window at a time. One of an iteration that is not later than that before
 * it counts as damaged; one that is still being written is left out.
 */
export function* traceLines(file: RunFile, start = 0, end = file.size): Generator<TraceLine, void, void> {
  let latest = 0
  let from = start
  while (from < end) {
    const text = windowOf(file, from, end)
    let at = 0
    for (let stop = text.indexOf('\n'); stop >= 0; stop = text.indexOf('\n', at)) {
      const record = parseLine(text.slice(at, stop))
      const sound = record !== undefined && isCounted(record) && record.iteration > latest
      if (sound) latest = record.iteration
      yield { from: from + at, to: from + stop + 1, record: sound ? record : undefined }
      at = stop + 1
    }
    if (at === 0) {
      const to = nextLine(file, from + text.length, end)
      if (to === undefined) return
      yield { from, to, record: undefined }
      at = to - from
    }
    from += at
  }
}

function isCounted({ iteration, queries }: TraceRecord): boolean {
  return Number.isSafeInteger(iteration) && Number.isSafeInteger(queries)
}

function windowOf(file: RunFile, from: number, end: number): string {
  const room = Buffer.allocUnsafe(Math.min(windowSize, end - from))
  return room.toString('latin1', 0, file.read(room, from))
}

/** Where the line behind the one that a byte belongs to begins; undefined where it has no end. */
function nextLine(file: RunFile, from: number, end: number): number | undefined {
  for (let at = from; at < end; at += windowSize) {
    const stop = windowOf(file, at, end).indexOf('\n')
    if (stop >= 0) return at + stop + 1
  }
  return undefined
}

function parseLine(line: string): TraceRecord | undefined {
  const found = asWritten.exec(line)
  if (found === null) return parseJson(line)
  return {
    iteration: Number(found[1]),
    queries: Number(found[2]),
    value: unquoted(found[3] as string),
    best: unquoted(found[4] as string),
    seconds: unquoted(found[5] as string),
  }
}

function unquoted(text: string): number {
  return Number(text.charCodeAt(0) === 34 ? text.slice(1, -1) : text)
}

/** A line that says the same in another way than zeroth writes it. */
function parseJson(line: string): TraceRecord | undefined {
  const found = (jsonOr(line) ?? {}) as Record<string, unknown>
  if (Object.keys(found).length !== traceFields.length) return undefined
  const numbers = traceFields.map((field) => numberOf(found[field]))
  if (numbers.includes(undefined)) return undefined
  const [iteration, queries, value, best, seconds] = numbers as [number, number, number, number, number]
  return { iteration, queries, value, best, seconds }
}

/** Lines wait for each other this many milliseconds or until there are so many bytes: they can be made again anyway. */
const flushEvery = 100
const flushAt = 1 << 16

/** The trace being written: one JSON line per iteration. */
export class TraceFile {
  readonly #file: RunFile
  readonly #clock: () => number
  #bytes: number
  #waiting = ''
  #flushedAt: number

  constructor(file: RunFile, bytes: number, clock: () => number) {
    this.#file = file
    this.#bytes = bytes
    this.#clock = clock
    this.#flushedAt = clock()
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes
  }

  add({ iteration, queries, value, best }: HistoryRecord, seconds: number): void {
    const found = `"value":${JSON.stringify(encodeNumber(value))},"best":${JSON.stringify(encodeNumber(best))},"seconds":${rounded(seconds)}`
    this.#waiting += `{"iteration":${iteration},"queries":${queries},${found}}\n`
    if (this.#waiting.length >= flushAt || this.#clock() - this.#flushedAt >= flushEvery) this.flush()
  }

  flush(): void {
    const bytes = new TextEncoder().encode(this.#waiting)
    this.#waiting = ''
    this.#flushedAt = this.#clock()
    if (bytes.length === 0) return
    this.#file.append(bytes)
    this.#bytes += bytes.length
  }

  sync(): void {
    this.flush()
    this.#file.datasync()
  }

  /** The same beside the loop where there is a way. */
  *syncing(later: LaterFiles | undefined): Steps {
    this.flush()
    yield* this.#file.datasyncing(later)
  }

  close(): void {
    this.#file.close()
  }
}

/**
 * Opens the trace for writing behind what a checkpoint covers: its first `bytes` bytes. Where these are not all there, the
 * good lines up to `iteration` are kept, and a note says so.
 */
export function openTrace(
  files: StoreFiles,
  folder: string,
  covered: { readonly bytes: number; readonly iteration: number },
  clock: () => number,
): { trace: TraceFile; note: string | undefined } {
  const path = join(folder, fileNames.trace)
  const file = new RunFile(files, path, 'a+')
  // It may be new: what a checkpoint covers of it must not lose its name in a power cut.
  if (file.size === 0) attempt('fsync', folder, () => files.syncFolder(folder))
  if (endsLine(file, covered.bytes)) {
    file.truncate(covered.bytes)
    return { trace: new TraceFile(file, covered.bytes, clock), note: undefined }
  }
  const { kept, lines, dropped } = soundLines(file, covered.iteration)
  file.close()
  writeAtomically(files, path, copied(files, path, kept))
  const note = `${fileNames.trace} was damaged: ${lines} lines kept, ${dropped} dropped`
  const bytes = kept.reduce((sum, { from, to }) => sum + to - from, 0)
  return { trace: new TraceFile(new RunFile(files, path, 'a+'), bytes, clock), note }
}

/** Where the sound lines up to an iteration are, how many they are, and how many others there are. */
function soundLines(file: RunFile, upTo: number): { kept: readonly ByteRange[]; lines: number; dropped: number } {
  const kept: { from: number; to: number }[] = []
  let [lines, dropped] = [0, 0]
  for (const { from, to, record } of traceLines(file)) {
    if (record === undefined || record.iteration > upTo) {
      dropped++
      continue
    }
    const before = kept.at(-1)
    lines++
    if (before?.to === from) before.to = to
    else kept.push({ from, to })
  }
  return { kept, lines, dropped }
}

function endsLine(file: RunFile, bytes: number): boolean {
  if (bytes === 0) return true
  const last = new Uint8Array(1)
  return file.size >= bytes && file.read(last, bytes - 1) === 1 && last[0] === 10
}

/** To the microsecond: more digits would only make the file longer. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
