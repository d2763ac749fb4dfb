import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { encodeHeader, headerLength, headerTip, type RunName } from './journal-header.ts'
import { type JournalRecord, recordEncoder, recordOf } from './journal-record.ts'
import { copied, RunFile, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { type JournalPlace, RecordReader } from './scan-journal.ts'
import type { StoreFiles } from './store-files.ts'

/** A power cut loses at most what was written in this many milliseconds. */
const syncEvery = 1000

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
  #syncedAt: number
  #dirty = false
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
    this.#syncWhenDue()
  }

  /** Makes everything appended survive a power cut. */
  sync(): void {
    this.#attempt(() => {
      if (this.#dirty) this.#file.datasync()
    })
    this.#dirty = false
    this.#syncedAt = this.#clock()
  }

  /**
   * Told that a checkpoint covers all that was read or appended so far. What the one before covers, too, is needed no more:
   * it is dropped once it takes `limit` bytes and more than the rest. The last of these records stays, for its time.
   */
  checkpointed(limit: number): void {
    const covered = this.#covered
    this.#covered = this.#before
    if (covered === undefined) return
    const rest = this.#last.position - covered.position
    if (covered.position - headerLength >= Math.max(limit, rest, 1)) this.#attempt(() => this.#dropBefore(covered))
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
    const wait = this.#syncedAt + syncEvery - this.#clock()
    if (wait <= 0) this.sync()
    // An objective that takes long must not keep a record waiting for the next one.
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.#syncLater(), wait).unref()
  }

  #syncLater(): void {
    this.#timer = undefined
    try {
      this.sync()
    } catch {
      // No caller waits for it now: the next append or sync reports it.
    }
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
