import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { lockHolder } from './lock.ts'
import { type RunMeta, requireMeta } from './meta-file.ts'
import { type RunResult, readResult } from './result-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles, type StoreFiles } from './store-files.ts'
import { readTrace, type TraceColumns } from './trace-file.ts'

/** How a run stands: at work, ended in one of three ways, or left in the middle. */
export type RunStatus = 'finished' | 'aborted' | 'failed' | 'running' | 'interrupted'

/** A run as its files tell it. */
export interface RunRecord {
  readonly folder: string
  readonly meta: RunMeta
  readonly status: RunStatus
  readonly result: RunResult | undefined
  readonly trace: TraceColumns
  /** What could not be read, in words. */
  readonly problems: readonly string[]
}

/** Reads a run without touching it; also one that is being written. */
export async function readRun(folder: string): Promise<RunRecord> {
  const { meta, status, result, problems } = readStanding(nodeFiles, folder)
  const { columns, damaged } = readTrace(nodeFiles, folder)
  if (damaged > 0) problems.push(`${damaged} lines of ${fileNames.trace} are damaged and left out`)
  return { folder, meta, status, result, trace: columns, problems }
}

/** What a run is and how it stands, without its trace. */
export function readStanding(
  files: StoreFiles,
  folder: string,
): Omit<RunRecord, 'trace' | 'problems'> & { problems: string[] } {
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
