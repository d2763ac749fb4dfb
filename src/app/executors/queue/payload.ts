import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { keptFor, pieceKey } from './queue-place.ts'

/** What a worker sends home beside its answer: bytes in pieces, found by their hash. */
export interface Payload {
  /** Of the job and all bytes. */
  readonly hash: string
  readonly bytes: number
}

/** The payload that an answer speaks of; undefined where it is no such answer. */
export function payloadIn(answer: unknown): Payload | undefined {
  const { hash, bytes } = (typeof answer === 'object' && answer !== null ? answer : {}) as Partial<Payload>
  const isOne = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && Number.isSafeInteger(bytes)
  return isOne && Number(bytes) >= 0 && Number(bytes) <= maxBytes ? { hash, bytes: Number(bytes) } : undefined
}

/** Bytes of a piece: a server that is kept busy by one value answers nobody else. */
const pieceBytes = 524_288

/** Bytes of a payload at most. */
const maxBytes = 268_435_456

/** Puts bytes on the server, for whoever asked for a job. Those of another attempt at the same job are elsewhere. */
export async function sendPayload(client: Redis, prefix: string, job: string, content: Buffer): Promise<Payload> {
  if (content.byteLength > maxBytes) {
    const what = `job ${job} has ${content.byteLength} bytes to send home`
    throw new ZerothError('invalid-answers', `${what}, at most ${maxBytes} can be sent`)
  }
  const payload = { hash: hashOf(job, content), bytes: content.byteLength }
  try {
    for (const [piece, key] of keysOf(prefix, payload).entries()) {
      await client.set(key, content.subarray(piece * pieceBytes, (piece + 1) * pieceBytes), 'EX', keptFor)
    }
  } catch (error) {
    // Pieces without the rest would keep a full server full.
    await dropPayload(client, prefix, payload).catch(() => undefined)
    throw error
  }
  return payload
}

/** The bytes of a payload; undefined where some are missing, or are others than were sent. */
export async function takePayload(
  client: Redis,
  prefix: string,
  job: string,
  { hash, bytes }: Payload,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (const key of keysOf(prefix, { hash, bytes })) {
    const piece = await client.getBuffer(key)
    if (piece === null) return undefined
    pieces.push(piece)
  }
  const content = Buffer.concat(pieces)
  return content.byteLength === bytes && hashOf(job, content) === hash ? content : undefined
}

/** Deletes a payload, once it has been taken or is of no use. */
export async function dropPayload(client: Redis, prefix: string, payload: Payload): Promise<void> {
  const keys = keysOf(prefix, payload)
  if (keys.length > 0) await client.unlink(...keys)
}

function keysOf(prefix: string, { hash, bytes }: Payload): string[] {
  return Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, piece) => pieceKey(prefix, hash, piece))
}

function hashOf(job: string, content: Buffer): string {
  return createHash('sha256').update(`${job}\n`).update(content).digest('hex')
}
