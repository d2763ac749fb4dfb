import { expect, test } from 'vitest'
import type { Vector } from '../../optimizer/core/types.ts'
import { layOut, readVectors, VectorRoom } from './vectors.ts'

const length = 2000
const filled = (value: (i: number) => number): Float64Array => Float64Array.from({ length }, (_, i) => value(i))
const third = filled((i) => (i + 1) / 3)
const half = filled((i) => (i === 7 ? -0 : i === 8 ? Number.NaN : i / 2))

function bytesOf(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

function there(vectors: Record<string, Vector>): { size: number; back: Record<string, Vector> } {
  const { ranges, parts } = layOut(Object.entries(vectors))
  const bytes = bytesOf(parts)
  return { size: bytes.length, back: Object.fromEntries(readVectors('file', ranges, bytes)) }
}

test.each<[string, Record<string, Vector>, number]>([
  ['as they are', { third }, 8 * length],
  ['equal ones once', { third, again: third.slice(), other: filled((i) => i / 7) }, 2 * 8 * length],
  ['zeros not at all', { zeros: new Float64Array(length), more: new Float32Array(length) }, 0],
  ['but a zero with a sign', { zeros: new Float32Array(length).fill(-0) }, 4 * length],
  ['numbers of float32 as such, one vector for both precisions', { half, single: Float32Array.from(half) }, 4 * length],
  [
    'short ones and empty ones as they are',
    { a: Float64Array.of(0, 1), b: Float64Array.of(0, 1), c: third.subarray(0, 0) },
    32,
  ],
])('vectors are stored %s and come back bit for bit', (_, vectors, size) => {
  const found = there(vectors)
  expect(found.back).toEqual(vectors)
  expect(found.size).toBe(size)
})

test('vectors that were copied may change; the next copies take no new memory', () => {
  const room = new VectorRoom()
  const vectors = () =>
    [
      ['third', third.slice()],
      ['half', half.slice()],
    ] as [string, Float64Array][]
  const first = vectors()
  const { ranges, parts } = layOut(first, room)
  for (const [, vector] of first) vector.fill(1)
  expect(Object.fromEntries(readVectors('file', ranges, bytesOf(parts)))).toEqual({ third, half })
  const again = layOut(vectors(), room)
  expect(again.parts.map(({ buffer }) => buffer)).toEqual(parts.map(({ buffer }) => buffer))
  again.parts.forEach((part, i) => {
    expect(part.buffer).toBe(parts[i]?.buffer)
  })
})

test.each([
  ['a range that was not there before', { from: 8, to: 16 }, 'vector b is said to fill bytes 8 to 16'],
  [
    'more zeros than there is memory for',
    { from: 16, to: 16, stored: 'zeros', length: 1e12 },
    'to be 1000000000000 zeros',
  ],
  ['zeros that have bytes', { from: 0, to: 16, stored: 'zeros', length: 2 }, 'is said to be 2 zeros'],
  ['bytes that are no whole number of numbers', { from: 16, to: 17 }, 'said to fill bytes 16 to 17'],
] as const)('%s are refused', (_, range, message) => {
  const about = { precision: 'float64' as const }
  const ranges = [
    { name: 'a', ...about, from: 0, to: 16 },
    { name: 'b', ...about, ...range },
  ]
  expect(() => readVectors('file', ranges, new Uint8Array(17))).toThrow(message)
})
