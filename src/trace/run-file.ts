import { dirname } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { type Steps, takeSteps } from './stepwise.ts'
import { type LaterFiles, nodeFiles, type StoreFiles } from './store-files.ts'

/** Some bytes of a file, one after the other. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** Bytes read by one call at most: Node takes no more than 2 GB. */
const mostRead = 1 << 30
/** Bytes copied at a time. */
const pieceSize = 1 << 20

/** An open file that names itself in every error. */
export class RunFile {
  readonly path: string
  readonly #files: StoreFiles
  readonly #file: number
  #isOpen = true

  constructor(files: StoreFiles, path: string, flags: 'r' | 'a+' | 'w' | 'wx') {
    this.path = path
    this.#files = files
    this.#file = attempt('open', path, () => files.open(path, flags))
  }

  get size(): number {
    return attempt('stat', this.path, () => this.#files.size(this.#file))
  }

  /** Fills `bytes` from `position` on as far as the file goes; says how many bytes there were. */
  read(bytes: Uint8Array, position: number): number {
    return attempt('read', this.path, () => {
      let done = 0
      while (done < bytes.length) {
        const count = this.#files.read(
          this.#file,
          bytes,
          done,
          Math.min(mostRead, bytes.length - done),
          position + done,
        )
        if (count === 0) break
        done += count
      }
      return done
    })
  }

  /** Writes all bytes at the end. */
  append(bytes: Uint8Array): void {
    attempt('write', this.path, () => {
      let done = 0
      while (done < bytes.length) done += this.#files.write(this.#file, bytes, done, bytes.length - done)
    })
  }

  datasync(): void {
    attempt('fdatasync', this.path, () => this.#files.datasync(this.#file))
  }

  /** Writes all bytes at the end, beside the loop where there is a way. They must not change meanwhile. */
  *appending(bytes: Uint8Array, later: LaterFiles | undefined): Steps {
    if (later === undefined) return this.append(bytes)
    const file = this.#file
    yield attemptLater('write', this.path, async () => {
      let done = 0
      while (done < bytes.length) done += await later.write(file, bytes, done, bytes.length - done)
    })
  }

  *datasyncing(later: LaterFiles | undefined): Steps {
    if (later === undefined) return this.datasync()
    yield attemptLater('fdatasync', this.path, () => later.datasync(this.#file))
  }

  truncate(length: number): void {
    attempt('truncate', this.path, () => this.#files.truncate(this.#file, length))
  }

  /** Later calls do nothing. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    attempt('close', this.path, () => this.#files.close(this.#file))
  }
}

/** Does something to a file; an error says what and to which. */
export function attempt<T>(operation: string, path: string, call: () => T): T {
  try {
    return call()
  } catch (cause) {
    throw storageError(operation, path, cause)
  }
}

/** The same beside the loop. */
async function attemptLater(operation: string, path: string, call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (cause) {
    throw storageError(operation, path, cause)
  }
}

function storageError(operation: string, path: string, cause: unknown): ZerothError {
  if (cause instanceof ZerothError) return cause
  const why = cause instanceof Error ? cause.message.split(',')[0] : String(cause)
  return new ZerothError('storage-failed', `cannot ${operation} ${path}: ${why}`, { cause })
}

/** Whether a file operation failed in one of the given ways (`ENOENT`, `EEXIST`, ...). */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  const cause = error instanceof ZerothError ? error.cause : error
  return codes.includes((cause as { code?: string } | undefined)?.code ?? '')
}

/** A file opened for reading; undefined where there is none. */
export function openToRead(files: StoreFiles, path: string): RunFile | undefined {
  try {
    return new RunFile(files, path, 'r')
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined
    throw error
  }
}

/** All bytes of a file; undefined where there is none. */
export function readWhole(files: StoreFiles, path: string): Uint8Array | undefined {
  const file = openToRead(files, path)
  if (file === undefined) return undefined
  try {
    const bytes = new Uint8Array(file.size)
    return bytes.subarray(0, file.read(bytes, 0))
  } finally {
    file.close()
  }
}

/** What some ranges of a file hold, piece by piece; each piece is overwritten by the next. */
export function* copied(
  files: StoreFiles,
  path: string,
  ranges: Iterable<ByteRange>,
): Generator<Uint8Array, void, void> {
  const room = new Uint8Array(pieceSize)
  const file = new RunFile(files, path, 'r')
  try {
    for (const { from, to } of ranges) {
      for (let at = from; at < to; at += pieceSize) {
        yield room.subarray(0, file.read(room.subarray(0, Math.min(pieceSize, to - at)), at))
      }
    }
  } finally {
    file.close()
  }
}

/** Puts a file in its place so that at every moment, a power cut included, either the old or the whole new one is there. */
export function writeAtomically(files: StoreFiles, path: string, parts: Iterable<Uint8Array>): void {
  takeSteps(writingAtomically(files, path, parts))
}

/** The same in steps, beside the loop where there is a way. */
export function* writingAtomically(
  files: StoreFiles,
  path: string,
  parts: Iterable<Uint8Array>,
  later?: LaterFiles,
): Steps {
  const temporary = `${path}.tmp`
  const file = new RunFile(files, temporary, 'w')
  try {
    for (const part of parts) yield* file.appending(part, later)
    yield* file.datasyncing(later)
  } finally {
    file.close()
  }
  const folder = dirname(path)
  if (later === undefined) {
    attempt('rename', temporary, () => files.rename(temporary, path))
    attempt('fsync', folder, () => files.syncFolder(folder))
    return
  }
  yield attemptLater('rename', temporary, () => later.rename(temporary, path))
  yield attemptLater('fsync', folder, () => later.syncFolder(folder))
}

/** Removes a file if it is there. */
export function removeFile(files: StoreFiles, path: string): void {
  try {
    attempt('unlink', path, () => files.unlink(path))
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error
  }
}

/** Puts a file in its place so that at every moment, a power cut included, either the old or the whole new one is there. */
export function writeWholeFile(path: string, content: string | Uint8Array): void {
  writeAtomically(nodeFiles, path, [typeof content === 'string' ? new TextEncoder().encode(content) : content])
}

/** Takes all steps, also behind one that fails; then throws the first error. */
export function takeAllSteps(steps: readonly (() => void)[]): void {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
