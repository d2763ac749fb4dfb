import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import type { RunMeta } from './meta-file.ts'
import { type RunStatus, readFacts } from './read-run.ts'
import { type RunProgress, readProgress } from './read-trace.ts'
import type { RunResult } from './result-file.ts'
import { failedWith } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles } from './store-files.ts'

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

/** A run's line in the list; undefined where the folder is no run. */
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
