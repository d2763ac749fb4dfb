import { join } from 'node:path'
import type { HistoryRecord } from '../core/history.ts'
import { encodeNumber } from '../core/json-number.ts'
import { attempt, type ByteRange, copied, RunFile, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import type { Steps } from './stepwise.ts'
import type { LaterFiles, StoreFiles } from './store-files.ts'
import { traceLines } from './trace-lines.ts'

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
export function soundLines(
  file: RunFile,
  upTo = Infinity,
): { kept: readonly ByteRange[]; lines: number; dropped: number } {
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

function json(value: number): string {
  const encoded = encodeNumber(value)
  return typeof encoded === 'number' ? String(encoded) : `"${encoded}"`
}

/** To the microsecond: more digits would only make the file longer. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
