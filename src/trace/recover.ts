import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import type { KeptCheckpoint } from './checkpoint-header.ts'
import type { CheckpointPace } from './checkpoint-pace.ts'
import { type BadCheckpoint, CheckpointWriter, type FoundCheckpoint, readCheckpoints } from './checkpoints.ts'
import { beginning, createJournal, Journal } from './journal.ts'
import type { RunMeta } from './meta-file.ts'
import { openToRead } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type JournalScan, scanJournal } from './scan-journal.ts'
import type { StoreFiles } from './store-files.ts'
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
  /** Use only checkpoints that hold what the objective remembers of its answers. */
  readonly account: boolean
  readonly pace: CheckpointPace
}

/** Puts a run where its files agree: the newest usable checkpoint and the records behind it. */
export function recover(
  files: StoreFiles,
  folder: string,
  meta: RunMeta,
  { clock, fromStart, account, pace }: RecoverOptions,
): Recovered {
  const { found, bad } = readCheckpoints(files, folder, meta.id)
  const notes = bad.map(({ name, why }) => `${name} is not used: ${why}`)
  const scan = soundJournal(files, folder, meta, found, notes)
  const whole = earliest(scan, meta) === 0
  const isWanted = ({ kept }: FoundCheckpoint): boolean => !whole || !account || kept.checkpoint.account !== undefined
  const chosen = whole && fromStart ? undefined : found.find((each) => isUsable(each, scan, meta) && isWanted(each))
  const newest = found[0]
  if (newest !== undefined && newest.kept.records > scan.last.records) {
    const lost = `${scan.last.records + 1} to ${newest.kept.records}`
    notes.push(`${fileNames.journal} has lost its records ${lost}: their queries are evaluated again`)
  }
  if (chosen === undefined && earliest(scan, meta) > 0)
    throw new ZerothError('invalid-run', stranded(folder, scan, meta, bad))
  const kept = chosen?.kept
  const covered = { bytes: kept?.traceBytes ?? 0, iteration: kept?.checkpoint.iteration ?? 0 }
  const { trace, note } = openTrace(files, folder, covered, clock)
  if (note !== undefined) notes.push(note)
  const at = (kept && scan.places.get(kept.records)) ?? beginning(meta)
  return {
    kept,
    journal: new Journal({ files, folder, run: meta, at, last: scan.last, clock }),
    trace,
    checkpoints: new CheckpointWriter({ files, folder, newest: chosen?.name, clock, pace }),
    seconds: scan.last.seconds,
    notes,
  }
}

/** Whether the journal holds what a checkpoint covers, and the run may still be resumed there. */
function isUsable({ kept }: FoundCheckpoint, scan: JournalScan, meta: RunMeta): boolean {
  return scan.places.get(kept.records)?.tip === kept.tip && kept.records >= earliest(scan, meta)
}

/** Reads the journal of a folder without changing it; undefined where it has none. */
export function readJournal(
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
  const path = join(folder, fileNames.journal)
  const scan = readJournal(files, folder, meta, found)
  const advice = `"zeroth repair ${folder}" can help`
  if (scan === undefined) throw new ZerothError('invalid-run', `${path} is missing: put it back, or ${advice}`)
  const { header, last, behind, excess } = scan
  if (behind !== undefined) {
    const what = header === undefined ? 'the header' : `record ${last.records + 1} at byte ${last.position}`
    const proof = `record ${behind.number} at byte ${behind.position} is sound`
    throw new ZerothError('invalid-run', `${path}: ${what} is damaged, but ${proof}; ${advice}`)
  }
  if (header === undefined) {
    notes.push(`${fileNames.journal} had no sound header and no records: ${excess} bytes dropped`)
    createJournal(files, folder, meta)
    return readJournal(files, folder, meta, found) as JournalScan
  }
  if (excess > 0) notes.push(`the last record of ${fileNames.journal} was torn: ${excess} bytes dropped`)
  return scan
}

/** Where a run may be resumed at the earliest: records before that are gone, or belong to an end that was given up. */
function earliest(scan: JournalScan, meta: RunMeta): number {
  return Math.max(scan.header?.after ?? 0, meta.extensions.at(-1)?.records ?? 0)
}

function stranded(folder: string, scan: JournalScan, meta: RunMeta, bad: readonly BadCheckpoint[]): string {
  const needed = `${folder} can only continue from a checkpoint that covers ${earliest(scan, meta)} records or more`
  if (bad.some(({ isOutdated }) => isOutdated)) {
    const why = 'those it has are in the format of an earlier zeroth, which this one does not read'
    return `${needed}, and ${why}: resume it with the version of zeroth that wrote it, or start it again with the limits you want`
  }
  return `${needed}, and has none that is sound and fits its journal (${scan.last.records} records)`
}
