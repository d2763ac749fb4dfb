import { endianness } from 'node:os'
import type { Precision, Vector } from '../core/types.ts'

/** Bytes of one number. */
export const widths: Readonly<Record<Precision, number>> = { float64: 8, float32: 4 }

/** A vector as little-endian bytes: a view where this machine stores them so. */
export function vectorBytes(vector: Vector): Uint8Array {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return endianness() === 'LE' ? bytes : swapped(bytes, precisionOf(vector))
}

/** A vector of its own from little-endian bytes. */
export function vectorFrom(bytes: Uint8Array, precision: Precision): Vector {
  const own = endianness() === 'LE' ? bytes.slice() : swapped(bytes, precision)
  return precision === 'float32' ? new Float32Array(own.buffer) : new Float64Array(own.buffer)
}

/** How the numbers of a vector are stored. */
export function precisionOf(vector: Vector): Precision {
  return vector instanceof Float32Array ? 'float32' : 'float64'
}

function swapped(bytes: Uint8Array, precision: Precision): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  const width = widths[precision]
  for (let first = 0; first < copy.length; first += width) copy.subarray(first, first + width).reverse()
  return copy
}
