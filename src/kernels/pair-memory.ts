import { type LinkedPairs, linkPairs } from './link-pairs.ts'

/** Numbers that pass through the kernels at a time: few enough that all their vectors stay in the second-level cache. */
export const piece = 16_384

/** Bytes behind each vector, so that no two share a cache line. */
const padding = 64

/** Room for pieces of vectors in the memory of the kernels. */
export interface PairMemory {
  readonly linked: LinkedPairs
  /** Three to read from and two to write to. */
  readonly pieces: readonly [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array]
  /** What the kernels say of rows. */
  readonly found: Float64Array
  /** Numbers for those that need many. */
  readonly table: Float64Array
  /** All of it. */
  readonly floats: Float32Array
}

/** Of each memory that holds a vector from `withinReach`, by its buffer. */
const memories = new WeakMap<ArrayBufferLike, PairMemory>()

/** A vector that the kernels of assembly/pairs.ts write to and change where it is; a plain one where SIMD or memory is missing. */
export function withinReach(length: number): Float32Array {
  const memory = pairMemory(4 * length)
  if (memory === undefined) return new Float32Array(length)
  const { buffer } = memory.linked
  memories.set(buffer, memory)
  return new Float32Array(buffer, behindPieces, length)
}

/** The memory of a vector from `withinReach`. */
export function memoryOf(vector: Float32Array): PairMemory | undefined {
  return memories.get(vector.buffer)
}

/** Memory with so many bytes behind the pieces; undefined where SIMD or memory is missing. */
export function pairMemory(bytes: number): PairMemory | undefined {
  const linked = linkPairs(behindPieces + bytes)
  if (linked === undefined) return undefined
  const room = (index: number): Float32Array =>
    new Float32Array(linked.buffer, padding + index * (4 * piece + padding), piece)
  return {
    linked,
    pieces: [room(0), room(1), room(2), room(3), room(4)],
    found: new Float64Array(linked.buffer, behindPieces - 4 * padding, 4),
    table: new Float64Array(linked.buffer, behindPieces - 3 * padding, 16),
    floats: new Float32Array(linked.buffer),
  }
}

const behindPieces = padding + 5 * (4 * piece + padding) + 4 * padding
