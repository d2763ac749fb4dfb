import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { encodeHeader, headerLength, headerTip, type RunName } from './journal-header.ts'
import { type JournalRecord, recordEncoder, recordOf } from './journal-record.ts'
import { copied, RunFile, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type JournalPlace, RecordReader } from './scan-journal.ts'
import { type Steps, takeSteps } from './stepwise.ts'
import type { LaterFiles, StoreFiles } from './store-files.ts'

/** A power cut loses at most what was written in this many milliseconds. */
const syncEvery = 1000
/** The same where records come in while others are on their way to the disk: these must be there when the second is over. */
const syncLaterEvery = 900

/** Bytes of records that two checkpoints cover from which on they are dropped. */
export const journalLimit: number = 64 << 20

/** Writes an empty journal. */
export function createJournal(files: StoreFiles, folder: string, { id, created }: RunName): void {
  writeAtomically(files, join(folder, fileNames.journal), [encodeHeader({ id, created, after: 0, tip: 0 })])
}

/** The place before the first record of a run. */
export function beginning({ id, created }: RunName): JournalPlace {
  return { records: 0, tip: headerTip({ id, created, after: 0, tip: 0 }), position: headerLength, seconds: 0 }
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
  readonly clock: () => number
}

/** An open journal: first gives the records that are there, then takes new ones. */
export class Journal {
  readonly #files: StoreFiles
  readonly #run: RunName
  readonly #encode = recordEncoder()
  readonly #clock: () => number
  #file: RunFile
  #reader: RecordReader
  #at: JournalPlace
  /** Before the record that was read or appended last. */
  #before: JournalPlace | undefined
  /** Before the last record that the latest checkpoint covers. */
  #covered: JournalPlace | undefined
  #last: JournalPlace
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
  constructor({ files, folder, run, at, last, clock }: JournalParts) {
    this.#files = files
    this.#run = run
    this.#file = new RunFile(files, join(folder, fileNames.journal), 'a+')
    this.#file.truncate(last.position)
    this.#reader = new RecordReader(this.#file)
    this.#at = at
    this.#last = last
    this.#clock = clock
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

  /** The next record that is there; undefined where new ones are to be appended. */
  read(): JournalRecord | undefined {
    if (this.unread === 0) return undefined
    const found = this.#reader.at(this.#at.position, this.#last.position)
    if (found === undefined || found.previous !== this.#at.tip) {
      const where = `record ${this.#at.records + 1} at byte ${this.#at.position}`
      throw new ZerothError('invalid-run', `${this.path}: ${where} changed while the run was open`)
    }
    const { number, seconds, checksum, bytes } = found
    this.#before = this.#at
    this.#at = { records: number, tip: checksum, position: this.#at.position + bytes.length, seconds }
    return recordOf(found)
  }

  /** Adds a record behind the last one. A killed process loses nothing, a power cut at most the last second. */
  append(batch: Omit<JournalRecord, 'number'>): void {
    const number = this.#last.records + 1
    const { bytes, checksum } = this.#encode({ ...batch, number }, this.#last.tip)
    this.#attempt(() => this.#file.append(bytes))
    this.#before = this.#last
    this.#last = {
      records: number,
      tip: checksum,
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
      if (this.#dirty || this.#syncing !== undefined) this.#file.datasync()
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
  #dropBefore({ records, tip, position }: JournalPlace): void {
    const { path } = this.#file
    this.#file.datasync()
    this.#file.close()
    const header = encodeHeader({ ...this.#run, after: records, tip })
    const rest = copied(this.#files, path, [{ from: position, to: this.#last.position }])
    writeAtomically(this.#files, path, behind(header, rest))
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
    const ended = (): void => {
      this.#syncing = undefined
      this.#undurable = this.#dirty ? began : undefined
      if (this.#dirty) this.#syncWhenDue()
    }
    // An error is reported by the next append or sync.
    this.#syncing = (takeSteps(this.#file.datasyncing(later)) ?? Promise.resolve()).then(ended, (error: unknown) => {
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

function* behind(first: Uint8Array, rest: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  yield first
  yield* rest
}
