import { join } from 'node:path'
import { z } from 'zod'
import type { HistoryRecord } from '../core/history.ts'
import { encodeNumber, numberJson } from '../core/json-number.ts'
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

const lineSchema = z.strictObject({
  iteration: z.int().min(0),
  queries: z.int().min(0),
  value: numberJson,
  best: numberJson,
  seconds: z.number(),
})

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
  const { lines, dropped } = goodLines(readWhole(files, path), covered.iteration)
  const kept = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
  writeAtomically(files, path, [kept])
  const note = `${fileNames.trace} was damaged: ${lines.length} lines kept, ${dropped} dropped`
  return { trace: new TraceFile(new RunFile(files, path, 'a+'), kept.length, clock), note }
}

/** The columns of a trace, and how many of its lines could not be read. A line still being written counts as neither. */
export function readTrace(files: StoreFiles, folder: string): { columns: TraceColumns; damaged: number } {
  const { parsed, dropped } = goodLines(readWhole(files, join(folder, fileNames.trace)))
  const column = (name: keyof TraceColumns) => Float64Array.from(parsed, (line) => Number(line[name]))
  const columns = {
    iteration: column('iteration'),
    queries: column('queries'),
    value: column('value'),
    best: column('best'),
    seconds: column('seconds'),
  }
  return { columns, damaged: dropped }
}

function endsLine(file: RunFile, bytes: number): boolean {
  if (bytes === 0) return true
  const last = new Uint8Array(1)
  return file.size >= bytes && file.read(last, bytes - 1) === 1 && last[0] === 10
}

/** The lines that can be read, each of a later iteration than the one before. */
export function goodLines(bytes: Uint8Array | undefined, upTo = Infinity) {
  const text = new TextDecoder().decode(bytes)
  const all = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
  const lines: string[] = []
  const parsed: z.output<typeof lineSchema>[] = []
  let latest = 0
  for (const line of all) {
    const found = parseLine(line)
    if (found === undefined || found.iteration <= latest || found.iteration > upTo) continue
    latest = found.iteration
    lines.push(line)
    parsed.push(found)
  }
  return { lines, parsed, dropped: all.length - lines.length }
}

function parseLine(line: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
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
