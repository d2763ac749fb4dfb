import { type FoundRecord, findRecord, recordHead, recordLength, recordMark } from './journal-record.ts'
import type { RunFile } from './run-file.ts'

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
