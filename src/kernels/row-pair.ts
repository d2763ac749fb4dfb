import { pairModule } from './pair-module.ts'
import { compiledFrom, pagesFor } from './wasm-instance.ts'

/** Float32 rows of the same length that are added to the same vector, two at once. */
export interface RowPair {
  /** Where rows may be written that have no place of their own. */
  readonly rows: Rows
  /**
   * into[offset...] = base + the first row, and right behind it base + the second; `squares` gets the squares of each row, added
   * up in float64 from the first to the last.
   */
  addTo(base: Float32Array, rows: Rows, into: Float32Array, offset: number, squares: Float64Array): void
  /** The same with one row; returns its squares. */
  addOne(base: Float32Array, row: Float32Array, into: Float32Array, offset: number): number
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

/** Numbers that pass through the kernel at a time: few enough that all its vectors stay in the second-level cache. */
const piece = 8192

/** Bytes behind each vector, so that no two share a cache line. */
const padding = 64

type AddPair = (...numbers: number[]) => void

function simdPair(dim: number): RowPair | undefined {
  const vector = 4 * piece + padding
  const linked = link(5 * vector + 2 * padding)
  if (linked === undefined) return undefined
  const { buffer, addPair } = linked
  const room = (index: number): Float32Array => new Float32Array(buffer, padding + index * vector, piece)
  const [own, one, other, front, back] = [room(0), room(1), room(2), room(3), room(4)] as const
  const sums = new Float64Array(buffer, padding + 5 * vector, 2)
  const copy = (from: Float32Array, start: number, end: number, to: Float32Array): void =>
    to.set(end - start === from.length ? from : from.subarray(start, end))
  const add = (start: number, end: number, second: Float32Array): void =>
    addPair(
      own.byteOffset,
      one.byteOffset,
      second.byteOffset,
      front.byteOffset,
      back.byteOffset,
      end - start,
      sums.byteOffset,
    )
  return {
    rows: [new Float32Array(dim), new Float32Array(dim)],
    addTo(base, [first, second], into, offset, squares) {
      sums.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        copy(base, start, end, own)
        copy(first, start, end, one)
        copy(second, start, end, other)
        add(start, end, other)
        into.set(front.subarray(0, end - start), offset + start)
        into.set(back.subarray(0, end - start), offset + dim + start)
      }
      squares.set(sums)
    },
    addOne(base, row, into, offset) {
      sums.fill(0)
      for (let start = 0; start < dim; start += piece) {
        const end = Math.min(start + piece, dim)
        copy(base, start, end, own)
        copy(row, start, end, one)
        // Twice the same, which is still faster than a plain loop.
        add(start, end, one)
        into.set(front.subarray(0, end - start), offset + start)
      }
      return sums[0] as number
    },
  }
}

/** The kernel on memory of its own; undefined where SIMD or memory is missing. */
function link(bytes: number): { readonly buffer: ArrayBuffer; readonly addPair: AddPair } | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: pagesFor(bytes) })
    const { exports } = new WebAssembly.Instance(compiledFrom(pairModule), { env: { memory } })
    return { buffer: memory.buffer, addPair: exports.addPair as AddPair }
  } catch {
    return undefined
  }
}

/** The same in plain loops. */
export function scalarPair(dim: number): RowPair {
  const rows = [new Float32Array(dim), new Float32Array(dim)] as const
  return {
    rows,
    addTo(base, both, into, offset, squares) {
      both.forEach((row, i) => {
        squares[i] = addRow(base, row, into, offset + i * dim)
      })
    },
    addOne: addRow,
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
