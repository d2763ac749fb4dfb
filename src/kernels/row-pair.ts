import { memoryOf, pairMemory, piece } from './pair-memory.ts'

/** What is known of rows once they were added to something, by their places. */
export interface RowSizes {
  /** The squares of each row, added up in float64 from the first to the last. */
  readonly squares: Float64Array
  /** The size of each row's largest number; what is no number has none. */
  readonly largest: Float64Array
}

/** Float32 rows of the same length that are added to the same vector, two at once. */
export interface RowPair {
  /** Where rows may be written that have no place of their own. */
  readonly rows: Rows
  /** into[offset...] = base + the first row, and right behind it base + the second; their sizes go to `at` and the place behind. */
  addTo(base: Float32Array, rows: Rows, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
  /** The same with one row. */
  addOne(base: Float32Array, row: Float32Array, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
}

type Rows = readonly [Float32Array, Float32Array]

/** Rows of `dim` numbers, in WebAssembly SIMD where there is any; the bits are the same. */
export function rowPair(dim: number): RowPair {
  return simdPair(dim) ?? scalarPair(dim)
}

let shared: { readonly dim: number; readonly pair: RowPair } | undefined

/** The same pair for all who ask for rows of this length: what is in it holds until somebody else writes. */
export function sharedPair(dim: number): RowPair {
  if (shared?.dim !== dim) shared = { dim, pair: rowPair(dim) }
  return shared.pair
}

function simdPair(dim: number): RowPair | undefined {
  const memory = pairMemory(0)
  if (memory === undefined) return undefined
  const copy = (from: Float32Array, start: number, end: number, to: Float32Array): void =>
    to.set(end - start === from.length ? from : from.subarray(start, end))
  const firstOf = (made: Float32Array, count: number): Float32Array =>
    count === piece ? made : made.subarray(0, count)
  return {
    rows: [new Float32Array(dim), new Float32Array(dim)],
    addTo(base, [first, second], into, offset, { squares, largest }, at) {
      const near = memoryOf(into)
      const { linked, pieces, found } = near ?? memory
      const [own, one, other, front, back] = pieces
      found.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        copy(base, start, end, own)
        copy(first, start, end, one)
        copy(second, start, end, other)
        const [a, b, c] = [own.byteOffset, one.byteOffset, other.byteOffset]
        const place = into.byteOffset + 4 * (offset + start)
        const [to, behind] = near === undefined ? [front.byteOffset, back.byteOffset] : [place, place + 4 * dim]
        linked.addPair(a, b, c, to, behind, end - start, found.byteOffset)
        if (near !== undefined) continue
        into.set(firstOf(front, end - start), offset + start)
        into.set(firstOf(back, end - start), offset + dim + start)
      }
      squares.set(found.subarray(0, 2), at)
      largest.set(found.subarray(2), at)
    },
    addOne(base, row, into, offset, { squares, largest }, at) {
      const near = memoryOf(into)
      const { linked, pieces, found } = near ?? memory
      const [own, one, , front] = pieces
      found.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        copy(base, start, end, own)
        copy(row, start, end, one)
        const to = near === undefined ? front.byteOffset : into.byteOffset + 4 * (offset + start)
        linked.addRow(own.byteOffset, one.byteOffset, to, end - start, found.byteOffset)
        if (near === undefined) into.set(firstOf(front, end - start), offset + start)
      }
      squares[at] = found[0] as number
      largest[at] = found[1] as number
    },
  }
}

/** The same in plain loops. */
export function scalarPair(dim: number): RowPair {
  const addOne: RowPair['addOne'] = (base, row, into, offset, { squares, largest }, at) => {
    squares[at] = addRow(base, row, into, offset)
    largest[at] = largestIn(row)
  }
  return {
    rows: [new Float32Array(dim), new Float32Array(dim)],
    addTo(base, both, into, offset, sizes, at) {
      both.forEach((row, i) => {
        addOne(base, row, into, offset + i * dim, sizes, at + i)
      })
    },
    addOne,
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
