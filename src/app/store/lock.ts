import { createHash, randomUUID } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  Issue,
  integerFrom,
  nullable,
  type Output,
  oneOf,
  refine,
  table,
  text,
  textUpTo,
} from '../../optimizer/core/options.ts'
import { attempt, failedWith, RunFile, readWhole, removeFile, type StoreFiles, syncOrAsync } from './run-file.ts'
import { parseObject } from './sealed-json.ts'

/** Which process: its number alone would not do, because numbers are used again, and mean nothing elsewhere. */
export const processIdentity = table({
  pid: integerFrom(1),
  /** When it started, in ticks since the machine did; null where the system does not say. */
  started: nullable(textUpTo(64)),
  /** Which start of the machine; null where the system does not say. */
  boot: nullable(textUpTo(64)),
  /** Among which processes its number means it (a container has its own); null where the system does not say. */
  namespace: nullable(textUpTo(64)),
  host: textUpTo(256),
})
export type ProcessIdentity = Output<typeof processIdentity>

/** This process. */
export function thisProcess(): ProcessIdentity {
  const started = statusOf('self')?.started ?? null
  return { pid: process.pid, started, boot: bootId(), namespace: linkOf('/proc/self/ns/pid'), host: hostname() }
}

/** Whether a process is still there. Of one on another machine or in another container nobody can tell from here. */
export function lifeOf(process: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (!isNear(process)) return 'unknown'
  const { pid, started } = process
  if (!exists(pid)) return 'gone'
  // What a container sees as the list of processes may be that of its machine, in which numbers mean others.
  const isOurs = linkOf('/proc/self') === String(thisProcess().pid)
  const status = isOurs ? statusOf(pid) : undefined
  if (status === undefined || started === null) return 'alive'
  // A zombie has ended and only waits for its parent to hear of it.
  return status.started === started && !['Z', 'X'].includes(status.state) ? 'alive' : 'gone'
}

/** Whether the number of a process means the same one here. Names do not tell: many machines are called `localhost`. */
function isNear({ boot, namespace, host }: ProcessIdentity): boolean {
  const own = thisProcess()
  if (boot !== own.boot || namespace !== own.namespace) return false
  return (boot !== null && namespace !== null) || host === own.host
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State and start time from Linux's account of a process; the name before them may hold spaces and brackets. */
function statusOf(pid: number | 'self'): { state: string; started: string } | undefined {
  const text = readText(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields?.[0], fields?.[19]]
  return state === undefined || started === undefined ? undefined : { state, started }
}

function bootId(): string | null {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const lockSchema = table({
  ...processIdentity.shape,
  format: oneOf('zeroth-lock'),
  version: oneOf(1),
  /** The folder it was made in: a copy of the folder is not locked. */
  folder: table({ inode: textUpTo(64), path: text }),
  token: refine(text, (token) => /^[0-9a-f-]{36}$/.test(token), 'must be a UUID'),
})
type LockContent = Output<typeof lockSchema>

/** The right to write into a run. */
export interface Lock {
  /** What was there before, in words; undefined for a run that was not locked. */
  readonly note: string | undefined
  /**
   * Whether the process before may still live, because it could not be asked: a file that it has open must be replaced by
   * a copy, so that whatever it may yet write goes nowhere.
   */
  readonly mayBeShared: boolean
  /** Throws if another process has taken the lock. */
  check(): void
  /** The same, but looks only if this process stood still for so long that another may have: for every write. */
  guard(): void
  /** Fires once the lock is known to be taken by another process. */
  readonly lost: AbortSignal
  /** Gives it back. Later calls do nothing. */
  release(): void
}

/** How time passes for locks; another one in tests. */
export interface LockTiming {
  /** Milliseconds, never fewer than before. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<unknown>
  /** Calls something again and again; returns what ends that. */
  readonly every: (milliseconds: number, call: () => void) => () => void
}

/** Which process this is, and what can be known of others; others in tests. */
export interface Processes {
  readonly self: () => ProcessIdentity
  readonly lifeOf: (process: ProcessIdentity) => 'alive' | 'gone' | 'unknown'
}

const realProcesses: Processes = { self: thisProcess, lifeOf }

/** Milliseconds without a sign of life after which a process that cannot be asked is taken to be gone. */
export const lease = 20_000
/** Milliseconds between two signs of life. */
const beatEvery = lease / 5
/** Milliseconds between two looks of who waits. */
const lookEvery = lease / 40

const realTiming: LockTiming = {
  now: () => performance.now(),
  sleep,
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds).unref()
    return () => clearInterval(timer)
  },
}

/** A channel of Node; without its type, which not every program that checks declarations has. */
interface LockWaits {
  publish(message: unknown): void
  subscribe(listener: (message: unknown) => void): void
  unsubscribe(listener: (message: unknown) => void): unknown
}

/** Tells whoever listens that a lock is waited for: `{ message }`. */
export const lockWaits: LockWaits = channel('zeroth:lock-waits')

/** Where hard links do not work, a file is created exclusively instead. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
const maxAttempts = 100

/** Processes that gave no sign of life for a lease: their other locks need not be watched again. */
const silent = new Set<string>()

/**
 * Takes the lock at `path`: exactly one process gets it, however many try at once. A lock whose process is gone is taken
 * over at once; one of a living process is refused, with its number. A process on another machine or in another container
 * cannot be asked: it is watched until it gives a sign of life, and taken to be gone if it does not for a whole lease.
 */
export async function takeLock(
  files: StoreFiles,
  path: string,
  timing: LockTiming = realTiming,
  processes: Processes = realProcesses,
): Promise<Lock> {
  const own = {
    format: 'zeroth-lock',
    version: 1,
    ...processes.self(),
    folder: attempt('stat', dirname(path), () => files.identity(dirname(path))),
    token: randomUUID(),
  } as const
  const release = (): void => {
    if (readLock(files, path)?.token === own.token) removeFile(files, path)
  }
  try {
    const stale = await acquireOrWait(files, path, own, timing, processes)
    const pulse = startPulse(files, path, own, timing)
    return {
      note: stale && takenOver(stale, own, processes),
      mayBeShared: stale !== undefined && isSame(stale.folder, own.folder) && processes.lifeOf(stale) !== 'gone',
      check: pulse.check,
      guard: pulse.guard,
      lost: pulse.lost,
      release() {
        if (pulse.stop()) release()
      },
    }
  } catch (error) {
    bestEffort(release)
    throw error
  }
}

/** Gets the lock, and says which one it took over. */
async function acquireOrWait(
  files: StoreFiles,
  path: string,
  own: LockContent,
  timing: LockTiming,
  processes: Processes,
): Promise<LockContent | undefined> {
  for (;;) {
    try {
      return acquire(files, path, own, processes)
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      await watch(files, error.path, error.holder, timing)
    }
  }
}

/** A lock whose process cannot be asked. */
class Unknown extends Error {
  constructor(
    readonly path: string,
    readonly holder: LockContent,
  ) {
    super(`${path} is held by a process that cannot be asked`)
  }
}

/** Watches a lock until it changes hands or its process is known to be gone; refuses if that gives a sign of life. */
async function watch(files: StoreFiles, path: string, found: LockContent, { now, sleep }: LockTiming): Promise<void> {
  const { length } = readWhole(files, path) ?? { length: 0 }
  const message = `waiting up to ${lease / 1000} seconds to see whether ${holder(found)} is gone, which holds ${path}`
  lockWaits.publish({ message })
  let watched = 0
  for (let before = now(); watched < lease; ) {
    await sleep(lookEvery)
    const bytes = readWhole(files, path)
    if (bytes === undefined || readHolder(files, path)?.token !== found.token) return
    if (bytes.length !== length) throw new ZerothError('run-in-use', inUse(path, found))
    // If this process stood still, the other may have, too: that time does not count.
    const time = now()
    watched += Math.min(time - before, 2 * lookEvery)
    before = time
  }
  silent.add(nameOf(found))
}

function nameOf({ pid, started, boot, namespace, host }: ProcessIdentity): string {
  return JSON.stringify([pid, started, boot, namespace, host])
}

/**
 * The signs of life of the holder of a lock: a blank at its end each time. Who watches compares lengths, so no two clocks
 * are ever compared. As long as the latest one is young, nobody can have watched for a whole lease since.
 */
function startPulse(files: StoreFiles, path: string, own: LockContent, { now, every }: LockTiming) {
  const file = new RunFile(files, path, 'a+')
  const blank = new TextEncoder().encode('\n')
  let renewed = now()
  let isBeating = false
  const lost = new AbortController()
  const check = (): void => {
    if (lost.signal.aborted) throw lost.signal.reason
    const found = readLock(files, path)
    if (found?.token === own.token) return
    const what = found === undefined ? 'deleted' : `taken by ${holder(found)}`
    lost.abort(new ZerothError('run-in-use', `${path} was ${what}`))
    throw lost.signal.reason
  }
  const beat = async (): Promise<void> => {
    if (isBeating) return
    isBeating = true
    try {
      const began = now()
      check()
      file.append(blank)
      // Other machines see it only then.
      await syncOrAsync(file.datasyncing(files.later))
      renewed = began
    } catch {
      // The next write looks again, and reports it.
    } finally {
      isBeating = false
    }
  }
  const end = every(beatEvery, () => void beat())
  let isOver = false
  return {
    check,
    lost: lost.signal,
    guard(): void {
      if (!lost.signal.aborted && now() - renewed < lease / 2) return
      check()
      void beat()
    },
    /** False if it had been stopped before. */
    stop(): boolean {
      if (isOver) return false
      isOver = true
      end()
      file.close()
      return true
    },
  }
}

/** Signs of life that this process has seen of others, by lock: how long the lock was, and since when. */
const seen = new Map<string, { readonly token: string; readonly length: number; readonly since: number }>()
const mostSeen = 1000

/** Who holds a lock, if a living process does; one that cannot be asked holds it until it was silent for a lease. */
export function lockHolder(
  files: StoreFiles,
  path: string,
  { now } = realTiming,
  processes = realProcesses,
): ProcessIdentity | undefined {
  const lock = readLock(files, path)
  if (lock === undefined) return undefined
  const state = stateOf(files, path, lock, processes)
  if (state !== 'unknown') return state === 'held' ? lock : undefined
  const length = readWhole(files, path)?.length ?? 0
  const before = seen.get(path)
  if (before?.token === lock.token && before.length === length) return now() - before.since < lease ? lock : undefined
  if (seen.size >= mostSeen) seen.clear()
  seen.set(path, { token: lock.token, length, since: now() })
  return lock
}

/**
 * Frees the lock at `path` of a process that cannot be asked: a person knows that it is gone. Says whose it was. The lock
 * of a living process here is refused.
 */
export function freeLock(files: StoreFiles, path: string): string | undefined {
  if (lockIsDamaged(files, path)) {
    removeFile(files, path)
    return undefined
  }
  const lock = readLock(files, path)
  if (lock === undefined) return undefined
  const state = stateOf(files, path, lock, realProcesses)
  if (state === 'held') throw new ZerothError('run-in-use', inUse(path, lock))
  if (state === 'unknown') silent.add(nameOf(lock))
  return holder(lock)
}

/** Removes what processes that are gone left behind while they tried to get the lock. */
export function sweepLocks(files: StoreFiles, path: string, timing = realTiming, processes = realProcesses): void {
  for (const name of attempt('list', dirname(path), () => files.list(dirname(path)))) {
    const left = join(dirname(path), name)
    if (!left.startsWith(`${path}.`)) continue
    if (lockIsDamaged(files, left) || lockHolder(files, left, timing, processes) === undefined) removeFile(files, left)
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

/** Gets the lock, and says which one it took over. */
function acquire(files: StoreFiles, path: string, own: LockContent, processes: Processes): LockContent | undefined {
  // A file of its own first: at its place the lock then appears with all it says, never empty.
  const waiting = `${path}.${own.token}`
  write(files, waiting, 'wx', own)
  try {
    for (let left = maxAttempts; left > 0; left--) {
      renew(files, waiting, own)
      if (place(files, waiting, path, own)) return undefined
      const found = readHolder(files, path)
      if (found === undefined) continue
      const state = stateOf(files, path, found, processes)
      if (state === 'held') throw new ZerothError('run-in-use', inUse(path, found))
      if (state === 'unknown') throw new Unknown(path, found)
      if (replace(files, waiting, path, own, found, processes)) return found
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
function replace(
  files: StoreFiles,
  waiting: string,
  path: string,
  own: LockContent,
  stale: LockContent,
  processes: Processes,
): boolean {
  const claim = `${path}.after-${stale.token}`
  acquire(files, claim, own, processes)
  try {
    if (readHolder(files, path)?.token !== stale.token) return false
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
  const advice = 'if no process uses this run, delete it'
  try {
    const found = lockSchema.read(parseObject(path, new TextDecoder().decode(bytes)))
    if (!(found instanceof Issue)) return found
  } catch (cause) {
    throw new ZerothError('invalid-run', `${path} is damaged; ${advice}`, { cause })
  }
  throw new ZerothError('invalid-run', `${path} is damaged; ${advice}`)
}

/** Where a lock does not say whose it is. */
const unsaid = 'unsaid'

/**
 * The same; of a lock that says nothing, that some process holds it. Where there are no hard links, one that is killed while
 * it writes its lock leaves such a thing: it is watched as the lock of a process that cannot be asked.
 */
function readHolder(files: StoreFiles, path: string): LockContent | undefined {
  if (!lockIsDamaged(files, path)) return readLock(files, path)
  const folder = attempt('stat', dirname(path), () => files.identity(dirname(path)))
  const text = new TextDecoder().decode(readWhole(files, path)).trimEnd()
  const hash = createHash('sha256')
    .update(JSON.stringify([folder, path, text]))
    .digest('hex')
  const token = hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const process = { pid: 1, started: token, boot: unsaid, namespace: unsaid, host: unsaid }
  return { format: 'zeroth-lock', version: 1, ...process, folder, token }
}

/** Whether a lock counts. */
function stateOf(
  files: StoreFiles,
  path: string,
  lock: LockContent,
  { lifeOf }: Processes,
): 'held' | 'free' | 'unknown' {
  const folder = attempt('stat', dirname(path), () => files.identity(dirname(path)))
  if (!isSame(lock.folder, folder) || silent.has(nameOf(lock))) return 'free'
  const life = lifeOf(lock)
  return life === 'unknown' ? life : life === 'alive' ? 'held' : 'free'
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
  return host === unsaid ? 'a process that did not say which' : `process ${pid} on ${host}`
}

function inUse(path: string, found: LockContent): string {
  return `${dirname(path)} is in use by ${holder(found)} (${path})`
}

function takenOver(found: LockContent, own: LockContent, { lifeOf }: Processes): string {
  if (!isSame(found.folder, own.folder)) {
    return `the lock of ${holder(found)} came with the copy of this run and was replaced`
  }
  const why = lifeOf(found) === 'gone' ? 'which is gone' : 'which gave no sign of life'
  return `took over the lock of ${holder(found)}, ${why}`
}
