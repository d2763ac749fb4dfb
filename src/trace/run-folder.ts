import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { show, ZerothError } from '../core/errors.ts'
import { type Lock, lockHolder, sweepLocks, takeLock } from './lock.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { failedWith } from './run-file.ts'
import { nodeFiles } from './store-files.ts'

/** The files of a run. */
export const fileNames = {
  meta: 'meta.json',
  journal: 'journal',
  checkpoints: ['checkpoint-a', 'checkpoint-b'],
  trace: 'trace.jsonl',
  result: 'result.json',
  lock: 'lock',
} as const

/** The names of the files that only a resumed or extended run needs. */
export const checkpointFiles: readonly string[] = fileNames.checkpoints

/** What a run may be called: nothing that could lead out of its folder. */
export const runId = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, { error: 'must be 1 to 64 small letters, digits and hyphens' })

/** The folder of a run below a root, by the run's id; refuses ids and links that would lead elsewhere. */
export async function runFolder(root: string, id: string): Promise<string> {
  if (!runId.safeParse(id).success) {
    throw new ZerothError('invalid-option', `a run id has 1 to 64 small letters, digits and hyphens, got ${show(id)}`)
  }
  const folder = join(root, id)
  let real: string
  let realRoot: string
  try {
    ;[real, realRoot] = await Promise.all([realpath(folder), realpath(root)])
  } catch (cause) {
    if (failedWith(cause, 'ENOENT', 'ENOTDIR')) {
      throw new ZerothError('invalid-run', `there is no run ${id} in ${root}`, { cause })
    }
    throw cause
  }
  if (dirname(real) !== realRoot || basename(real) !== id) {
    throw new ZerothError('invalid-run', `${folder} leads to ${real}, outside of ${realRoot}`)
  }
  return folder
}

/** Takes the right to write into a folder that holds several runs; one of a living process is refused, with its number. */
export function lockFolder(folder: string): Lock {
  const path = join(folder, fileNames.lock)
  const lock = takeLock(nodeFiles, path)
  sweepLocks(nodeFiles, path)
  return lock
}

/** Which living process works in a folder of several runs, if one does. */
export function folderHolder(folder: string): ProcessIdentity | undefined {
  return lockHolder(nodeFiles, join(folder, fileNames.lock))
}
