import { pairModule } from './pair-module.ts'
import { compiledFrom, pagesFor } from './wasm-instance.ts'

/** Two float32 rows that are added to the same vector at once. */
export interface RowPair {
  /** Where the rows are written. */
  readonly rows: readonly [Float32Array, Float32Array]
  /**
   * into[offset...] = base + the first row, and right behind it base + the second; `squares` gets the squares of each row, added
   * up in float64 from the first to the last. A vector that is given again must not have changed.
   */
  addTo(base: Float32Array, into: Float32Array, offset: number, squares: Float64Array): void
  /** The same with the first row alone; returns its squares. */
  addOne(base: Float32Array, into: Float32Array, offset: number): number
}

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

/** Bytes behind each vector, so that no two share a cache line. */
const padding = 64

type AddPair = (...numbers: number[]) => void

function simdPair(dim: number): RowPair | undefined {
  const linked = link(5 * (4 * dim + 2 * padding) + 3 * padding)
  if (linked === undefined) return undefined
  const { buffer, addPair } = linked
  let free = padding
  const room = (length: number): Float32Array => {
    const start = Math.ceil(free / padding) * padding
    free = start + 4 * length + padding
    return new Float32Array(buffer, start, length)
  }
  const [own, one, other, both] = [room(dim), room(dim), room(dim), room(2 * dim)] as const
  const sums = new Float64Array(buffer, room(4).byteOffset, 2)
  const front = both.subarray(0, dim)
  let last: Float32Array | undefined
  const run = (base: Float32Array, second: Float32Array): void => {
    if (base !== last) own.set(base)
    last = base
    addPair(own.byteOffset, one.byteOffset, second.byteOffset, both.byteOffset, dim, sums.byteOffset)
  }
  return {
    rows: [one, other],
    addTo(base, into, offset, squares) {
      run(base, other)
      into.set(both, offset)
      squares.set(sums)
    },
    addOne(base, into, offset) {
      // Twice the same, which is still faster than a plain loop.
      run(base, one)
      into.set(front, offset)
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
    addTo(base, into, offset, squares) {
      rows.forEach((row, i) => {
        squares[i] = addRow(base, row, into, offset + i * dim)
      })
    },
    addOne: (base, into, offset) => addRow(base, rows[0], into, offset),
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
