import { endianness } from 'node:os'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Precision, Vector } from '../../optimizer/core/types.ts'

/** Bytes of one number. */
const widths: Readonly<Record<Precision, number>> = { float64: 8, float32: 4 }

/** A vector as little-endian bytes: a view where this machine stores them so. */
export function vectorBytes(vector: Vector): Uint8Array {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return endianness() === 'LE' ? bytes : swapped(bytes, precisionOf(vector))
}

/** A vector of its own from little-endian bytes. */
function vectorFrom(bytes: Uint8Array, precision: Precision): Vector {
  const own = endianness() === 'LE' ? bytes.slice() : swapped(bytes, precision)
  return precision === 'float32' ? new Float32Array(own.buffer) : new Float64Array(own.buffer)
}

/** How the numbers of a vector are stored. */
function precisionOf(vector: Vector): Precision {
  return vector instanceof Float32Array ? 'float32' : 'float64'
}

function swapped(bytes: Uint8Array, precision: Precision): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  const width = widths[precision]
  for (let first = 0; first < copy.length; first += width) copy.subarray(first, first + width).reverse()
  return copy
}

/** Where a vector is among the bytes of a file, and how its numbers are stored where that is shorter than what they are. */
export interface VectorRange {
  readonly name: string
  readonly precision: Precision
  readonly from: number
  readonly to: number
  /** `float32`: float64 numbers that are all float32 ones. `zeros`: nothing is stored. */
  readonly stored?: 'float32' | 'zeros' | undefined
  /** How many numbers, where nothing is stored. */
  readonly length?: number | undefined
}

/** Bytes below which a vector is stored as it is: nothing worth the trouble is saved. */
const leastBytes = 4096

/** Buffers that are used again for copies of vectors: what is saved every few seconds must not be allocated every time. */
export class VectorRoom {
  readonly #buffers: Uint8Array<ArrayBuffer>[] = []
  #used = 0

  /** Whatever was taken may be taken again. */
  clear(): void {
    this.#used = 0
  }

  take(length: number): Uint8Array<ArrayBuffer> {
    const there = this.#buffers[this.#used]
    const buffer = there?.length === length ? there : new Uint8Array(length)
    this.#buffers[this.#used++] = buffer
    return buffer
  }

  /** Gives the buffer back that was taken last. */
  giveBack(): void {
    this.#used--
  }
}

/**
 * The bytes of vectors and where each is. Equal ones are stored once: of the twenty that an attack remembers, half are
 * copies of another. With `room` they are copied, and may change at once; without it they are views as far as possible.
 */
export function layOut(
  vectors: readonly (readonly [string, Vector])[],
  room?: VectorRoom,
): { ranges: VectorRange[]; parts: Uint8Array[] } {
  const parts: { readonly bytes: Uint8Array; readonly from: number }[] = []
  let end = 0
  room?.clear()
  const ranges = vectors.map(([name, vector]): VectorRange => {
    const about = { name, precision: precisionOf(vector) }
    const isLarge = vector.byteLength >= leastBytes
    if (isLarge && isZero(vector)) return { ...about, from: end, to: end, stored: 'zeros', length: vector.length }
    const isNarrow = isLarge && about.precision === 'float64' && fitsFloat32(vector)
    const how = isNarrow ? ({ ...about, stored: 'float32' } as const) : about
    const bytes = isNarrow ? narrowed(vector, room) : vectorBytes(vector)
    const same = isLarge ? parts.find((part) => areEqual(part.bytes, bytes)) : undefined
    if (same !== undefined) {
      if (isNarrow) room?.giveBack()
      return { ...how, from: same.from, to: same.from + bytes.length }
    }
    const from = end
    parts.push({ bytes: isNarrow ? bytes : copied(bytes, room), from })
    end += bytes.length
    return { ...how, from, to: end }
  })
  return { ranges, parts: parts.map(({ bytes }) => bytes) }
}

/** The vectors by name. Each range is one that was there before or follows the last, and all together fill the bytes exactly. */
export function readVectors(path: string, ranges: readonly VectorRange[], bytes: Uint8Array): Map<string, Vector> {
  const vectors = new Map<string, Vector>()
  const known = new Set<string>()
  let end = 0
  for (const { name, precision, from, to, stored, length = 0 } of ranges) {
    const width = widths[stored === 'float32' ? 'float32' : precision]
    const isNext = from === end && to >= from && to <= bytes.length && (to - from) % width === 0
    const isKnown = known.has(`${from}-${to}`) && (to - from) % width === 0
    if (!isKnown && !isNext) {
      throw new ZerothError('invalid-checkpoint', `${path}: vector ${name} is said to fill bytes ${from} to ${to}`)
    }
    if (!isKnown) end = to
    if (from < to) known.add(`${from}-${to}`)
    if (stored === 'zeros') vectors.set(name, zeros(path, name, length, precision, to - from))
    else if (stored === 'float32') vectors.set(name, Float64Array.from(vectorFrom(bytes.subarray(from, to), stored)))
    else vectors.set(name, vectorFrom(bytes.subarray(from, to), precision))
  }
  if (end === bytes.length) return vectors
  throw new ZerothError('invalid-checkpoint', `${path}: the vectors fill ${end} bytes of ${bytes.length}`)
}

/** Numbers that a file may say are zeros: more would only fill the memory. */
const mostZeros = 1 << 28

function zeros(path: string, name: string, length: number, precision: Precision, bytes: number): Vector {
  if (bytes > 0 || length > mostZeros) {
    throw new ZerothError('invalid-checkpoint', `${path}: vector ${name} is said to be ${length} zeros`)
  }
  return precision === 'float32' ? new Float32Array(length) : new Float64Array(length)
}

function isZero(vector: Vector): boolean {
  for (let i = 0; i < vector.length; i++) if (!Object.is(vector[i], 0)) return false
  return vector.length <= mostZeros
}

function fitsFloat32(vector: Vector): boolean {
  for (let i = 0; i < vector.length; i++) if (!Object.is(Math.fround(vector[i] as number), vector[i])) return false
  return true
}

function narrowed(vector: Vector, room: VectorRoom | undefined): Uint8Array {
  const bytes = room?.take(vector.length * widths.float32) ?? new Uint8Array(vector.length * widths.float32)
  const numbers = new Float32Array(bytes.buffer)
  numbers.set(vector)
  return vectorBytes(numbers)
}

function copied(bytes: Uint8Array, room: VectorRoom | undefined): Uint8Array {
  if (room === undefined) return bytes
  const copy = room.take(bytes.length)
  copy.set(bytes)
  return copy
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && Buffer.compare(one, other) === 0
}
