import { instantiate } from './wasm-instance.ts'

/** Two float32 rows that are added to the same vector at once. */
export interface RowPair {
  /** Where the rows are written. */
  readonly rows: readonly [Float32Array, Float32Array]
  /**
   * into[offset...] = base + the first row, and right behind it base + the second; `squares` gets the squares of each row, added
   * up in float64 from the first to the last.
   */
  addTo(base: Float32Array, into: Float32Array, offset: number, squares: Float64Array): void
}

/** Rows of `dim` numbers, in WebAssembly SIMD where there is any; the bits are the same. */
export function rowPair(dim: number): RowPair {
  return simdPair(dim) ?? scalarPair(dim)
}

/** Bytes behind each vector, so that no two share a cache line. */
const padding = 64

function simdPair(dim: number): RowPair | undefined {
  const wasm = instantiate(5 * (4 * dim + 2 * padding) + padding)
  if (wasm === undefined) return undefined
  const { buffer } = wasm.memory
  let free = wasm.heapBase
  const room = (length: number): Float32Array => {
    const start = Math.ceil(free / padding) * padding
    free = start + 4 * length + padding
    return new Float32Array(buffer, start, length)
  }
  const [own, one, other, both] = [room(dim), room(dim), room(dim), room(2 * dim)] as const
  const sums = new Float64Array(buffer, room(4).byteOffset, 2)
  const places = [own, one, other, both].map(({ byteOffset }) => byteOffset)
  return {
    rows: [one, other],
    addTo(base, into, offset, squares) {
      own.set(base)
      wasm.addPair(...places, dim, sums.byteOffset)
      into.set(both, offset)
      squares.set(sums)
    },
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
