import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ZerothError } from '../core/errors.ts'
import { isAlive, type ProcessIdentity, processIdentity, thisProcess } from './process-identity.ts'
import { attempt, failedWith, RunFile, readWhole, removeFile } from './run-file.ts'
import { parseObject } from './sealed-json.ts'
import type { StoreFiles } from './store-files.ts'

const lockSchema = processIdentity.extend({
  format: z.literal('zeroth-lock'),
  version: z.literal(1),
  /** The folder it was made in: a copy of the folder is not locked. */
  folder: z.strictObject({ inode: z.string().max(64), path: z.string() }),
  token: z.string().regex(/^[0-9a-f-]{36}$/),
})
type LockContent = z.output<typeof lockSchema>

/** The right to write into a run. */
export interface Lock {
  /** What was there before, in words; undefined for a run that was not locked. */
  readonly note: string | undefined
  /** Throws where another process has taken the lock, which it can only after it was deleted by hand. */
  check(): void
  /** Gives it back. Later calls do nothing. */
  release(): void
}

/** Where hard links do not work, a file is created exclusively instead. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
const maxAttempts = 100

/**
 * Takes the lock at `path`: exactly one process gets it, however many try at once. A lock whose process is gone is taken
 * over; one of a living process is refused, with its number.
 */
export function takeLock(files: StoreFiles, path: string): Lock {
  const own = {
    format: 'zeroth-lock',
    version: 1,
    ...thisProcess(),
    folder: attempt('stat', dirname(path), () => files.identity(dirname(path))),
    token: randomUUID(),
  } as const
  const release = (): void => {
    if (readLock(files, path)?.token === own.token) removeFile(files, path)
  }
  let note: string | undefined
  try {
    note = acquire(files, path, own)
  } catch (error) {
    bestEffort(release)
    throw error
  }
  let held = true
  return {
    note,
    check() {
      const now = readLock(files, path)
      if (now?.token === own.token) return
      throw new ZerothError('run-in-use', `${path} was ${now === undefined ? 'deleted' : `taken by ${holder(now)}`}`)
    },
    release() {
      if (held) release()
      held = false
    },
  }
}

/** Who holds a lock, if a living process does. */
export function lockHolder(files: StoreFiles, path: string): ProcessIdentity | undefined {
  const lock = readLock(files, path)
  return lock !== undefined && isHeld(files, path, lock) ? lock : undefined
}

/** Removes what processes that are gone left behind while they tried to get the lock. */
export function sweepLocks(files: StoreFiles, path: string): void {
  for (const name of attempt('list', dirname(path), () => files.list(dirname(path)))) {
    const left = join(dirname(path), name)
    if (left.startsWith(`${path}.`) && (lockIsDamaged(files, left) || lockHolder(files, left) === undefined)) {
      removeFile(files, left)
    }
  }
}

/** Whether the file at `path` is there but says nothing that could be believed. */
export function lockIsDamaged(files: StoreFiles, path: string): boolean {
  try {
    readLock(files, path)
    return false
  } catch (error) {
    if (error instanceof ZerothError && error.code === 'invalid-run') return true
    throw error
  }
}

function acquire(files: StoreFiles, path: string, own: LockContent): string | undefined {
  // A file of its own first: at its place the lock then appears with all it says, never empty.
  const waiting = `${path}.${own.token}`
  write(files, waiting, 'wx', own)
  try {
    for (let left = maxAttempts; left > 0; left--) {
      renew(files, waiting, own)
      if (place(files, waiting, path, own)) return undefined
      const found = readLock(files, path)
      if (found === undefined) continue
      if (isHeld(files, path, found)) throw new ZerothError('run-in-use', inUse(path, found))
      if (replace(files, waiting, path, own, found)) return takenOver(found, own)
    }
    throw new ZerothError('run-in-use', `${path} keeps changing hands`)
  } finally {
    removeFile(files, waiting)
  }
}

/** Writes the own file once more where another process took it, still half written, for what a dead one left. */
function renew(files: StoreFiles, waiting: string, own: LockContent): void {
  if (readWhole(files, waiting) === undefined) write(files, waiting, 'wx', own)
}

/** Puts the lock where there is none; false where there is one, or where the file to be linked was swept away. */
function place(files: StoreFiles, waiting: string, path: string, own: LockContent): boolean {
  try {
    attempt('link', path, () => files.link(waiting, path))
    return true
  } catch (error) {
    if (failedWith(error, 'EEXIST', 'ENOENT')) return false
    if (!failedWith(error, ...noLinks)) throw error
  }
  try {
    write(files, path, 'wx', own)
    return true
  } catch (error) {
    if (failedWith(error, 'EEXIST')) return false
    throw error
  }
}

/**
 * Replaces a lock whose process is gone. Of several that found it, one may do so: the one that holds the lock named after
 * it, and only as long as it is still there. Should that one die in between, its lock is replaced in the same way.
 */
function replace(files: StoreFiles, waiting: string, path: string, own: LockContent, stale: LockContent): boolean {
  const claim = `${path}.after-${stale.token}`
  acquire(files, claim, own)
  try {
    if (readLock(files, path)?.token !== stale.token) return false
    attempt('rename', waiting, () => files.rename(waiting, path))
    return true
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false
    throw error
  } finally {
    removeFile(files, claim)
  }
}

function write(files: StoreFiles, path: string, flags: 'wx', content: LockContent): void {
  const file = new RunFile(files, path, flags)
  try {
    file.append(new TextEncoder().encode(`${JSON.stringify(content)}\n`))
    file.datasync()
  } finally {
    file.close()
  }
}

function readLock(files: StoreFiles, path: string): LockContent | undefined {
  const bytes = readWhole(files, path)
  if (bytes === undefined) return undefined
  const advice = 'if no process uses this run, delete it or run "zeroth repair"'
  try {
    const found = lockSchema.safeParse(parseObject(path, new TextDecoder().decode(bytes)))
    if (found.success) return found.data
  } catch (cause) {
    throw new ZerothError('invalid-run', `${path} is damaged; ${advice}`, { cause })
  }
  throw new ZerothError('invalid-run', `${path} is damaged; ${advice}`)
}

function isHeld(files: StoreFiles, path: string, lock: LockContent): boolean {
  return (
    isSame(
      lock.folder,
      attempt('stat', dirname(path), () => files.identity(dirname(path))),
    ) && isAlive(lock)
  )
}

/** A folder that was moved keeps its number; on file systems whose numbers change, it keeps its path. */
function isSame(one: LockContent['folder'], other: LockContent['folder']): boolean {
  return one.inode === other.inode || one.path === other.path
}

function bestEffort(call: () => void): void {
  try {
    call()
  } catch {
    // The error that led here says more.
  }
}

function holder({ pid, host }: ProcessIdentity): string {
  return `process ${pid} on ${host}`
}

function inUse(path: string, found: LockContent): string {
  const advice = found.host === thisProcess().host ? '' : '; if that process is gone, delete the lock'
  return `${dirname(path)} is in use by ${holder(found)} (${path})${advice}`
}

function takenOver(found: LockContent, own: LockContent): string {
  return isSame(found.folder, own.folder)
    ? `took over the lock of ${holder(found)}, which is gone`
    : `the lock of ${holder(found)} came with the copy of this run and was replaced`
}
