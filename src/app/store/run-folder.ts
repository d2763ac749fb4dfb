import { readdirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import { Issue, refine, text } from '../../optimizer/core/options.ts'
import { freeLock, type Lock, lockHolder, type ProcessIdentity, sweepLocks, takeLock } from './lock.ts'
import { failedWith, nodeFiles } from './run-file.ts'

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
export const runId = refine(
  text,
  (id) => /^[a-z0-9-]{1,64}$/.test(id),
  'must be 1 to 64 small letters, digits and hyphens',
)

/** The folder of a run below a root, by the run's id; refuses ids and links that would lead elsewhere. */
export async function runFolder(root: string, id: string): Promise<string> {
  if (runId.read(id) instanceof Issue) {
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
export async function lockFolder(folder: string): Promise<Lock> {
  const path = join(folder, fileNames.lock)
  const lock = await takeLock(nodeFiles, path)
  sweepLocks(nodeFiles, path)
  return lock
}

/**
 * Frees the locks in a folder and below it whose processes cannot be asked, for a person who knows that they are gone. Says
 * whose they were; the lock of a living process of this machine is refused.
 */
export function freeLocks(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => basename(name) === fileNames.lock,
  )
  const holders = found.map((name) => freeLock(nodeFiles, join(folder, name)))
  return [...new Set(holders.filter((holder) => holder !== undefined))]
}

/** Which living process works in a folder of several runs, if one does. */
export function folderHolder(folder: string): ProcessIdentity | undefined {
  return lockHolder(nodeFiles, join(folder, fileNames.lock))
}
