import { crc32 } from 'node:zlib'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { jsonOr } from '../../optimizer/core/exact-json.ts'
import { Issue, integerFrom, listOf, text, tuple } from '../../optimizer/core/options.ts'
import { checkVersion } from './sealed-json.ts'

/** What tells a run from others: its id, and when it was created, should the id have been used again. */
export interface RunName {
  readonly id: string
  readonly created: string
}

/** How a journal begins. */
export interface JournalHeader extends RunName {
  /** How many records of the run came before the first one here; above 0 if it dropped them, or was damaged and made whole. */
  readonly after: number
  /** The checksum of the last of them; 0 where there is none. */
  readonly lastChecksum: number
}

/** Bytes before the first record. */
export const headerLength = 96
const mark = new TextEncoder().encode('zeroth-j')
const version = 1
const idAt = 24

/** The header as bytes: mark, schema version, where the journal begins, a checksum of the run's date, its id, CRC-32. */
export function encodeHeader({ id, created, after, lastChecksum }: JournalHeader): Uint8Array {
  const bytes = new Uint8Array(headerLength)
  const view = new DataView(bytes.buffer)
  bytes.set(mark)
  view.setUint32(8, version, true)
  view.setUint32(12, after, true)
  view.setUint32(16, lastChecksum, true)
  view.setUint32(20, createdChecksum(created), true)
  bytes.set(new TextEncoder().encode(id), idAt)
  view.setUint32(headerLength - 4, crc32(bytes.subarray(0, headerLength - 4)), true)
  return bytes
}

/** Reads a header; undefined where it is damaged or cut off. Refuses that of a newer schema and of another run. */
export function decodeHeader(path: string, bytes: Uint8Array, run: RunName): JournalHeader | undefined {
  if (bytes.length < headerLength || !mark.every((byte, i) => bytes[i] === byte)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(headerLength - 4, true) !== crc32(bytes.subarray(0, headerLength - 4))) return undefined
  checkVersion(path, view.getUint32(8, true), version)
  const found = new TextDecoder().decode(bytes.subarray(idAt, idAt + 64)).replace(/\0+$/, '')
  if (found !== run.id || view.getUint32(20, true) !== createdChecksum(run.created)) {
    const which = found === run.id ? 'another run of that name' : `run ${found}`
    throw new ZerothError('invalid-run', `${path} is the journal of ${which}, but this is run ${run.id}`)
  }
  return { ...run, after: view.getUint32(12, true), lastChecksum: view.getUint32(16, true) }
}

/** The checksum to which the first record behind a header is chained. */
export function chainStart(header: JournalHeader): number {
  if (header.after > 0) return header.lastChecksum
  const bytes = encodeHeader(header)
  return new DataView(bytes.buffer).getUint32(headerLength - 4, true)
}

function createdChecksum(created: string): number {
  return crc32(new TextEncoder().encode(created))
}

/** The answers to one batch of queries, as the journal keeps them. */
export interface JournalRecord {
  /** Counted from 1 over the whole run. */
  readonly number: number
  readonly iteration: number
  readonly rows: number
  readonly centers: number
  readonly retries: number
  /** How long the run had been at work when the batch was answered. */
  readonly seconds: number
  /** How many records were known to be on the disk when it was written: none of these can be what a power cut left. */
  readonly durable: number
  /** A checksum of the points that were asked about; 0 if they are too large to make them again for it. */
  readonly points: number
  readonly values: Float64Array
  readonly failed: Uint8Array
  readonly cached: Uint8Array
  /** Rows left without an answer because another one had failed, where there are any. */
  readonly dropped?: Uint8Array | undefined
  /** What was said about the centers beside their values. */
  readonly notes: Float64Array
  /** Why rows failed, as text, by row. */
  readonly reasons: readonly (readonly [row: number, reason: string])[]
}

/** An undamaged record in the journal; `recordOf` reads what it says. */
export interface FoundRecord {
  readonly bytes: Uint8Array
  readonly number: number
  readonly seconds: number
  readonly durable: number
  /** The checksum of the record before it, or of the file's header. */
  readonly previous: number
  /** Its own checksum. */
  readonly checksum: number
}

/** A record as bytes, which the next one overwrites. */
export interface EncodedRecord {
  readonly bytes: Uint8Array
  readonly checksum: number
}

/** The first bytes of a record, by which it is found again behind a damaged one: "ZREC". */
export const recordMark: Uint8Array = Uint8Array.of(0x5a, 0x52, 0x45, 0x43)

/** Bytes of a record before its values. */
export const recordHead = 56
const noBytes = new Uint8Array(0)
const failedBit = 1
const cachedBit = 2
/** How `dropped` follows them: 4 for a row that was not asked, 8 for one that was not waited for. */
const droppedShift = 2

/**
 * Makes bytes of records, in the same memory each time. `previous` chains a record to the one before, so that none can be
 * missing, doubled or of another run.
 */
export function recordEncoder(): (record: JournalRecord, previous: number) => EncodedRecord {
  let room = new Uint8Array(1024)
  let view = viewOf(room)
  return (record, previous) => {
    const { rows, values, failed, cached, dropped, notes } = record
    const reasons = record.reasons.length === 0 ? noBytes : encodeText(JSON.stringify(record.reasons))
    const flags = recordHead + 8 * rows
    const noted = flags + rows
    const length = noted + 8 * notes.length + reasons.length + 4
    if (length > room.length) {
      room = new Uint8Array(2 * length)
      view = viewOf(room)
    }
    room.set(recordMark)
    view.setUint32(4, length, true)
    view.setUint32(8, record.number, true)
    view.setUint32(12, previous, true)
    view.setUint32(16, record.iteration, true)
    view.setUint32(20, rows, true)
    view.setUint32(24, record.centers, true)
    view.setUint32(28, record.retries, true)
    view.setUint32(32, reasons.length, true)
    view.setUint32(36, notes.length, true)
    view.setFloat64(40, record.seconds, true)
    view.setUint32(48, record.durable, true)
    view.setUint32(52, record.points, true)
    for (let row = 0; row < rows; row++) {
      view.setFloat64(recordHead + 8 * row, values[row] as number, true)
      const flag = (failed[row] === 0 ? 0 : failedBit) | (cached[row] === 0 ? 0 : cachedBit)
      room[flags + row] = flag | ((dropped?.[row] ?? 0) << droppedShift)
    }
    for (let i = 0; i < notes.length; i++) view.setFloat64(noted + 8 * i, notes[i] as number, true)
    room.set(reasons, noted + 8 * notes.length)
    const checksum = crc32(room.subarray(0, length - 4))
    view.setUint32(length - 4, checksum, true)
    return { bytes: room.subarray(0, length), checksum }
  }
}

/** How long the record that begins here says it is; undefined where none begins. */
export function recordLength(head: Uint8Array): number | undefined {
  if (head.length < recordHead || !recordMark.every((byte, i) => head[i] === byte)) return undefined
  const view = viewOf(head)
  const length = view.getUint32(4, true)
  const [rows, reasons, notes] = [view.getUint32(20, true), view.getUint32(32, true), view.getUint32(36, true)]
  return length === recordHead + 9 * rows + 8 * notes + reasons + 4 ? length : undefined
}

/** The record that fills `bytes`; undefined where they are not one, to the last bit. */
export function findRecord(bytes: Uint8Array): FoundRecord | undefined {
  const length = recordLength(bytes)
  if (length !== bytes.length) return undefined
  const view = viewOf(bytes)
  const checksum = view.getUint32(length - 4, true)
  if (checksum !== crc32(bytes.subarray(0, length - 4))) return undefined
  const previous = view.getUint32(12, true)
  const [number, seconds, durable] = [view.getUint32(8, true), view.getFloat64(40, true), view.getUint32(48, true)]
  return { bytes, number, seconds, durable, previous, checksum }
}

/** What a record says. */
export function recordOf({ bytes, number, seconds, durable }: FoundRecord): JournalRecord {
  const view = viewOf(bytes)
  const rows = view.getUint32(20, true)
  const flags = bytes.subarray(recordHead + 8 * rows, recordHead + 9 * rows)
  const values = new Float64Array(rows)
  for (let row = 0; row < rows; row++) values[row] = view.getFloat64(recordHead + 8 * row, true)
  const noted = recordHead + 9 * rows
  const notes = new Float64Array(view.getUint32(36, true))
  for (let i = 0; i < notes.length; i++) notes[i] = view.getFloat64(noted + 8 * i, true)
  return {
    number,
    iteration: view.getUint32(16, true),
    rows,
    centers: view.getUint32(24, true),
    retries: view.getUint32(28, true),
    seconds,
    durable,
    points: view.getUint32(52, true),
    values,
    failed: flags.map((flag) => flag & failedBit),
    cached: flags.map((flag) => (flag & cachedBit) / cachedBit),
    dropped: flags.some((flag) => flag >> droppedShift > 0) ? flags.map((flag) => flag >> droppedShift) : undefined,
    notes,
    reasons: decodeReasons(number, bytes.subarray(noted + 8 * notes.length, bytes.length - 4)),
  }
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const reasonsTable = listOf(tuple(integerFrom(0), text))

function decodeReasons(number: number, bytes: Uint8Array): [number, string][] {
  if (bytes.length === 0) return []
  const reasons = reasonsTable.read(jsonOr(new TextDecoder().decode(bytes)))
  if (!(reasons instanceof Issue)) return reasons
  throw new ZerothError(
    'invalid-run',
    `record ${number} of the journal gives its reasons in a way zeroth does not write`,
  )
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
