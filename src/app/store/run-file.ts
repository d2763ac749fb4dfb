import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { ZerothError } from '../../optimizer/core/errors.ts'

/**
 * Work on files in steps: yields what must be awaited before it can go on. With a file system that does everything at once
 * it yields nothing, so that what is synchronous stays so.
 */
export type Steps = Generator<PromiseLike<unknown>, void, void>

/** Runs the steps, synchronously if none of them has to be awaited. */
export function syncOrAsync(steps: Steps): undefined | Promise<void> {
  const first = steps.next()
  return first.done === true ? undefined : takeRest(first.value, steps)
}

async function takeRest(first: PromiseLike<unknown>, steps: Steps): Promise<void> {
  for (let work = first; ; ) {
    try {
      await work
    } catch (error) {
      // Lets it close its files.
      steps.return()
      throw error
    }
    const next = steps.next()
    if (next.done === true) return
    work = next.value
  }
}

/** The calls with which a run reaches the file system, so that tests can let any of them fail. */
export interface StoreFiles {
  open(path: string, flags: 'r' | 'a+' | 'wx'): number
  close(file: number): void
  /** Reads into `bytes` and says how many there were; 0 at the end of the file. */
  read(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number
  /** Writes at the end of the file and says how many bytes it took, which may be fewer than given. */
  write(file: number, bytes: Uint8Array, offset: number, length: number): number
  size(file: number): number
  datasync(file: number): void
  truncate(file: number, length: number): void
  rename(from: string, to: string): void
  link(from: string, to: string): void
  unlink(path: string): void
  makeFolder(path: string): void
  list(path: string): string[]
  /** Makes renames and new files in a folder survive a power cut. */
  syncFolder(path: string): void
  /** The slow ones of these calls beside the loop; without them all is done at once. */
  readonly later?: LaterFiles | undefined
  /** What tells a folder from its copies: these have neither its number nor its path. */
  identity(path: string): { readonly inode: string; readonly path: string }
}

/** Calls that may take long, made by another thread while the run goes on. */
export interface LaterFiles {
  write(file: number, bytes: Uint8Array, offset: number, length: number): Promise<number>
  datasync(file: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  syncFolder(path: string): Promise<void>
}

const write = promisify(fs.write)

/** The file system of Node. A record is appended at once: that costs a microsecond, a promise would cost more. */
export const nodeFiles: StoreFiles = {
  open: openOrdinary,
  close: fs.closeSync,
  read: fs.readSync,
  write: (file, bytes, offset, length) => fs.writeSync(file, bytes, offset, length),
  size: (file) => fs.fstatSync(file).size,
  datasync: fs.fdatasyncSync,
  truncate: fs.ftruncateSync,
  rename: fs.renameSync,
  link: fs.linkSync,
  unlink: fs.unlinkSync,
  makeFolder: (path) => {
    const first = fs.mkdirSync(path, { recursive: true })
    if (first !== undefined) nodeFiles.syncFolder(dirname(first))
  },
  list: (path) => fs.readdirSync(path),
  syncFolder,
  later: {
    write: async (file, bytes, offset, length) => (await write(file, bytes, offset, length, null)).bytesWritten,
    datasync: promisify(fs.fdatasync),
    rename: fs.promises.rename,
    syncFolder: syncFolderLater,
  },
  identity: (path) => ({ inode: String(fs.statSync(path, { bigint: true }).ino), path: fs.realpathSync(path) }),
}

function syncFolder(path: string): void {
  // Windows cannot open folders; its renames are in the journal of the file system anyway.
  if (process.platform === 'win32') return
  const folder = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

async function syncFolderLater(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await fs.promises.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = fs.constants
// Windows has neither.
const { O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants as Partial<typeof fs.constants>

/** How files are opened: at once, whatever they are, and never to write where a link leads. */
const openFlags = {
  r: O_RDONLY | O_NONBLOCK,
  'a+': O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW,
  wx: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const

/**
 * Opens an ordinary file. A folder may be a stranger's, or others may write into it: a pipe in it would be waited for without
 * end, a device might do anything, and what is written to a link changes a file elsewhere. All are refused.
 */
export function openOrdinary(path: string, flags: keyof typeof openFlags): number {
  let file: number
  try {
    file = fs.openSync(path, openFlags[flags], 0o666)
  } catch (error) {
    // What opening a link, or a pipe that nobody reads, is called.
    throw failedWith(error, 'ELOOP', 'ENXIO') ? extraordinary(path, error) : error
  }
  const found = fs.fstatSync(file)
  if (found.isFile()) return file
  fs.closeSync(file)
  throw extraordinary(path, found.isDirectory() ? Object.assign(new Error('it is a folder'), { code: 'EISDIR' }) : {})
}

function extraordinary(path: string, cause: unknown): ZerothError {
  return new ZerothError('storage-failed', `cannot open ${path}: it is no ordinary file`, { cause })
}

/** All bytes of an ordinary file; throws as `readFileSync` does if there is none. */
export function readOrdinary(path: string): Uint8Array {
  const file = openOrdinary(path, 'r')
  try {
    return fs.readFileSync(file)
  } finally {
    fs.closeSync(file)
  }
}

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

  constructor(files: StoreFiles, path: string, flags: 'r' | 'a+' | 'wx') {
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
  syncOrAsync(writingAtomically(files, path, parts))
}

/** The same in steps, beside the loop where there is a way. */
export function* writingAtomically(
  files: StoreFiles,
  path: string,
  parts: Iterable<Uint8Array>,
  later?: LaterFiles,
): Steps {
  const temporary = `${path}.tmp`
  const file = newFile(files, temporary)
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

/** A file that was not there before: what a killed process has left goes, and so does a link that somebody has put there. */
function newFile(files: StoreFiles, path: string): RunFile {
  try {
    return new RunFile(files, path, 'wx')
  } catch (error) {
    if (!failedWith(error, 'EEXIST')) throw error
    removeFile(files, path)
    return new RunFile(files, path, 'wx')
  }
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
