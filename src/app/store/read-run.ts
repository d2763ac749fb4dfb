import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import { readCheckpoints } from './checkpoints.ts'
import { lockHolder } from './lock.ts'
import { type RunMeta, requireMeta } from './meta-file.ts'
import { damagedText, leastPoints, type RunProgress, readProgress, readTrace, type TraceColumns } from './read-trace.ts'
import { type RunResult, readResult } from './result-file.ts'
import { failedWith, nodeFiles, openToRead, type StoreFiles } from './run-file.ts'
import { fileNames } from './run-folder.ts'

/** Whether a run is at work, ended in one of three ways, or was interrupted. */
export type RunStatus = 'finished' | 'aborted' | 'failed' | 'running' | 'interrupted'

/** What a run is and how it ended, as its files tell it. */
export interface RunFacts {
  readonly folder: string
  readonly meta: RunMeta
  readonly status: RunStatus
  readonly result: RunResult | undefined
  /** What could not be read, in words. */
  readonly problems: readonly string[]
}

/** A run with its trace. */
export interface RunRecord extends RunFacts {
  readonly trace: TraceColumns
  /** Iterations in the trace; more than `trace` has rows where it was thinned. */
  readonly traceLength: number
}

/** How much of a run is read. */
export interface ReadOptions {
  /**
   * Rows of the trace at most, at least 9 (default: all of them). A longer one is thinned in one pass, in bounded memory: stretches of
   * equally many iterations keep their first, last, lowest and highest one.
   */
  readonly points?: number | undefined
}

/** Reads a run without touching it; also one that is being written. */
export async function readRun(folder: string, { points = Infinity }: ReadOptions = {}): Promise<RunRecord> {
  if (!(points >= leastPoints)) {
    throw new ZerothError('invalid-option', `readRun: points must be at least ${leastPoints}, got ${show(points)}`)
  }
  const facts = readFacts(nodeFiles, folder)
  const { columns, length, damaged } = readTrace(nodeFiles, folder, points)
  const lost = damagedText(damaged)
  return {
    ...facts,
    trace: columns,
    traceLength: length,
    problems: lost === undefined ? facts.problems : [...facts.problems, lost],
  }
}

/** Reads what a run is and how far it is; of its trace only the end, so that its length does not matter. */
export async function readOverview(folder: string): Promise<RunFacts & RunProgress> {
  return { ...readFacts(nodeFiles, folder), ...readProgress(nodeFiles, folder) }
}

/** What a run is and how it ended, without its trace. */
function readFacts(files: StoreFiles, folder: string): RunFacts {
  const meta = requireMeta(files, folder)
  const problems: string[] = []
  const result = unlessDamaged(problems, () => readResult(files, folder, meta))
  const holder = unlessDamaged(problems, () => lockHolder(files, join(folder, fileNames.lock)))
  return { folder, meta, status: statusOf(result, holder !== undefined), result, problems }
}

function statusOf(result: RunResult | undefined, held: boolean): RunStatus {
  if (result?.status === 'finished') return 'finished'
  return held ? 'running' : (result?.status ?? 'interrupted')
}

function unlessDamaged<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    problems.push(error.message)
    return undefined
  }
}

/** A run in a list. */
export interface ReadableRun extends RunProgress {
  readonly folder: string
  readonly status: RunStatus
  readonly id: string
  readonly created: string
  readonly spec: RunMeta['spec']
}

/** A run that cannot be read, and why. */
export interface DamagedRun {
  readonly folder: string
  readonly status: 'damaged'
  readonly problem: string
}

export type RunSummary = ReadableRun | DamagedRun

/** The runs in a folder, oldest first. Folders that are no runs, and links, are passed over. */
export async function listRuns(root: string): Promise<RunSummary[]> {
  const folders = (await entries(root)).filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name))
  const runs: RunSummary[] = []
  for (const folder of folders.sort()) {
    const run = summary(folder)
    if (run !== undefined) runs.push(run)
  }
  return runs.sort((a, b) => (createdOf(a) < createdOf(b) ? -1 : Number(createdOf(a) > createdOf(b))))
}

async function entries(root: string) {
  try {
    return await readdir(root, { withFileTypes: true })
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return []
    throw new ZerothError('storage-failed', `cannot list ${root}: ${(error as Error).message}`, { cause: error })
  }
}

/** A run's line in the list; undefined where the folder is not a run. */
function summary(folder: string): RunSummary | undefined {
  try {
    if (!nodeFiles.list(folder).includes(fileNames.meta)) return undefined
    const { meta, status, result } = readFacts(nodeFiles, folder)
    const { id, created, spec } = meta
    return {
      folder,
      status,
      id,
      created,
      spec,
      ...(result === undefined ? readProgress(nodeFiles, folder) : ended(result)),
    }
  } catch (error) {
    return { folder, status: 'damaged', problem: (error as Error).message }
  }
}

function ended({ iterations, queries, value, seconds }: RunResult): RunProgress {
  return { iterations, queries, best: value, seconds }
}

function createdOf(run: RunSummary): string {
  return run.status === 'damaged' ? '' : run.created
}

/** The best point of a run when it was last saved. */
export interface SavedBest {
  /** As the search has it: where variables have names, in the unit box. */
  readonly point: Float64Array
  readonly value: number
  /** Queries that the run had asked by then. */
  readonly queries: number
  readonly spec: RunMeta['spec']
}

/** Bytes of a checkpoint up to which it is read: whoever watches a run must not cost as much as the run. */
const mostBytes = 4 << 20

/**
 * The best point in the newest checkpoint of a run, which is written every few seconds: also of one that another process
 * performs, or that was killed. Undefined where there is none yet, or where it is large.
 */
export function savedBest(folder: string): SavedBest | undefined {
  if (fileNames.checkpoints.some((name) => sizeOf(join(folder, name)) > mostBytes)) return undefined
  const { id, spec } = requireMeta(nodeFiles, folder)
  const newest = readCheckpoints(nodeFiles, folder, id).found[0]?.kept.checkpoint
  if (newest === undefined || !Number.isFinite(newest.best.value)) return undefined
  const { best, queries } = newest
  return { point: Float64Array.from(best.point), value: best.value, queries, spec }
}

function sizeOf(path: string): number {
  const file = openToRead(nodeFiles, path)
  try {
    return file?.size ?? 0
  } finally {
    file?.close()
  }
}
