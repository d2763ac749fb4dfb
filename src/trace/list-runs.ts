import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import type { RunMeta } from './meta-file.ts'
import { type RunStatus, readStanding } from './read-run.ts'
import { failedWith, RunFile } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles } from './store-files.ts'
import { traceLines } from './trace-file.ts'

/** A run in a list. */
export interface ReadableRun {
  readonly folder: string
  readonly status: RunStatus
  readonly id: string
  readonly created: string
  readonly spec: RunMeta['spec']
  readonly iterations: number
  readonly queries: number
  /** The best value so far; NaN before the first. */
  readonly best: number
  readonly seconds: number
}

/** A run that cannot be read, and why. */
export interface DamagedRun {
  readonly folder: string
  readonly status: 'damaged'
  readonly problem: string
}

export type RunSummary = ReadableRun | DamagedRun

/** Bytes at the end of a trace among which its last line is looked for. */
const tailLength = 4096

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

/** A run's line in the list; undefined where the folder is no run. */
function summary(folder: string): RunSummary | undefined {
  try {
    if (!nodeFiles.list(folder).includes(fileNames.meta)) return undefined
    const { meta, status, result } = readStanding(nodeFiles, folder)
    const { id, created, spec } = meta
    return { folder, status, id, created, spec, ...(result === undefined ? latest(folder) : ended(result)) }
  } catch (error) {
    return { folder, status: 'damaged', problem: (error as Error).message }
  }
}

type Progress = Pick<ReadableRun, 'iterations' | 'queries' | 'best' | 'seconds'>

function ended(result: { iterations: number; queries: number; value: number; seconds: number }): Progress {
  return { iterations: result.iterations, queries: result.queries, best: result.value, seconds: result.seconds }
}

/** How far the trace of a run has come, from its end alone: it may be long. */
function latest(folder: string): Progress {
  let tail = new Uint8Array(0)
  try {
    const file = new RunFile(nodeFiles, join(folder, fileNames.trace), 'r')
    try {
      tail = new Uint8Array(tailLength)
      tail = tail.subarray(0, file.read(tail, Math.max(0, file.size - tailLength)))
    } finally {
      file.close()
    }
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error
  }
  const last = [...traceLines(tail)].findLast(({ record }) => record !== undefined)?.record
  return {
    iterations: last?.iteration ?? 0,
    queries: last?.queries ?? 0,
    best: last?.best ?? Number.NaN,
    seconds: last?.seconds ?? 0,
  }
}

function createdOf(run: RunSummary): string {
  return run.status === 'damaged' ? '' : run.created
}
