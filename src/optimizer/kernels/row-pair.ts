import type { Vector } from './kernels.ts'
import { pairModule } from './pair-module.ts'
import { compiledFrom, pagesFor } from './wasm.ts'

/** What is known of rows once they were added to something, by their places. */
export interface RowSizes {
  /** The squares of each row, added up in float64 from the first to the last. */
  readonly squares: Float64Array
  /** The size of each row's largest number; what is no number has none. */
  readonly largest: Float64Array
}

/** Float32 rows of the same length from which pictures of the same base are made, two at once. */
export interface RowPair {
  /** Where rows may be written that have no place of their own. */
  readonly rows: Rows
  /**
   * into[offset...] = what base and the first row make, right behind it base and the second; what is known of the changes goes to
   * `at` and the place behind.
   */
  paint(base: Float32Array, rows: Rows, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
  /** The same with one row. */
  paintOne(base: Float32Array, row: Float32Array, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
}

type Rows = readonly [Float32Array, Float32Array]

/** What is done with a piece of the rows: places are addresses in the memory, in whose `found` squares and largest are kept. */
export interface PieceKernel {
  two(memory: PairMemory, base: number, one: number, other: number, into: number, behind: number, count: number): void
  one(memory: PairMemory, base: number, row: number, into: number, count: number): void
}

/** Rows of `dim` numbers that are added to the base, in WebAssembly SIMD where there is any; the bits are the same. */
export function rowPair(dim: number): RowPair {
  return simdPair(dim, adding) ?? scalarPair(dim)
}

const adding: PieceKernel = {
  two: ({ linked, found }, ...given) => linked.addPair(...given, found.byteOffset),
  one: ({ linked, found }, ...given) => linked.addRow(...given, found.byteOffset),
}

/** The same pair for all who ask for rows of this length: what is in it holds until somebody else writes. */
export const sharedPair = lastOf(rowPair)

/** What was made for the last length that was asked for, and anew for another one. */
function lastOf(make: (dim: number) => RowPair): (dim: number) => RowPair {
  let last: { readonly dim: number; readonly pair: RowPair } | undefined
  return (dim) => {
    if (last?.dim !== dim) last = { dim, pair: make(dim) }
    return last.pair
  }
}

/** Rows that pass through a kernel piece by piece; undefined where SIMD or memory is missing. */
function simdPair(dim: number, kernel: PieceKernel): RowPair | undefined {
  const own = pairMemory(0)
  if (own === undefined) return undefined
  const copy = (from: Float32Array, start: number, end: number, to: Float32Array): number => {
    to.set(end - start === from.length ? from : from.subarray(start, end))
    return to.byteOffset
  }
  const firstOf = (made: Float32Array, count: number): Float32Array =>
    count === piece ? made : made.subarray(0, count)
  return {
    rows: [new Float32Array(dim), new Float32Array(dim)],
    paint(base, [first, second], into, offset, { squares, largest }, at) {
      const near = memoryOf(into)
      const memory = near ?? own
      const { pieces, found } = memory
      const [a, b, c, front, back] = pieces
      found.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        const from = [copy(base, start, end, a), copy(first, start, end, b), copy(second, start, end, c)] as const
        const place = into.byteOffset + 4 * (offset + start)
        if (near !== undefined) kernel.two(memory, ...from, place, place + 4 * dim, end - start)
        else {
          kernel.two(memory, ...from, front.byteOffset, back.byteOffset, end - start)
          into.set(firstOf(front, end - start), offset + start)
          into.set(firstOf(back, end - start), offset + dim + start)
        }
      }
      squares.set(found.subarray(0, 2), at)
      largest.set(found.subarray(2), at)
    },
    paintOne(base, row, into, offset, { squares, largest }, at) {
      const near = memoryOf(into)
      const memory = near ?? own
      const { pieces, found } = memory
      const [a, b, , front] = pieces
      found.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        const from = [copy(base, start, end, a), copy(row, start, end, b)] as const
        const place = near === undefined ? front.byteOffset : into.byteOffset + 4 * (offset + start)
        kernel.one(memory, ...from, place, end - start)
        if (near === undefined) into.set(firstOf(front, end - start), offset + start)
      }
      squares[at] = found[0] as number
      largest[at] = found[1] as number
    },
  }
}

/** The same in plain loops. */
export function scalarPair(dim: number): RowPair {
  return oneByOne(dim, (base, row, into, offset, { squares, largest }, at) => {
    squares[at] = addRow(base, row, into, offset)
    largest[at] = largestIn(row)
  })
}

/** Rows that are painted one after the other. */
function oneByOne(dim: number, paintOne: RowPair['paintOne']): RowPair {
  return {
    rows: [new Float32Array(dim), new Float32Array(dim)],
    paint(base, both, into, offset, sizes, at) {
      both.forEach((row, i) => {
        paintOne(base, row, into, offset + i * dim, sizes, at + i)
      })
    },
    paintOne,
  }
}

/** into[offset...] = base + row; returns the squares of the row, added up in float64 from the first to the last. */
export function addRow(base: Float32Array, row: Float32Array, into: Float32Array, offset: number): number {
  let squares = 0
  for (let i = 0; i < base.length; i++) {
    const change = row[i] as number
    squares += change * change
    into[offset + i] = (base[i] as number) + change
  }
  return squares
}

function largestIn(row: Float32Array): number {
  let largest = 0
  for (let i = 0; i < row.length; i++) {
    const size = Math.abs(row[i] as number)
    if (size > largest) largest = size
  }
  return largest
}

/** Keeps atanh finite at black and white; the way back divides by it, so that w = 0 gives the image itself. */
const guard = 0.999999

/** Numbers of the formula in the order in which the kernels read them; the first is where another formula begins. */
const numbers = [4, 0.25, 34459425, 4729725, 135135, 990, 16216200, 945945, 13860, 45, 0.5, 2 * guard, 0.5 / guard, 1]

/**
 * Rows of `dim` variables w that make pictures 0.5 tanh(atanh(2x) + w) of an image, in WebAssembly SIMD where there is any; the bits
 * are the same. What is known of rows is that of the changes they make; where a variable is no number, nothing is.
 */
export function squashPair(dim: number): RowPair {
  return simdPair(dim, squashing) ?? scalarSquash(dim)
}

/** The same pair for all who ask for rows of this length: what is in it holds until somebody else writes. */
export const sharedSquash = lastOf(squashPair)

/** The same in plain loops. */
export function scalarSquash(dim: number): RowPair {
  return oneByOne(dim, (base, row, into, offset, { squares, largest }, at) => {
    const sizes = [0, 0]
    for (let i = 0; i < dim; i++) into[offset + i] = measured(base[i] as number, row[i] as number, sizes, 0, 1)
    squares[at] = sizes[0] as number
    largest[at] = sizes[1] as number
  })
}

/** into[offset...] = the picture that w makes of pixels; returns the squares of the changes, added up from the first to the last. */
export function squash(w: Vector, pixels: Float32Array, into: Vector, offset: number): number {
  let squares = 0
  for (let i = 0; i < pixels.length; i++) {
    const pixel = pixels[i] as number
    const shown = squashed(pixel, w[i] as number)
    squares += (shown - pixel) * (shown - pixel)
    into[offset + i] = shown
  }
  return squares
}

/** Pixels that plain loops take over where the kernel stops: what it stops at often has neighbors. */
const takenOver = 8

const squashing: PieceKernel = {
  two(memory, base, one, other, into, behind, count) {
    const { linked, found } = memory
    const places = [base, one, other, into, behind] as const
    const table = tableIn(memory)
    for (let done = 0; done < count; ) {
      done = linked.squashPair(...places, done, count, found.byteOffset, table)
      const end = Math.min(done + takenOver, count)
      finish(memory, base, one, into, done, end, 0, 2)
      finish(memory, base, other, behind, done, end, 1, 3)
      done = end
    }
  },
  one(memory, base, row, into, count) {
    const { linked, found } = memory
    const table = tableIn(memory)
    for (let done = 0; done < count; ) {
      done = linked.squashRow(base, row, into, done, count, found.byteOffset, table)
      const end = Math.min(done + takenOver, count)
      finish(memory, base, row, into, done, end, 0, 1)
      done = end
    }
  },
}

/** The address of the numbers of the formula. */
function tableIn({ table }: PairMemory): number {
  if (table[0] !== numbers[0]) table.set(numbers)
  return table.byteOffset
}

/** Some pixels of a piece by a plain loop. */
function finish(
  { floats, found }: PairMemory,
  base: number,
  row: number,
  into: number,
  start: number,
  end: number,
  squares: number,
  largest: number,
): void {
  const [from, by, to] = [base / 4, row / 4, into / 4]
  for (let i = start; i < end; i++) {
    floats[to + i] = measured(floats[from + i] as number, floats[by + i] as number, found, squares, largest)
  }
}

/** The pixel that w makes of another; its change is added to what is known of the row. */
function measured(
  pixel: number,
  w: number,
  sizes: { [place: number]: number },
  squares: number,
  largest: number,
): number {
  const shown = squashed(pixel, w)
  const change = shown - pixel
  sizes[squares] = (sizes[squares] as number) + change * change
  sizes[largest] = Math.max(sizes[largest] as number, Math.abs(change))
  return shown
}

function squashed(pixel: number, w: number): number {
  return Math.min(1, Math.max(0, pixel + change(2 * guard * (pixel - 0.5), w)))
}

/**
 * (tanh(atanh(t) + w) - t) / (2 guard), without the two: with e^2w = rise / fall it is (1 - t^2)(rise - fall) / (2 guard
 * ((1 + t) rise + (1 - t) fall)), where nothing cancels. Small moves keep all their digits, and w = 0 gives 0.
 */
function change(t: number, w: number): number {
  if (!(w >= -4 && w <= 4)) {
    const rise = Math.exp(2 * Math.max(-300, Math.min(300, w)))
    return ((0.5 / guard) * (1 - t) * (1 + t) * (rise - 1)) / ((1 + t) * rise + (1 - t))
  }
  // tanh(w / 4) = odd / even up to 2e-17 (Lambert's continued fraction, nine steps), so e^(w/2) = (even + odd) / (even - odd).
  const x = 0.25 * w
  const y = x * x
  const odd = x * (34459425 + y * (4729725 + y * (135135 + y * (990 + y))))
  const even = 34459425 + y * (16216200 + y * (945945 + y * (13860 + 45 * y)))
  const up = (even + odd) * (even + odd)
  const down = (even - odd) * (even - odd)
  const gap = 4 * odd * even * (up + down)
  return ((0.5 / guard) * (1 - t) * (1 + t) * gap) / ((1 + t) * up * up + (1 - t) * down * down)
}

/** Numbers below which the way to the kernel and back takes longer than a plain loop. */
const few = 256

let own: PairMemory | null | undefined

/** data = factor data + shift, for `length` numbers from `start` on, in WebAssembly SIMD where there is any; the bits are the same. */
export function scale(data: Float32Array, start: number, length: number, factor: number, shift: number): void {
  const near = memoryOf(data)
  if (near !== undefined) return near.linked.scaleRow(data.byteOffset + 4 * start, length, factor, shift)
  own ??= pairMemory(0) ?? null
  if (own === null || length < few) return scalarScale(data, start, length, factor, shift)
  const { linked, pieces } = own
  const [room] = pieces
  for (let first = start; first < start + length; first += piece) {
    const count = Math.min(piece, start + length - first)
    room.set(data.subarray(first, first + count))
    linked.scaleRow(room.byteOffset, count, factor, shift)
    data.set(count === piece ? room : room.subarray(0, count), first)
  }
}

/** The same in a plain loop. Four at a time: half the time. */
export function scalarScale(
  data: Float32Array | Float64Array,
  start: number,
  length: number,
  factor: number,
  shift: number,
): void {
  const end = start + length
  const even = end - (length & 3)
  for (let i = start; i < even; i += 4) {
    data[i] = (data[i] as number) * factor + shift
    data[i + 1] = (data[i + 1] as number) * factor + shift
    data[i + 2] = (data[i + 2] as number) * factor + shift
    data[i + 3] = (data[i + 3] as number) * factor + shift
  }
  for (let i = even; i < end; i++) data[i] = (data[i] as number) * factor + shift
}

/** Numbers that pass through the kernels at a time: few enough that all their vectors stay in the second-level cache. */
const piece = 16_384

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
function pairMemory(bytes: number): PairMemory | undefined {
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

type Routine = (...numbers: number[]) => void
type Counted = (...numbers: number[]) => number

/** The kernels of assembly/pairs.ts and squash.ts on memory of their own. */
interface LinkedPairs {
  readonly buffer: ArrayBuffer
  readonly addPair: Routine
  readonly addRow: Routine
  readonly scaleRow: Routine
  readonly squashPair: Counted
  readonly squashRow: Counted
}

/** An instance with memory for so many bytes; undefined where SIMD or memory is missing. */
function linkPairs(bytes: number): LinkedPairs | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: pagesFor(bytes) })
    const { exports } = new WebAssembly.Instance(compiledFrom(pairModule), { env: { memory } })
    return { ...(exports as unknown as LinkedPairs), buffer: memory.buffer }
  } catch {
    return undefined
  }
}
