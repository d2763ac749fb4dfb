import { join } from 'node:path'
import { type Lock, lockHolder, sweepLocks, takeLock } from './lock.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles } from './store-files.ts'

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
