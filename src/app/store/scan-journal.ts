import { join } from 'node:path'
import {
  chainStart,
  decodeHeader,
  type FoundRecord,
  findRecord,
  headerLength,
  type JournalHeader,
  type JournalRecord,
  type RunName,
  recordHead,
  recordLength,
  recordMark,
  recordOf,
} from './journal-record.ts'
import { nodeFiles, openToRead, type RunFile } from './run-file.ts'
import { fileNames } from './run-folder.ts'

/** A place between two records: so many came before it, the last with this checksum. */
export interface JournalPlace {
  readonly records: number
  readonly lastChecksum: number
  /** The byte where the next record begins. */
  readonly position: number
  readonly seconds: number
}

/** What a journal holds. */
export interface JournalScan {
  /** Undefined where the header is damaged or cut off. */
  readonly header: JournalHeader | undefined
  /** The place behind the last good record. */
  readonly last: JournalPlace
  /** The places asked for, as far as the journal reaches them. */
  readonly places: ReadonlyMap<number, JournalPlace>
  /** Bytes behind the last good record. */
  readonly excess: number
  /** First valid record after a gap; its presence means damage, not a torn tail. */
  readonly after: { readonly number: number; readonly position: number } | undefined
}

/** Reads a whole journal once, checking every record and its place in the chain. */
export function scanJournal(file: RunFile, run: RunName, wanted: readonly number[] = []): JournalScan {
  const head = new Uint8Array(headerLength)
  const header = decodeHeader(file.path, head.subarray(0, file.read(head, 0)), run)
  const reader = new RecordReader(file)
  const end = file.size
  const places = new Map<number, JournalPlace>()
  let last = startOf(header)
  for (let next = header && last; next !== undefined; next = follow(reader, last, end)) {
    last = next
    if (wanted.includes(last.records)) places.set(last.records, last)
  }
  const from = header === undefined ? 0 : last.position
  const after = reader.search(from, end, last.records + 1)
  return {
    header,
    last,
    places,
    excess: end - from,
    after: after && { number: after.found.number, position: after.position },
  }
}

function startOf(header: JournalHeader | undefined): JournalPlace {
  const records = header?.after ?? 0
  return { records, lastChecksum: header === undefined ? 0 : chainStart(header), position: headerLength, seconds: 0 }
}

/** The place behind the next record; undefined where it is damaged, missing or not the next. */
function follow(reader: RecordReader, last: JournalPlace, end: number): JournalPlace | undefined {
  const found = reader.at(last.position, end)
  if (found === undefined || found.previous !== last.lastChecksum || found.number !== last.records + 1) return undefined
  return {
    records: found.number,
    lastChecksum: found.checksum,
    position: last.position + found.bytes.length,
    seconds: found.seconds,
  }
}

/**
 * The records of a journal in their order, as far as they are undamaged, also of one that is being written; returns how many
 * it had dropped before the first of them.
 */
export function* journalRecords(folder: string): Generator<JournalRecord, number, void> {
  const file = openToRead(nodeFiles, join(folder, fileNames.journal))
  if (file === undefined) return 0
  try {
    const end = file.size
    const reader = new RecordReader(file)
    let position = headerLength
    let first: number | undefined
    for (let found = reader.at(position, end); found !== undefined; found = reader.at(position, end)) {
      first ??= found.number
      position += found.bytes.length
      yield recordOf(found)
    }
    return (first ?? 1) - 1
  } finally {
    file.close()
  }
}

const windowSize = 1 << 18

/** A record and the byte where it begins. */
export interface PlacedRecord {
  readonly position: number
  readonly found: FoundRecord
}

/** All undamaged records among some bytes, whatever is between them. */
export function* soundRecords(bytes: Uint8Array): Generator<PlacedRecord, void, void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let position = buffer.indexOf(recordMark)
  while (position >= 0) {
    const length = recordLength(bytes.subarray(position, position + recordHead))
    const found = length === undefined ? undefined : findRecord(bytes.subarray(position, position + length))
    if (found !== undefined) yield { position, found }
    position = buffer.indexOf(recordMark, position + (found?.bytes.length ?? 1))
  }
}

/** Reads records of a journal wherever they are, a window of the file at a time. */
export class RecordReader {
  readonly #file: RunFile
  #window: Uint8Array = new Uint8Array(0)
  #start = 0

  constructor(file: RunFile) {
    this.#file = file
  }

  /** The record that begins at this byte; undefined where there is no undamaged one before the byte `end`. */
  at(position: number, end: number): FoundRecord | undefined {
    const length = recordLength(this.#bytes(position, Math.min(recordHead, end - position)))
    if (length === undefined || position + length > end) return undefined
    return findRecord(this.#bytes(position, length))
  }

  /** The first undamaged record behind a byte that counts at least as `number`, with its place. */
  search(from: number, end: number, number: number): PlacedRecord | undefined {
    const rest = new Uint8Array(end - from)
    this.#file.read(rest, from)
    for (const { position, found } of soundRecords(rest)) {
      if (found.number >= number) return { position: from + position, found }
    }
    return undefined
  }

  #bytes(position: number, length: number): Uint8Array {
    if (length <= 0) return new Uint8Array(0)
    const offset = position - this.#start
    if (offset < 0 || offset + length > this.#window.length) {
      const room = new Uint8Array(Math.max(windowSize, length))
      this.#window = room.subarray(0, this.#file.read(room, position))
      this.#start = position
      return this.#window.subarray(0, length)
    }
    return this.#window.subarray(offset, offset + length)
  }
}
