import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ask } from '../../optimizer/core/answers.ts'
import { andThen } from '../../optimizer/core/async.ts'
import type { Order } from '../../optimizer/core/engine.ts'
import { reasonText, ZerothError } from '../../optimizer/core/errors.ts'
import type { Answers, Objective, Queries } from '../../optimizer/core/types.ts'
import {
  chainStart,
  encodeHeader,
  type FoundRecord,
  headerLength,
  type JournalRecord,
  type RunName,
  recordEncoder,
  recordOf,
} from './journal-record.ts'
import {
  copied,
  type LaterFiles,
  RunFile,
  type Steps,
  type StoreFiles,
  syncOrAsync,
  writeAtomically,
} from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type JournalPlace, RecordReader } from './scan-journal.ts'

/** A power cut loses at most what was written in this many milliseconds. */
const syncEvery = 1000
/** The same where records come in while others are on their way to the disk: these must be there when the second is over. */
const syncLaterEvery = 900

/** Bytes of records that two checkpoints cover from which on they are dropped. */
export const journalLimit: number = 64 << 20

/** Writes an empty journal. */
export function createJournal(files: StoreFiles, folder: string, { id, created }: RunName): void {
  writeAtomically(files, join(folder, fileNames.journal), [encodeHeader({ id, created, after: 0, lastChecksum: 0 })])
}

/** The place before the first record of a run. */
export function beginning({ id, created }: RunName): JournalPlace {
  return {
    records: 0,
    lastChecksum: chainStart({ id, created, after: 0, lastChecksum: 0 }),
    position: headerLength,
    seconds: 0,
  }
}

/** What a journal is opened with. */
interface JournalParts {
  readonly files: StoreFiles
  readonly folder: string
  readonly run: RunName
  /** Where reading begins. */
  readonly at: JournalPlace
  /** Where its last good record ends. */
  readonly last: JournalPlace
  /** How many of its records are known to be on the disk. */
  readonly durable: number
  readonly clock: () => number
  /** Throws if the run is no more for this process to write; asked before every record. */
  readonly guard: () => void
}

/** A record before it has its place. */
type NewRecord = Omit<JournalRecord, 'number' | 'durable'>

/** An open journal: first gives the records that are there, then takes new ones. */
export class Journal {
  readonly #files: StoreFiles
  readonly #run: RunName
  readonly #encode = recordEncoder()
  readonly #clock: () => number
  readonly #guard: () => void
  #file: RunFile
  #reader: RecordReader
  /** The next record, if it was looked at before. */
  #found: FoundRecord | undefined
  #at: JournalPlace
  /** Before the record that was read or appended last. */
  #before: JournalPlace | undefined
  /** Before the last record that the latest checkpoint covers. */
  #covered: JournalPlace | undefined
  #last: JournalPlace
  #durable: number
  /** When everything appended until then was on its way to the disk. */
  #syncedAt: number
  /** When the oldest record was appended that may not be on the disk. */
  #undurable: number | undefined
  #dirty = false
  /** Records on their way to the disk. */
  #syncing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failure: unknown

  /** Opens the journal of a folder and drops what is behind its last good record. */
  constructor({ files, folder, run, at, last, durable, clock, guard }: JournalParts) {
    this.#files = files
    this.#run = run
    this.#file = new RunFile(files, join(folder, fileNames.journal), 'a+')
    this.#file.truncate(last.position)
    this.#reader = new RecordReader(this.#file)
    this.#at = at
    this.#last = last
    this.#durable = durable
    this.#clock = clock
    this.#guard = guard
    this.#syncedAt = clock()
  }

  get path(): string {
    return this.#file.path
  }

  /** Up to where records were read or appended. */
  get at(): JournalPlace {
    return this.#at
  }

  /** Records that were there when the run was opened and have not been read yet. */
  get unread(): number {
    return this.#last.records - this.#at.records
  }

  /** The iteration of the next record that is there; undefined where new ones are to be appended, or if it is damaged. */
  get next(): number | undefined {
    this.#found ??= this.unread === 0 ? undefined : this.#reader.at(this.#at.position, this.#last.position)
    return this.#found && recordOf(this.#found).iteration
  }

  /** The next record that is there; undefined where new ones are to be appended. */
  read(): JournalRecord | undefined {
    if (this.unread === 0) return undefined
    const found = this.#found ?? this.#reader.at(this.#at.position, this.#last.position)
    this.#found = undefined
    if (found === undefined || found.previous !== this.#at.lastChecksum) {
      const where = `record ${this.#at.records + 1} at byte ${this.#at.position}`
      throw new ZerothError('invalid-run', `${this.path}: ${where} changed while the run was open`)
    }
    const { number, seconds, checksum, bytes } = found
    this.#before = this.#at
    this.#at = { records: number, lastChecksum: checksum, position: this.#at.position + bytes.length, seconds }
    return recordOf(found)
  }

  /** Adds a record behind the last one. A killed process loses nothing, a power cut at most the last second. */
  append(batch: NewRecord): void {
    const number = this.#last.records + 1
    const { bytes, checksum } = this.#encode({ ...batch, number, durable: this.#durable }, this.#last.lastChecksum)
    this.#attempt(() => {
      this.#guard()
      this.#file.append(bytes)
    })
    this.#before = this.#last
    this.#last = {
      records: number,
      lastChecksum: checksum,
      position: this.#last.position + bytes.length,
      seconds: batch.seconds,
    }
    this.#at = this.#last
    this.#dirty = true
    this.#undurable ??= this.#clock()
    this.#syncWhenDue()
  }

  /** Makes everything appended survive a power cut. */
  sync(): void {
    this.#attempt(() => {
      if (this.#dirty || this.#syncing !== undefined) {
        this.#file.datasync()
        this.#durable = this.#last.records
      }
    })
    this.#dirty = false
    this.#undurable = undefined
    this.#syncedAt = this.#clock()
  }

  /** The same beside the loop where there is a way. */
  *syncing(later: LaterFiles | undefined): Steps {
    if (later === undefined) return this.sync()
    yield* this.settling()
    if (this.#dirty) this.#syncLater(later)
    yield* this.settling()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Waits until no record is on its way to the disk. */
  *settling(): Steps {
    while (this.#syncing !== undefined) yield this.#syncing
  }

  /**
   * Told that a checkpoint covers all that had been read or appended when `covering` was asked for. What the one before covers, too, is needed no more:
   * it is dropped once it takes `limit` bytes and more than the rest. The last of these records stays, for its time.
   */
  *checkpointed(limit: number, covering: JournalPlace | undefined): Steps {
    const covered = this.#covered
    this.#covered = covering
    if (covered === undefined) return
    const rest = this.#last.position - covered.position
    if (covered.position - headerLength < Math.max(limit, rest, 1)) return
    // The file is closed there.
    yield* this.settling()
    this.#attempt(() => this.#dropBefore(covered))
  }

  /** The place before the record that was read or appended last. */
  get covering(): JournalPlace | undefined {
    return this.#before
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#file.close()
  }

  /** Puts a journal in the place of this one that begins with the record behind a place. At no moment there is none. */
  #dropBefore({ records, lastChecksum, position }: JournalPlace): void {
    const { path } = this.#file
    this.#file.datasync()
    this.#file.close()
    const header = encodeHeader({ ...this.#run, after: records, lastChecksum })
    const rest = copied(this.#files, path, [{ from: position, to: this.#last.position }])
    writeAtomically(this.#files, path, joined(header, rest))
    this.#file = new RunFile(this.#files, path, 'a+')
    this.#reader = new RecordReader(this.#file)
    const moved = (place: JournalPlace) => ({ ...place, position: place.position - position + headerLength })
    this.#at = moved(this.#at)
    this.#last = moved(this.#last)
    this.#before &&= moved(this.#before)
    this.#covered &&= moved(this.#covered)
  }

  #syncWhenDue(): void {
    const { later } = this.#files
    const now = this.#clock()
    // A disk that is slower than the run must not leave more behind than a second of it.
    if (later !== undefined && now - (this.#undurable ?? now) >= syncEvery && this.#syncing !== undefined) this.sync()
    const wait = this.#syncedAt + (later === undefined ? syncEvery : syncLaterEvery) - now
    if (wait <= 0 && later !== undefined) this.#syncLater(later)
    else if (wait <= 0) this.sync()
    // An objective that takes long must not keep a record waiting for the next one.
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.#syncByTimer(), wait).unref()
  }

  #syncByTimer(): void {
    this.#timer = undefined
    const { later } = this.#files
    try {
      if (later === undefined) this.sync()
      else this.#syncLater(later)
    } catch {
      // No caller waits for it now: the next append or sync reports it.
    }
  }

  /** Sends what was appended to the disk and does not wait for it. */
  #syncLater(later: LaterFiles): void {
    if (this.#syncing !== undefined || !this.#dirty || this.#failure !== undefined) return
    this.#dirty = false
    this.#syncedAt = this.#clock()
    const began = this.#syncedAt
    const { records } = this.#last
    const ended = (): void => {
      this.#syncing = undefined
      this.#durable = Math.max(this.#durable, records)
      this.#undurable = this.#dirty ? began : undefined
      if (this.#dirty) this.#syncWhenDue()
    }
    // An error is reported by the next append or sync.
    this.#syncing = (syncOrAsync(this.#file.datasyncing(later)) ?? Promise.resolve()).then(ended, (error: unknown) => {
      this.#failure ??= error
      this.#syncing = undefined
    })
  }

  /** After a failure the content of the file is unknown, so it is not touched again: the next opening checks it. */
  #attempt(call: () => void): void {
    if (this.#failure !== undefined) throw this.#failure
    try {
      call()
    } catch (error) {
      this.#failure = error
      throw error
    }
  }
}

function* joined(first: Uint8Array, rest: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  yield first
  yield* rest
}

const nothing = new Float64Array(0)

/** An objective with the journal of its run around it. */
export interface Journaled {
  /** Replays recorded answers, then evaluates and records nothing: `order` does it, when answers are told. */
  readonly replayed: Objective
  /** The order of the records that are there; whatever is told after them is recorded. */
  readonly order: Order
  /** Replays recorded answers, then evaluates and records each batch before returning it; not aborted ones. For loops without `order`. */
  readonly recorded: Objective
}

/** Puts a journal around an objective. `elapsed` gives the seconds the run has worked. */
export function journaled(journal: Journal, objective: Objective, elapsed: () => number): Journaled {
  const points = pointsChecksum()
  /** Whether the answers that are told next were read from the journal. */
  let isRead = false
  const record = (queries: Queries, into: Answers): void => {
    journal.append(batchOf(queries, points(queries), into, elapsed()))
  }
  const replays = (queries: Queries, into: Answers): boolean => {
    isRead = answerFrom(journal, queries, points, into)
    if (isRead) objective.recall?.(queries, into)
    return isRead
  }
  const around = { dim: objective.dim, close: () => objective.close?.() }
  return {
    order: {
      next: () => journal.next,
      told(queries, into) {
        if (!isRead) record(queries, into)
        isRead = false
      },
    },
    replayed: {
      ...around,
      evaluate: (queries, into, signal) =>
        replays(queries, into) ? undefined : objective.evaluate(queries, into, signal),
    },
    recorded: {
      ...around,
      evaluate(queries, into, signal) {
        if (replays(queries, into)) return undefined
        return andThen(ask(objective, queries, into, signal), () => {
          if (signal?.aborted !== true) record(queries, into)
        })
      },
    },
  }
}

function answerFrom(journal: Journal, queries: Queries, points: (queries: Queries) => number, into: Answers): boolean {
  const { position } = journal.at
  const record = journal.read()
  if (record === undefined) return false
  const [found, asked] = [what(record.iteration, record), what(queries.key.iteration, queries)]
  if (found !== asked || record.points !== points(queries)) {
    const where = `${journal.path}: record ${record.number} at byte ${position}`
    const why = 'the spec, the solver, the objective or zeroth itself is not the one of this run'
    const difference = found === asked ? `asks ${asked} about other points` : `asks ${asked}`
    throw new ZerothError('invalid-checkpoint', `${where} answers ${found}, but the run ${difference}; ${why}`)
  }
  into.values.set(record.values)
  into.failed.set(record.failed)
  into.cached?.set(record.cached)
  if (record.dropped !== undefined) into.dropped?.set(record.dropped)
  into.retries = record.retries
  into.notes = record.notes.length === 0 ? null : record.notes
  for (const [row, reason] of record.reasons) into.reasons[row] = reason
  return true
}

function what(iteration: number, { rows, centers }: { rows: number; centers: number }): string {
  return `iteration ${iteration} (rows: ${rows}, centers: ${centers})`
}

/** Variables up to which points are made once more for their checksum, and up to which it is over the last row, too. */
const mostMade = 1 << 16
const mostOften = 256
/** Variables that a checksum is over at most. */
const mostSummed = 4096

/**
 * A checksum of what a batch asks: of its first row, and of its last if that costs nothing to speak of. A run that goes
 * another way than the one that was recorded shows it there, in this batch or in the next one.
 */
export function pointsChecksum(): (queries: Queries) => number {
  let room = nothing
  return (queries) => {
    const { rows, dim, centers } = queries
    if (rows === 0) return 0
    const sum = (row: number, before: number): number => {
      const lying = queries.inPlace?.(row)
      if (room.length < dim && dim <= mostMade) room = new Float64Array(dim)
      if (dim <= mostMade) queries.write(row, room)
      else if (lying !== undefined) room = Float64Array.from(lying.subarray(0, mostSummed))
      else return before
      return crc32(new Uint8Array(room.buffer, 0, 8 * Math.min(dim, mostSummed)), before)
    }
    const isCheap = dim <= mostOften
    const first = isCheap || centers > 0 ? sum(0, 0) : 0
    return isCheap && rows > 1 ? sum(rows - 1, first) : first
  }
}

function batchOf(queries: Queries, points: number, answers: Answers, seconds: number): NewRecord {
  const { rows, centers } = queries
  const reasons: [number, string][] = []
  for (let row = 0; row < rows; row++) {
    if (answers.reasons[row] !== undefined) reasons.push([row, reasonText(answers.reasons[row])])
  }
  return {
    iteration: queries.key.iteration,
    rows,
    centers,
    retries: answers.retries ?? 0,
    seconds,
    points,
    values: answers.values,
    failed: answers.failed,
    cached: answers.cached ?? new Uint8Array(rows),
    dropped: answers.dropped,
    notes: answers.notes ?? nothing,
    reasons,
  }
}
