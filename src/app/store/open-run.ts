import { join } from 'node:path'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { CheckpointPace } from './checkpoints.ts'
import { createJournal, journalLimit as defaultLimit } from './journal.ts'
import { headerLength } from './journal-record.ts'
import { type LockTiming, type Processes, sweepLocks, takeLock } from './lock.ts'
import { type NewRun, newMeta, type RunMeta, readMeta, requireMeta, writeMeta } from './meta-file.ts'
import { type RunResult, readResult } from './result-file.ts'
import { attempt, nodeFiles, readWhole, removeFile, type StoreFiles } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { RunStore, type StoreParts } from './run-store.ts'

/** How a run is opened. */
export interface StoreOptions {
  /**
   * Read all records again instead of continuing from a checkpoint, for objectives that remember their queries: each
   * record is given to their `recall`. A run that was extended continues from there. May depend on what the run is.
   */
  readonly fromStart?: boolean | ((meta: RunMeta) => boolean)
  /**
   * Bytes of records that both checkpoints cover from which on the journal drops them (default: 64 MB). An objective that
   * has a method `recall`, or `fromStart`, needs them all: then none is dropped.
   */
  readonly journalLimit?: number
  /** False to keep result.json short: without the points, which take 40 bytes per variable as text (default: true). */
  readonly points?: boolean
  /** Shared by runs of one process that together write no more checkpoints than one would; of its own if left out. */
  readonly pace?: CheckpointPace
  /** The file system; another one in tests. */
  readonly files?: StoreFiles
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number
  /** How time passes for the lock; another one in tests. */
  readonly timing?: LockTiming
  /** Which processes there are, for the lock; others in tests. */
  readonly processes?: Processes
}

/** Begins a run in a folder that is absent or empty, and takes its lock. */
export async function createRun(folder: string, run: NewRun, options: StoreOptions = {}): Promise<RunStore> {
  const { files = nodeFiles } = options
  const meta = newMeta(run)
  attempt('mkdir', folder, () => files.makeFolder(folder))
  refuseOccupied(files, folder)
  return locked(folder, options, (parts) => {
    refuseOccupied(files, folder)
    createJournal(files, folder, meta)
    // Last, because it is what makes the folder a run: whatever is killed before leaves none behind.
    writeMeta(files, folder, meta)
    return new RunStore({ ...parts, fromStart: isFromStart(options, meta), meta, result: undefined })
  })
}

/** Opens a run to continue it: takes its lock and repairs what a crash leaves behind. */
export async function openRun(folder: string, options: StoreOptions = {}): Promise<RunStore> {
  const { files = nodeFiles } = options
  requireMeta(files, folder)
  return locked(folder, options, (parts) => {
    for (const name of attempt('list', folder, () => files.list(folder))) {
      if (name.endsWith('.tmp')) removeFile(files, join(folder, name))
    }
    const meta = requireMeta(files, folder)
    const { result, note } = soundResult(files, folder, meta)
    return new RunStore({
      ...parts,
      fromStart: isFromStart(options, meta),
      meta,
      result,
      notes: [...parts.notes, ...note],
    })
  })
}

function isFromStart({ fromStart }: StoreOptions, meta: RunMeta): boolean {
  return typeof fromStart === 'function' ? fromStart(meta) : fromStart === true
}

/** Does something under the lock of a folder; an error gives the lock back. */
async function locked(
  folder: string,
  {
    files = nodeFiles,
    clock = () => performance.now(),
    journalLimit = defaultLimit,
    points = true,
    pace = new CheckpointPace(),
    timing,
    processes,
  }: StoreOptions,
  work: (parts: Omit<StoreParts, 'meta' | 'result' | 'fromStart'>) => RunStore,
): Promise<RunStore> {
  const path = join(folder, fileNames.lock)
  const lock = await takeLock(files, path, timing, processes)
  try {
    sweepLocks(files, path, timing, processes)
    const notes = lock.note === undefined ? [] : [lock.note]
    return work({ files, clock, journalLimit, points, pace, folder, lock, notes })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The result, unless it is damaged: then the run makes it again, from its journal. */
function soundResult(
  files: StoreFiles,
  folder: string,
  meta: StoreParts['meta'],
): { result: RunResult | undefined; note: string[] } {
  try {
    return { result: readResult(files, folder, meta), note: [] }
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    return { result: undefined, note: [`${fileNames.result} is not used: ${error.message}`] }
  }
}

/** A folder may hold what an interrupted creation left, and nothing else. */
function refuseOccupied(files: StoreFiles, folder: string): void {
  if (readMeta(files, folder) !== undefined) {
    throw new ZerothError('invalid-run', `${folder} holds a run already: resume it, or choose another folder`)
  }
  const others = attempt('list', folder, () => files.list(folder)).filter((name) => !isLeftover(files, folder, name))
  if (others.length === 0) return
  const names = others.slice(0, 3).join(', ')
  throw new ZerothError('invalid-run', `${folder} is not empty and no run (${names}): choose another folder`)
}

function isLeftover(files: StoreFiles, folder: string, name: string): boolean {
  if (name === fileNames.journal) return (readWhole(files, join(folder, name))?.length ?? 0) <= headerLength
  return name.endsWith('.tmp') || name === fileNames.lock || name.startsWith(`${fileNames.lock}.`)
}
