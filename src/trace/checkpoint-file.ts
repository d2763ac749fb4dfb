import { createHash } from 'node:crypto'
import { checkpointVersion } from '../core/checkpoint.ts'
import { ZerothError } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import {
  type CheckpointHeader,
  headerOf,
  headerSchema,
  type KeptCheckpoint,
  keptFrom,
  vectorsOf,
} from './checkpoint-header.ts'
import { checkVersion, parseObject } from './sealed-json.ts'
import { vectorBytes, vectorFrom, widths } from './vector-bytes.ts'

const mark = new TextEncoder().encode('zeroth-c')
const headAt = 16
const maxHeader = 1 << 20
const sealLength = 32

/** A checkpoint as the parts of a file: mark, version, JSON header, raw little-endian vectors, SHA-256 of all that. */
export function encodeCheckpointFile(kept: KeptCheckpoint): Uint8Array[] {
  const vectors = vectorsOf(kept.checkpoint)
  const header = new TextEncoder().encode(JSON.stringify(headerOf(kept, vectors)))
  if (header.length > maxHeader) {
    throw new ZerothError(
      'invalid-checkpoint',
      `the checkpoint's header has ${header.length} bytes, more than ${maxHeader}`,
    )
  }
  const head = new Uint8Array(headAt)
  head.set(mark)
  new DataView(head.buffer).setUint32(8, checkpointVersion, true)
  new DataView(head.buffer).setUint32(12, header.length, true)
  const parts = [head, header, ...vectors.map(([, vector]) => vectorBytes(vector))]
  return [...parts, digest(parts)]
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
  if (!sound || !digest([bytes.subarray(0, end)]).every((byte, i) => bytes[end + i] === byte)) {
    throw new ZerothError('invalid-checkpoint', `${path} is damaged: it does not fit its sha256`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = view.getUint32(8, true)
  checkVersion(path, version, checkpointVersion)
  if (version < checkpointVersion) {
    const known = `this one reads version ${checkpointVersion}`
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

/** The vectors by name. Their ranges must follow each other and fill the file exactly. */
function readVectors(path: string, ranges: CheckpointHeader['vectors'], bytes: Uint8Array): Map<string, Vector> {
  const vectors = new Map<string, Vector>()
  let at = 0
  for (const { name, precision, from, to } of ranges) {
    if (from !== at || to < from || to > bytes.length || (to - from) % widths[precision] !== 0) {
      throw new ZerothError('invalid-checkpoint', `${path}: vector ${name} is said to fill bytes ${from} to ${to}`)
    }
    vectors.set(name, vectorFrom(bytes.subarray(from, to), precision))
    at = to
  }
  if (at !== bytes.length) {
    throw new ZerothError('invalid-checkpoint', `${path}: the vectors fill ${at} bytes of ${bytes.length}`)
  }
  return vectors
}

function digest(parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
