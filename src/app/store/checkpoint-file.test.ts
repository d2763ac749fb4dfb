import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSession } from '../../optimizer/core/session.ts'
import { zoAdaMM } from '../../optimizer/methods/presets.ts'
import {
  decodeCheckpointFile,
  type EncodedCheckpoint,
  encodeCheckpointFile,
  type KeptCheckpoint,
} from './checkpoint-file.ts'

function kept(precision: 'float64' | 'float32' = 'float64'): KeptCheckpoint {
  const session = createSession([1, 2, 3], { solver: zoAdaMM({ directions: 2 }), precision, failures: 'skip' })
  for (let i = 0; i < 5; i++) {
    session.ask()
    session.tell([1 / (i + 1), Number.NaN, -i])
  }
  const place = { id: 'a-run', records: 5, lastChecksum: 0xfedcba98, traceBytes: 12, seconds: 0.1 }
  return { ...place, checkpoint: session.checkpoint() }
}

function bytesOf({ parts }: EncodedCheckpoint): Uint8Array {
  return new Uint8Array(Buffer.concat([...parts]))
}

/** The file with its header changed and a seal that fits, as an attacker would write it. */
function forged(change: (header: Record<string, unknown>) => unknown, version = 1): Uint8Array {
  const [head, header, ...rest] = [...encodeCheckpointFile(kept()).parts] as [Uint8Array, Uint8Array, ...Uint8Array[]]
  const text = Buffer.from(JSON.stringify(change(JSON.parse(new TextDecoder().decode(header)))))
  const view = new DataView(head.buffer)
  view.setUint32(8, version, true)
  view.setUint32(12, text.length, true)
  const body = Buffer.concat([head, text, ...rest.slice(0, -1)])
  return new Uint8Array(Buffer.concat([body, createHash('sha256').update(body).digest()]))
}

const decode = (bytes: Uint8Array) => decodeCheckpointFile('file', bytes)

test.each(['float64', 'float32'] as const)(
  'a checkpoint in %s comes back bit for bit, reasons as text',
  (precision) => {
    const given = kept(precision)
    const found = decode(bytesOf(encodeCheckpointFile(given)))
    expect(given.checkpoint.failures).toEqual({ count: 5, first: 'the objective returned NaN' })
    expect(found).toEqual(given)
    expect(found.checkpoint.memory.vectors.point?.constructor).toBe(given.checkpoint.memory.vectors.point?.constructor)
  },
)

/** One of each kind, and words that look like numbers. */
const odd = { value: Number.NaN, least: -Infinity, none: -0, third: 1 / 3, opened: true, phase: 'back', word: 'NaN' }

test('numbers that JSON cannot say come back, too', () => {
  const base = kept()
  const checkpoint = {
    ...base.checkpoint,
    worst: -Infinity,
    finalValue: -0,
    best: { ...base.checkpoint.best, value: Number.NaN },
    memory: { ...base.checkpoint.memory, state: odd },
    account: { vectors: { first: Float32Array.of(1, -0, Number.NaN) }, state: odd },
  }
  expect(decode(bytesOf(encodeCheckpointFile({ ...base, checkpoint }))).checkpoint).toEqual(checkpoint)
})

test('a file with any byte changed, cut short or longer is refused', () => {
  const bytes = bytesOf(encodeCheckpointFile(kept()))
  const why = 'file is damaged: it does not fit its sha256'
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      expect(() => decode(bytes.map((byte, i) => (i === at ? byte ^ change : byte)))).toThrow(why)
      expect(() => decode(bytes.subarray(0, at))).toThrow(why)
    }),
  )
  expect(() => decode(Uint8Array.of(...bytes, 0))).toThrow(why)
})

describe('a file whose seal fits is refused', () => {
  const range = (index: number, change: object) => (header: Record<string, unknown>) => ({
    ...header,
    vectors: (header.vectors as object[]).map((each, i) => (i === index ? { ...each, ...change } : each)),
  })

  test.each<[string, (header: Record<string, unknown>) => unknown, string]>([
    ['where ranges overlap', range(1, { from: 0 }), 'file: vector history is said to fill bytes 0 to 184'],
    ['where a range is too long', range(5, { to: 9999 }), 'file: vector memory.step.maximum is said to fill bytes'],
    ['where a range is no whole number of numbers', range(0, { to: 23 }), 'file: vector best.point is said to fill'],
    [
      'where bytes belong to no vector',
      (h) => ({ ...h, vectors: (h.vectors as object[]).slice(0, -1) }),
      'the vectors fill',
    ],
    ['with a field too many', (h) => ({ ...h, more: 1 }), 'file: header must not hold more'],
    ['without a field', ({ records: _, ...h }) => h, 'file: header.records is required'],
    [
      'with a field of the wrong kind',
      (h) => ({ ...h, lastChecksum: 'x' }),
      'file: header.lastChecksum must be a number',
    ],
    ['with a name that reaches into JavaScript', (h) => ({ ...h, constructor: 1 }), 'has a field constructor'],
    ['with a header above 1 MB', (h) => ({ ...h, id: 'x'.repeat(1 << 20) }), 'than 1048576 bytes'],
    ['with a header that is no object', () => [1], 'file must hold a JSON object, got Array(1)'],
  ])('%s', (_, change, message) => {
    expect(() => decode(forged(change))).toThrow(message)
  })

  test('of a newer schema, with the advice to update', () => {
    expect(() => decode(forged((header) => header, 2))).toThrow(
      'file has schema version 2, this zeroth reads up to 1; it was written by a newer zeroth: update this one',
    )
  })
})
