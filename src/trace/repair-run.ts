import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { type FoundCheckpoint, readCheckpoints } from './checkpoints.ts'
import { beginning } from './journal.ts'
import { encodeHeader } from './journal-header.ts'
import { lockIsDamaged, sweepLocks, takeLock } from './lock.ts'
import { type RunMeta, requireMeta } from './meta-file.ts'
import { readJournal } from './recover.ts'
import { readResult } from './result-file.ts'
import { attempt, copied, openToRead, readWhole, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type PlacedRecord, soundRecords } from './scan-journal.ts'
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

/** A place in the run from which records can be counted on: its beginning, or what a checkpoint covers. */
interface Base {
  readonly name: string
  readonly records: number
  readonly tip: number
}

/** A base with the sound records that follow it in an unbroken chain. */
interface Rescue {
  readonly base: Base
  readonly tail: readonly PlacedRecord[]
}

/**
 * Makes the journal whole again from what is sound in it, and says in words what it did; nothing where it was whole. A
 * checkpoint newer than the damage saves the records behind it; otherwise the queries behind the damage are evaluated again.
 */
function repairJournal(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  checkpoints: readonly FoundCheckpoint[],
): string[] {
  const path = join(folder, fileNames.journal)
  const scan = readJournal(files, folder, meta, checkpoints)
  const bytes = readWhole(files, path) ?? new Uint8Array(0)
  const records = [...soundRecords(bytes)]
  const kept = checkpoints.map(({ name, kept: { records, tip } }) => ({ name, records, tip }))
  const begin = { name: 'the beginning', records: scan?.header?.after ?? 0, tip: beginning(meta).tip }
  if (scan?.header !== undefined && begin.records > 0) begin.tip = scan.header.tip
  const { base, tail } = furthest([begin, ...kept], kept, records, meta, folder)
  const whole = scan?.header !== undefined && scan.excess === 0
  if (whole && base === begin && tail.length === scan.last.records - begin.records) return []

  if (bytes.length > 0) writeAtomically(files, `${path}.damaged`, [bytes])
  const { id, created } = meta
  const header = encodeHeader({ id, created, after: base.records, tip: base.records === 0 ? 0 : base.tip })
  const pieces = tail.map(({ position, found }) => bytes.subarray(position, position + found.bytes.length))
  writeAtomically(files, path, [header, ...pieces])
  const last = base.records + tail.length
  const lost = records.filter(({ found }) => found.number > last).length
  const advice = lost === 0 ? '' : `; ${lost} sound ones after the damage dropped: their queries are evaluated again`
  return [`${fileNames.journal}: ${tail.length} records after ${base.name} kept (${last} in all)${advice}`]
}

/** The base from which the run gets furthest; of equals the earliest, which keeps most. */
function furthest(
  bases: readonly Base[],
  checkpoints: readonly Base[],
  records: readonly PlacedRecord[],
  meta: RunMeta,
  folder: string,
): Rescue {
  const least = meta.extensions.at(-1)?.records ?? 0
  const rescues = bases.map((base) => ({ base, tail: tailBehind(base, records) }))
  const viable = rescues.filter((rescue) => {
    if (rescue.base.records === 0 && least === 0) return true
    return checkpoints.some((each) => each.records >= least && reaches(rescue, each))
  })
  const best = viable.sort((a, b) => reach(b) - reach(a) || a.base.records - b.base.records)[0]
  if (best !== undefined) return best
  throw new ZerothError('invalid-run', `${folder} cannot be repaired: no sound checkpoint is left to continue from`)
}

function tailBehind(base: Base, records: readonly PlacedRecord[]): PlacedRecord[] {
  const tail: PlacedRecord[] = []
  let tip = base.tip
  for (const each of records) {
    if (each.found.previous !== tip || each.found.number !== base.records + tail.length + 1) continue
    tail.push(each)
    tip = each.found.checksum
  }
  return tail
}

function reaches({ base, tail }: Rescue, { records, tip }: Base): boolean {
  if (records === base.records) return tip === base.tip
  return tail[records - base.records - 1]?.found.checksum === tip
}

function reach({ base, tail }: Rescue): number {
  return base.records + tail.length
}
