import { createHash } from 'node:crypto'
import { checkpointVersion } from '../core/checkpoint.ts'
import { ZerothError } from '../core/errors.ts'
import { headerOf, headerSchema, type KeptCheckpoint, keptFrom, vectorsOf } from './checkpoint-header.ts'
import { checkVersion, parseObject } from './sealed-json.ts'
import { layOut, readVectors, type VectorRoom } from './stored-vectors.ts'

/** The version of the file. That of the checkpoint in it is 2; in a file of version 2 every vector is stored as it is. */
const fileVersion = 3

const mark = new TextEncoder().encode('zeroth-c')
const headAt = 16
const maxHeader = 1 << 20
const sealLength = 32

/** Bytes that are hashed and written at a time: between two of them other work has its turn. */
const pieceSize = 1 << 20

/** A file made of a checkpoint: its length, and its bytes one after the other, which can be taken once. */
export interface EncodedCheckpoint {
  readonly length: number
  readonly parts: Iterable<Uint8Array>
}

/**
 * A checkpoint as a file: mark, version, JSON header, raw little-endian vectors, SHA-256 of all that. With `room` its vectors
 * are copied at once and may change while the parts are taken.
 */
export function encodeCheckpointFile(kept: KeptCheckpoint, room?: VectorRoom): EncodedCheckpoint {
  const { ranges, parts } = layOut(vectorsOf(kept.checkpoint), room)
  const header = new TextEncoder().encode(JSON.stringify(headerOf(kept, ranges)))
  if (header.length > maxHeader) {
    throw new ZerothError(
      'invalid-checkpoint',
      `the checkpoint's header has ${header.length} bytes, more than ${maxHeader}`,
    )
  }
  const head = new Uint8Array(headAt)
  head.set(mark)
  new DataView(head.buffer).setUint32(8, fileVersion, true)
  new DataView(head.buffer).setUint32(12, header.length, true)
  const all = [head, header, ...parts]
  return { length: all.reduce((sum, part) => sum + part.length, sealLength), parts: sealed(all) }
}

function* sealed(parts: readonly Uint8Array[]): Generator<Uint8Array, void, void> {
  const hash = createHash('sha256')
  for (const part of parts) {
    for (let at = 0; at < part.length; at += pieceSize) {
      const piece = part.subarray(at, at + pieceSize)
      hash.update(piece)
      yield piece
    }
  }
  yield hash.digest()
}

/** Whether a file looks like a checkpoint that an earlier zeroth wrote. */
export function isOutdated(bytes: Uint8Array): boolean {
  if (bytes.length < headAt || !mark.every((byte, i) => bytes[i] === byte)) return false
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true) < checkpointVersion
}

/** Reads a checkpoint; throws unless every byte of the file is as it was written. */
export function decodeCheckpointFile(path: string, bytes: Uint8Array): KeptCheckpoint {
  const end = bytes.length - sealLength
  const sound = end >= headAt && mark.every((byte, i) => bytes[i] === byte)
  if (!sound || !digest(bytes.subarray(0, end)).every((byte, i) => bytes[end + i] === byte)) {
    throw new ZerothError('invalid-checkpoint', `${path} is damaged: it does not fit its sha256`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = view.getUint32(8, true)
  checkVersion(path, version, fileVersion)
  if (version < checkpointVersion) {
    const known = `this one reads versions ${checkpointVersion} and ${fileVersion}`
    throw new ZerothError('invalid-checkpoint', `${path} has version ${version}, of an earlier zeroth; ${known}`)
  }
  const vectorsAt = headAt + view.getUint32(12, true)
  if (vectorsAt > Math.min(end, headAt + maxHeader)) {
    throw new ZerothError(
      'invalid-checkpoint',
      `${path}: the header is longer than the file, or than ${maxHeader} bytes`,
    )
  }
  const text = new TextDecoder().decode(bytes.subarray(headAt, vectorsAt))
  const header = headerSchema.safeParse(parseObject(path, text))
  if (!header.success) {
    const issue = header.error.issues[0]
    throw new ZerothError('invalid-checkpoint', `${path}: ${issue?.path.join('.')} of the header: ${issue?.message}`)
  }
  return keptFrom(header.data, readVectors(path, header.data.vectors, bytes.subarray(vectorsAt, end)))
}

function digest(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
