import { decodeHeader, headerLength, headerTip, type JournalHeader, type RunName } from './journal-header.ts'
import { RecordReader } from './record-reader.ts'
import type { RunFile } from './run-file.ts'

/** A place between two records: so many came before it, the last with this checksum. */
export interface JournalPlace {
  readonly records: number
  readonly tip: number
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
  /** The first undamaged record among them, where there is one: then it is no torn tail but damage. */
  readonly behind: { readonly number: number; readonly position: number } | undefined
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
  const behind = reader.search(from, end, last.records + 1)
  return {
    header,
    last,
    places,
    excess: end - from,
    behind: behind && { number: behind.found.number, position: behind.position },
  }
}

function startOf(header: JournalHeader | undefined): JournalPlace {
  const records = header?.after ?? 0
  return { records, tip: header === undefined ? 0 : headerTip(header), position: headerLength, seconds: 0 }
}

/** The place behind the next record; undefined where it is damaged, missing or not the next. */
function follow(reader: RecordReader, last: JournalPlace, end: number): JournalPlace | undefined {
  const found = reader.at(last.position, end)
  if (found === undefined || found.previous !== last.tip || found.number !== last.records + 1) return undefined
  return {
    records: found.number,
    tip: found.checksum,
    position: last.position + found.bytes.length,
    seconds: found.seconds,
  }
}
