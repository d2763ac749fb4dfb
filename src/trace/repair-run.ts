import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { readCheckpoints } from './checkpoints.ts'
import { lockIsDamaged, sweepLocks, takeLock } from './lock.ts'
import { type RunMeta, requireMeta } from './meta-file.ts'
import { readJournal } from './recover.ts'
import { repairJournal } from './repair-journal.ts'
import { readResult } from './result-file.ts'
import { attempt, copied, openToRead, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { nodeFiles, type StoreFiles } from './store-files.ts'
import { soundLines } from './trace-file.ts'

/**
 * Makes a damaged run usable again and says in words what it did; nothing where nothing was wrong. It never invents data,
 * and keeps each damaged file beside the new one with `.damaged` behind its name.
 */
export async function repairRun(folder: string, files: StoreFiles = nodeFiles): Promise<string[]> {
  const meta = requireMeta(files, folder)
  const path = join(folder, fileNames.lock)
  const done: string[] = []
  if (lockIsDamaged(files, path)) done.push(setAside(files, folder, fileNames.lock, 'it was damaged'))
  const lock = takeLock(files, path)
  try {
    if (lock.note !== undefined) done.push(lock.note)
    sweepLocks(files, path)
    const { found, bad } = readCheckpoints(files, folder, meta.id)
    const isOld = bad.some(({ isOutdated }) => isOutdated)
    for (const { name, why, isOutdated } of bad) if (!isOutdated) done.push(setAside(files, folder, name, why))
    done.push(...repairJournal(files, folder, meta, found))
    // The end of a run that an earlier zeroth wrote is covered by checkpoints that this one cannot read.
    done.push(...repairResult(files, folder, meta, isOld ? Infinity : (found[0]?.kept.records ?? 0)))
    done.push(...repairTrace(files, folder))
    return done
  } finally {
    lock.release()
  }
}

/** A result that is damaged, or has no checkpoint of its end to be extended from, is made again from the journal. */
function repairResult(files: StoreFiles, folder: string, meta: RunMeta, covered: number): string[] {
  const advice = '"zeroth resume" makes it again from the journal'
  try {
    const result = readResult(files, folder, meta)
    const records = readJournal(files, folder, meta, [])?.last.records ?? 0
    const byItself = result?.status === 'finished' && !['max-time', 'callback'].includes(result.stopReason)
    if (!byItself || covered >= records) return []
    return [setAside(files, folder, fileNames.result, `no checkpoint covers the end; ${advice}`)]
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    return [setAside(files, folder, fileNames.result, `it was damaged; ${advice}`)]
  }
}

function repairTrace(files: StoreFiles, folder: string): string[] {
  const path = join(folder, fileNames.trace)
  const file = openToRead(files, path)
  if (file === undefined) return []
  const { size } = file
  const { kept, lines, dropped } = soundLines(file)
  file.close()
  if (dropped === 0) return []
  writeAtomically(files, `${path}.damaged`, copied(files, path, [{ from: 0, to: size }]))
  writeAtomically(files, path, copied(files, path, kept))
  return [`${fileNames.trace}: ${lines} lines kept, ${dropped} damaged ones dropped`]
}

function setAside(files: StoreFiles, folder: string, name: string, why: string): string {
  const path = join(folder, name)
  attempt('rename', path, () => files.rename(path, `${path}.damaged`))
  return `${name} is now ${name}.damaged: ${why}`
}
