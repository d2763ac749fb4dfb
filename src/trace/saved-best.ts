import { join } from 'node:path'
import { readCheckpoints } from './checkpoints.ts'
import { type RunMeta, requireMeta } from './meta-file.ts'
import { openToRead } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles } from './store-files.ts'

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
