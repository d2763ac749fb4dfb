import { join } from 'node:path'
import type { HistoryRecord } from '../core/history.ts'
import { encodeNumber } from '../core/json-number.ts'
import { RunFile, readWhole, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import type { StoreFiles } from './store-files.ts'

/** The trace of a run, a column per field, a row per iteration. */
export interface TraceColumns {
  readonly iteration: Float64Array
  readonly queries: Float64Array
  readonly value: Float64Array
  readonly best: Float64Array
  readonly seconds: Float64Array
}

/** What stands for numbers that JSON cannot say. */
const words: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '-0']
const fields = ['iteration', 'queries', 'value', 'best', 'seconds'] as const

/** One line of a trace: the bytes it takes, the end of the line included, and what it says; undefined where it is damaged. */
export interface TraceLine {
  readonly bytes: Uint8Array
  readonly record: Readonly<Record<keyof TraceColumns, number>> | undefined
}

/** Lines wait for each other this many milliseconds or until there are so many bytes: they can be made again anyway. */
const flushEvery = 200
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
    const found = `"value":${json(value)},"best":${json(best)},"seconds":${rounded(seconds)}`
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
  if (endsLine(file, covered.bytes)) {
    file.truncate(covered.bytes)
    return { trace: new TraceFile(file, covered.bytes, clock), note: undefined }
  }
  file.close()
  const { kept, dropped } = keepLines(readWhole(files, path), covered.iteration)
  writeAtomically(files, path, kept)
  const note = `${fileNames.trace} was damaged: ${kept.length} lines kept, ${dropped} dropped`
  const bytes = kept.reduce((sum, line) => sum + line.length, 0)
  return { trace: new TraceFile(new RunFile(files, path, 'a+'), bytes, clock), note }
}

/** The columns of a trace, and how many of its lines could not be read. A line still being written counts as neither. */
export function readTrace(files: StoreFiles, folder: string): { columns: TraceColumns; damaged: number } {
  const lists = fields.map((): number[] => [])
  let damaged = 0
  for (const { record } of traceLines(readWhole(files, join(folder, fileNames.trace)))) {
    if (record === undefined) damaged++
    else fields.forEach((field, i) => void lists[i]?.push(record[field]))
  }
  const columns = Object.fromEntries(fields.map((field, i) => [field, Float64Array.from(lists[i] ?? [])]))
  return { columns: columns as unknown as TraceColumns, damaged }
}

/** The sound lines up to an iteration, and how many others there are. */
export function keepLines(bytes: Uint8Array | undefined, upTo = Infinity): { kept: Uint8Array[]; dropped: number } {
  const all = [...traceLines(bytes)]
  const kept = all.filter(({ record }) => record !== undefined && record.iteration <= upTo).map((line) => line.bytes)
  return { kept, dropped: all.length - kept.length }
}

/** All whole lines. One of an iteration that is not later than that before it counts as damaged. */
export function* traceLines(bytes: Uint8Array = new Uint8Array(0)): Generator<TraceLine, void, void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let latest = 0
  let from = 0
  for (let end = buffer.indexOf(10); end >= 0; end = buffer.indexOf(10, from)) {
    const record = parseLine(buffer.toString('latin1', from, end))
    const sound = record !== undefined && record.iteration > latest
    if (sound) latest = record.iteration
    yield { bytes: bytes.subarray(from, end + 1), record: sound ? record : undefined }
    from = end + 1
  }
}

function endsLine(file: RunFile, bytes: number): boolean {
  if (bytes === 0) return true
  const last = new Uint8Array(1)
  return file.size >= bytes && file.read(last, bytes - 1) === 1 && last[0] === 10
}

function parseLine(line: string): TraceLine['record'] {
  let found: Record<string, unknown>
  try {
    found = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof found !== 'object' || found === null || Object.keys(found).length !== fields.length) return undefined
  if (!fields.every((field) => typeof found[field] === 'number' || words.includes(found[field]))) return undefined
  const { iteration, queries, value, best, seconds } = found
  return {
    iteration: Number(iteration),
    queries: Number(queries),
    value: Number(value),
    best: Number(best),
    seconds: Number(seconds),
  }
}

function json(value: number): string {
  const encoded = encodeNumber(value)
  return typeof encoded === 'number' ? String(encoded) : `"${encoded}"`
}

/** To the microsecond: more digits would only make the file longer. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
