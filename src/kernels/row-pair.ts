import { memoryOf, type PairMemory, pairMemory, piece } from './pair-memory.ts'

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
export function lastOf(make: (dim: number) => RowPair): (dim: number) => RowPair {
  let last: { readonly dim: number; readonly pair: RowPair } | undefined
  return (dim) => {
    if (last?.dim !== dim) last = { dim, pair: make(dim) }
    return last.pair
  }
}

/** Rows that pass through a kernel piece by piece; undefined where SIMD or memory is missing. */
export function simdPair(dim: number, kernel: PieceKernel): RowPair | undefined {
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
export function oneByOne(dim: number, paintOne: RowPair['paintOne']): RowPair {
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
