import { createHash } from 'node:crypto'
import { decodeState, encodeState, stateJson } from '../../optimizer/core/checkpoint.ts'
import { reasonText, ZerothError } from '../../optimizer/core/errors.ts'
import { encodeNumber, storedNumber as number } from '../../optimizer/core/exact-json.ts'
import {
  type Input,
  Issue,
  integerFrom,
  listOf,
  nullable,
  numberFrom,
  type Output,
  oneOf,
  optional,
  table,
  text,
} from '../../optimizer/core/options.ts'
import { checkpointVersion, savedPart } from '../../optimizer/core/part.ts'
import type { Checkpoint, SavedMemory, Vector } from '../../optimizer/core/types.ts'
import { runId } from './run-folder.ts'
import { checkVersion, parseObject } from './sealed-json.ts'
import { layOut, readVectors, type VectorRange, type VectorRoom } from './vectors.ts'

/** A checkpoint with its place in the run. */
export interface KeptCheckpoint {
  readonly id: string
  /** How many records of the journal it covers, and the checksum of the last of them. */
  readonly records: number
  readonly lastChecksum: number
  /** Bytes of the trace that it covers. */
  readonly traceBytes: number
  /** How long the run had been at work. */
  readonly seconds: number
  readonly checkpoint: Checkpoint
}

const count = integerFrom(0)
const precision = oneOf('float64', 'float32')
const vectorHeader = table({
  name: text,
  precision,
  from: count,
  to: count,
  stored: optional(oneOf('float32', 'zeros')),
  length: optional(count),
})

/** The header of a checkpoint file: everything but the vectors, and where these are. */
export const headerSchema = table({
  id: runId,
  records: count,
  lastChecksum: count,
  traceBytes: count,
  seconds: numberFrom(0),
  checkpoint: table({
    format: oneOf('zeroth-checkpoint'),
    version: oneOf(checkpointVersion),
    solver: text,
    set: text,
    seed: count,
    dim: integerFrom(1),
    precision,
    iteration: count,
    queries: count,
    gained: optional(count),
    cacheHits: count,
    retries: count,
    bestValue: number,
    finalValue: nullable(number),
    worst: number,
    failures: table({ count, first: nullable(text), streak: optional(count) }),
    skippedIterations: count,
    spacing: integerFrom(1),
    warnings: listOf(text),
    memory: stateJson,
    account: optional(stateJson),
  }),
  vectors: listOf(vectorHeader),
})
export type CheckpointHeader = Output<typeof headerSchema>

/** All vectors of a checkpoint by name; the history is one, too, because it may be long. */
export function vectorsOf({ best, history, memory, account }: Checkpoint): [string, Vector][] {
  const records = history.records.flatMap((record) => [record.iteration, record.queries, record.value, record.best])
  return [
    ['best.point', best.point],
    ['history', Float64Array.from(records)],
    ...namedVectors('memory', memory),
    ...namedVectors('account', account),
  ]
}

function namedVectors(owner: string, memory: SavedMemory | undefined): [string, Vector][] {
  return Object.entries(memory?.vectors ?? {}).map(([name, vector]) => [`${owner}.${name}`, vector])
}

/** The header for a checkpoint whose vectors are at the given places. */
function headerOf(
  { checkpoint, ...place }: KeptCheckpoint,
  vectors: readonly VectorRange[],
): Input<typeof headerSchema> {
  const { best, history, memory, account, warnings, failures, finalValue, worst, ...rest } = checkpoint
  return {
    ...place,
    checkpoint: {
      ...rest,
      bestValue: encodeNumber(best.value),
      finalValue: finalValue === null ? null : encodeNumber(finalValue),
      worst: encodeNumber(worst),
      failures: { ...failures, first: failures.first === undefined ? null : reasonText(failures.first) },
      spacing: history.spacing,
      warnings: [...warnings],
      memory: encodeState(memory.state),
      ...(account === undefined ? {} : { account: encodeState(account.state) }),
    },
    vectors: [...vectors],
  }
}

/** The checkpoint that a header and its vectors describe. */
function keptFrom(
  { checkpoint, vectors: _, ...place }: CheckpointHeader,
  vectors: Map<string, Vector>,
): KeptCheckpoint {
  const { bestValue, finalValue, worst, failures, spacing, memory, account, ...rest } = checkpoint
  const all = { vectors: Object.fromEntries(vectors), state: {} }
  const saved = (owner: 'memory' | 'account', kept: Output<typeof stateJson>): SavedMemory => ({
    vectors: savedPart(all, owner).vectors,
    state: decodeState(kept),
  })
  const numbers = vectors.get('history') ?? new Float64Array(0)
  const records = Array.from({ length: numbers.length / 4 }, (_, i) => {
    const [iteration, queries, value, best] = numbers.subarray(4 * i) as unknown as [number, number, number, number]
    return { iteration, queries, value, best }
  })
  return {
    ...place,
    checkpoint: {
      ...rest,
      best: { value: bestValue, point: vectors.get('best.point') ?? new Float64Array(0) },
      finalValue,
      worst,
      failures: { ...failures, first: failures.first ?? undefined },
      history: { records, spacing },
      memory: saved('memory', memory),
      ...(account === undefined ? {} : { account: saved('account', account) }),
    },
  }
}

const fileVersion = 1

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

/** Reads a checkpoint; throws unless every byte of the file is as it was written. */
export function decodeCheckpointFile(path: string, bytes: Uint8Array): KeptCheckpoint {
  const end = bytes.length - sealLength
  const sound = end >= headAt && mark.every((byte, i) => bytes[i] === byte)
  if (!sound || !digest(bytes.subarray(0, end)).every((byte, i) => bytes[end + i] === byte)) {
    throw new ZerothError('invalid-checkpoint', `${path} is damaged: it does not fit its sha256`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkVersion(path, view.getUint32(8, true), fileVersion)
  const vectorsAt = headAt + view.getUint32(12, true)
  if (vectorsAt > Math.min(end, headAt + maxHeader)) {
    throw new ZerothError(
      'invalid-checkpoint',
      `${path}: the header is longer than the file, or than ${maxHeader} bytes`,
    )
  }
  const text = new TextDecoder().decode(bytes.subarray(headAt, vectorsAt))
  const header = headerSchema.read(parseObject(path, text))
  if (header instanceof Issue) {
    throw new ZerothError('invalid-checkpoint', `${path}: ${['header', ...header.path].join('.')} ${header.text}`)
  }
  return keptFrom(header, readVectors(path, header.vectors, bytes.subarray(vectorsAt, end)))
}

function digest(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
