import { join } from 'node:path'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { KeptCheckpoint } from './checkpoint-file.ts'
import { type CheckpointPace, CheckpointWriter, type FoundCheckpoint, readCheckpoints } from './checkpoints.ts'
import { beginning, createJournal, Journal } from './journal.ts'
import { encodeHeader } from './journal-record.ts'
import type { Lock } from './lock.ts'
import type { RunMeta } from './meta-file.ts'
import { copied, openToRead, readWhole, type StoreFiles, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type JournalScan, type PlacedRecord, scanJournal, soundRecords } from './scan-journal.ts'
import { openTrace, type TraceFile } from './trace-file.ts'

/** A run ready to continue. */
export interface Recovered {
  /** The checkpoint to continue from; undefined to begin with the first record, or the first query. */
  readonly kept: KeptCheckpoint | undefined
  readonly journal: Journal
  readonly trace: TraceFile
  readonly checkpoints: CheckpointWriter
  /** How long the run had been at work when its last record was written. */
  readonly seconds: number
  /** What had to be done, in words. */
  readonly notes: readonly string[]
}

/** How a run is put where its files agree. */
export interface RecoverOptions {
  readonly clock: () => number
  /** Begin with the first record, whatever checkpoints there are. */
  readonly fromStart: boolean
  readonly pace: CheckpointPace
  readonly lock: Pick<Lock, 'guard' | 'mayBeShared'>
}

/** Puts a run where its files agree: the newest usable checkpoint and the records behind it. */
export function recover(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  { clock, fromStart, pace, lock }: RecoverOptions,
): Recovered {
  if (lock.mayBeShared)
    for (const name of [fileNames.journal, fileNames.trace]) replaceByCopy(files, join(folder, name))
  const { found, bad } = readCheckpoints(files, folder, meta.id)
  const notes = bad.map(({ name, why }) => `${name} is not used: ${why}`)
  const usable = (scan: JournalScan): FoundCheckpoint | undefined =>
    earliest(scan, meta) === 0 && fromStart
      ? undefined
      : // The oldest one leaves the most to be read again.
        found[fromStart ? 'findLast' : 'find']((each) => isUsable(each, scan, meta))
  let scan = soundJournal(files, folder, meta, found, notes)
  if (usable(scan) === undefined && earliest(scan, meta) > 0)
    scan = rescueJournal(files, folder, meta, scan, found, notes)
  const chosen = usable(scan)
  const newest = found[0]
  if (newest !== undefined && newest.kept.records > scan.last.records) {
    const lost = `${scan.last.records + 1} to ${newest.kept.records}`
    notes.push(`${fileNames.journal} has lost its records ${lost}: their queries are evaluated again`)
  }
  const kept = chosen?.kept
  if (fromStart && kept !== undefined && kept.records > 0) {
    const lost = `records 1 to ${kept.records} cannot be read again: what remembers answers (a cache) begins without them`
    notes.push(`${lost}, and asks for the same points once more`)
  }
  const covered = { bytes: kept?.traceBytes ?? 0, iteration: kept?.checkpoint.iteration ?? 0 }
  const { trace, note } = openTrace(files, folder, covered, clock)
  if (note !== undefined) notes.push(note)
  const at = (kept && scan.places.get(kept.records)) ?? beginning(meta)
  return {
    kept,
    journal: new Journal({
      files,
      folder,
      run: meta,
      at,
      last: scan.last,
      durable: kept?.records ?? 0,
      clock,
      guard: lock.guard,
    }),
    trace,
    checkpoints: new CheckpointWriter({ files, folder, newest: chosen?.name, clock, pace }),
    seconds: scan.last.seconds,
    notes,
  }
}

/** What a process that has the file open still writes to it goes nowhere from now on. */
function replaceByCopy(files: StoreFiles, path: string): void {
  const file = openToRead(files, path)
  if (file === undefined) return
  const to = file.size
  file.close()
  writeAtomically(files, path, copied(files, path, [{ from: 0, to }]))
}

/** Whether the journal holds what a checkpoint covers, and the run may still be resumed there. */
function isUsable({ kept }: FoundCheckpoint, scan: JournalScan, meta: RunMeta): boolean {
  return scan.places.get(kept.records)?.lastChecksum === kept.lastChecksum && kept.records >= earliest(scan, meta)
}

/** Reads the journal of a folder without changing it; undefined if it has none. */
function readJournal(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  found: readonly FoundCheckpoint[],
): JournalScan | undefined {
  const file = openToRead(files, join(folder, fileNames.journal))
  if (file === undefined) return undefined
  try {
    return scanJournal(
      file,
      meta,
      found.map(({ kept }) => kept.records),
    )
  } finally {
    file.close()
  }
}

function soundJournal(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  found: readonly FoundCheckpoint[],
  notes: string[],
): JournalScan {
  const scan = readJournal(files, folder, meta, found)
  const isEmpty = scan !== undefined && scan.header === undefined && found.length === 0
  if (scan === undefined || scan.after !== undefined || (scan.header === undefined && !isEmpty)) {
    return rescueJournal(files, folder, meta, scan, found, notes)
  }
  const { header, excess } = scan
  if (header === undefined) {
    notes.push(`${fileNames.journal} had no sound header and no records: ${excess} bytes dropped`)
    createJournal(files, folder, meta)
    return readJournal(files, folder, meta, found) as JournalScan
  }
  if (excess > 0) notes.push(`the last record of ${fileNames.journal} was torn: ${excess} bytes dropped`)
  return scan
}

/** A place in the run from which records can be counted on: its beginning, or what a checkpoint covers. */
interface Base {
  readonly name: string
  readonly records: number
  readonly lastChecksum: number
}

/** A base with the sound records that follow it in an unbroken chain. */
interface Rescue {
  readonly base: Base
  readonly tail: readonly PlacedRecord[]
}

/**
 * Makes a journal whole again from its sound records, and says so in words; the damaged one is kept beside it. A checkpoint
 * newer than the damage saves all records that follow it. Damage behind the last record that is known to have reached the
 * disk is what a power cut left of the last writes: the journal ends there, and the queries of later records are evaluated
 * again. Damage before it is none of ours, and would give up what was kept: it is refused.
 */
function rescueJournal(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  scan: JournalScan | undefined,
  found: readonly FoundCheckpoint[],
  notes: string[],
): JournalScan {
  const path = join(folder, fileNames.journal)
  const bytes = readWhole(files, path)
  const records = [...soundRecords(bytes ?? new Uint8Array(0))]
  const covered = found.map(({ name, kept: { records, lastChecksum } }) => ({ name, records, lastChecksum }))
  const first = { name: 'the beginning', records: scan?.header?.after ?? 0, lastChecksum: beginning(meta).lastChecksum }
  if (scan?.header !== undefined && first.records > 0) first.lastChecksum = scan.header.lastChecksum
  const rescue = furthest(bytes === undefined ? covered : [first, ...covered], covered, records, meta)
  const last = rescue === undefined ? 0 : reach(rescue)
  const lost = records.filter(({ found }) => found.number > last).length
  const durable = records.reduce((most, { found }) => Math.max(most, found.durable), 0)
  if (rescue === undefined || last < durable) {
    const newest = Math.max(0, ...covered.map((each) => each.records))
    const onward = newest === 0 ? 'begin a new run' : `delete ${path} to continue from record ${newest}`
    const advice = `put the folder back from a copy, or ${onward}`
    throw new ZerothError('invalid-run', `${damageText(folder, scan, meta)}: ${advice}`)
  }
  const { base, tail } = rescue
  if (bytes !== undefined) writeAtomically(files, `${path}.damaged`, [bytes])
  const { id, created } = meta
  const header = encodeHeader({
    id,
    created,
    after: base.records,
    lastChecksum: base.records === 0 ? 0 : base.lastChecksum,
  })
  const pieces = tail.map(({ position, found }) => (bytes ?? header).subarray(position, position + found.bytes.length))
  writeAtomically(files, path, [header, ...pieces])
  const kept = `${tail.length} records after ${base.name} kept (${last} in all)`
  const again = lost === 0 ? '' : `; ${lost} sound ones after the damage dropped: their queries are evaluated again`
  notes.push(`${fileNames.journal} was ${bytes === undefined ? 'missing' : 'damaged'}: ${kept}${again}`)
  return readJournal(files, folder, meta, found) as JournalScan
}

function damageText(folder: string, scan: JournalScan | undefined, meta: RunMeta): string {
  const path = join(folder, fileNames.journal)
  if (scan === undefined) return `${path} is missing`
  const { header, last, after } = scan
  if (after === undefined) {
    const needed = `${folder} can only continue from a checkpoint that covers ${earliest(scan, meta)} records or more`
    return `${needed}, and has none that is sound and fits its journal (${last.records} records)`
  }
  const what = header === undefined ? 'the header' : `record ${last.records + 1} at byte ${last.position}`
  return `${path}: ${what} is damaged, but record ${after.number} at byte ${after.position} is sound`
}

/** The base from which the run gets furthest; of equals the earliest, which keeps most. */
function furthest(
  bases: readonly Base[],
  checkpoints: readonly Base[],
  records: readonly PlacedRecord[],
  meta: RunMeta,
): Rescue | undefined {
  const least = meta.extensions.at(-1)?.records ?? 0
  return bases
    .map((base) => ({ base, tail: tailAfter(base, records) }))
    .filter((rescue) => {
      if (rescue.base.records === 0 && least === 0) return true
      return checkpoints.some((each) => each.records >= least && reaches(rescue, each))
    })
    .sort((a, b) => reach(b) - reach(a) || a.base.records - b.base.records)[0]
}

function tailAfter(base: Base, records: readonly PlacedRecord[]): PlacedRecord[] {
  const tail: PlacedRecord[] = []
  let lastChecksum = base.lastChecksum
  for (const each of records) {
    if (each.found.previous !== lastChecksum || each.found.number !== base.records + tail.length + 1) continue
    tail.push(each)
    lastChecksum = each.found.checksum
  }
  return tail
}

function reaches({ base, tail }: Rescue, { records, lastChecksum }: Base): boolean {
  if (records === base.records) return lastChecksum === base.lastChecksum
  return tail[records - base.records - 1]?.found.checksum === lastChecksum
}

function reach({ base, tail }: Rescue): number {
  return base.records + tail.length
}

/** Where a run may be resumed at the earliest: records before that are gone, or belong to an end that was given up. */
function earliest(scan: JournalScan, meta: RunMeta): number {
  return Math.max(scan.header?.after ?? 0, meta.extensions.at(-1)?.records ?? 0)
}
