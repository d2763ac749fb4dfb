import { ZerothError } from '../core/errors.ts'
import { checkVersion } from './sealed-json.ts'

/** What tells a run from others: its id, and when it was created, should the id have been used again. */
export interface RunName {
  readonly id: string
  readonly created: string
}

/** How a journal begins. */
export interface JournalHeader extends RunName {
  /** How many records of the run came before the first one here; above 0 after a repair, or when it dropped them. */
  readonly after: number
  /** The checksum of the last of them; 0 where there is none. */
  readonly tip: number
}

/** Bytes before the first record. */
export const headerLength = 96
const mark = new TextEncoder().encode('zeroth-j')
const version = 1
const idAt = 24

/** The header as bytes: mark, schema version, where the journal begins, a checksum of the run's date, its id, CRC-32. */
export function encodeHeader({ id, created, after, tip }: JournalHeader): Uint8Array {
  const bytes = new Uint8Array(headerLength)
  const view = new DataView(bytes.buffer)
  bytes.set(mark)
  view.setUint32(8, version, true)
  view.setUint32(12, after, true)
  view.setUint32(16, tip, true)
  view.setUint32(20, birth(created), true)
  bytes.set(new TextEncoder().encode(id), idAt)
  view.setUint32(headerLength - 4, crc32(bytes, 0, headerLength - 4), true)
  return bytes
}

/** Reads a header; undefined where it is damaged or cut off. Refuses that of a newer schema and of another run. */
export function decodeHeader(path: string, bytes: Uint8Array, run: RunName): JournalHeader | undefined {
  if (bytes.length < headerLength || !mark.every((byte, i) => bytes[i] === byte)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(headerLength - 4, true) !== crc32(bytes, 0, headerLength - 4)) return undefined
  checkVersion(path, view.getUint32(8, true), version)
  const found = new TextDecoder().decode(bytes.subarray(idAt, idAt + 64)).replace(/\0+$/, '')
  if (found !== run.id || view.getUint32(20, true) !== birth(run.created)) {
    const which = found === run.id ? 'another run of that name' : `run ${found}`
    throw new ZerothError('invalid-run', `${path} is the journal of ${which}, but this is run ${run.id}`)
  }
  return { ...run, after: view.getUint32(12, true), tip: view.getUint32(16, true) }
}

/** The checksum to which the first record behind a header is chained. */
export function headerTip(header: JournalHeader): number {
  if (header.after > 0) return header.tip
  const bytes = encodeHeader(header)
  return new DataView(bytes.buffer).getUint32(headerLength - 4, true)
}

function birth(created: string): number {
  return crc32(new TextEncoder().encode(created))
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let word = byte
  for (let bit = 0; bit < 8; bit++) word = (word & 1) === 0 ? word >>> 1 : (word >>> 1) ^ 0xedb88320
  return word
})

/** The CRC-32 of zip, PNG and `zlib.crc32`: it finds every error of up to 32 neighbouring bits. */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let word = -1
  for (let i = from; i < to; i++) word = (word >>> 8) ^ (table[(word ^ (bytes[i] as number)) & 255] as number)
  return ~word >>> 0
}
