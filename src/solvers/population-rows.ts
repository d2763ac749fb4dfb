import type { Begin, Key } from '../core/types.ts'
import { tileSize } from '../kernels/normals.ts'

/** Rows of a generation up to this many numbers are kept while it is asked; larger ones are made again when needed. */
const mostKept = 2 ** 19

/** A row: its normals and the step made of them. Lent until the next is read. */
interface Row {
  readonly normal: Float64Array
  readonly step: Float64Array
}

/** The rows of a generation: normals, which follow from the key, and the steps that a covariance makes of them. */
export class PopulationRows {
  readonly #at: Begin
  readonly #stretch: (z: Float64Array, into: Float64Array) => void
  readonly #tile: Float32Array
  readonly #lent: Row
  #kept: Row[] = []
  #filled = 0
  #key: Key = { seed: 0, iteration: -1 }

  constructor(at: Begin, stretch: (z: Float64Array, into: Float64Array) => void) {
    this.#at = at
    this.#stretch = stretch
    this.#tile = new Float32Array(Math.min(at.dim, tileSize))
    this.#lent = emptyRow(at.dim)
  }

  /** Begins a generation. */
  begin(key: Key, population: number): void {
    this.#key = key
    this.#filled = population * this.#at.dim <= mostKept ? population : 0
    while (this.#kept.length < this.#filled) this.#kept.push(emptyRow(this.#at.dim))
    for (let row = 0; row < this.#filled; row++) this.#fill(row, this.#kept[row] as Row)
  }

  read(row: number): Row {
    if (row < this.#filled) return this.#kept[row] as Row
    this.#fill(row, this.#lent)
    return this.#lent
  }

  #fill(row: number, { normal, step }: Row): void {
    this.normals({ ...this.#key, row }, normal)
    this.#stretch(normal, step)
  }

  /** Normals of an address, as many as there are variables. */
  normals(address: Key & { row: number }, into: Float64Array): void {
    const { dim, kernels } = this.#at
    for (let first = 0; first < dim; first += tileSize) {
      const count = Math.min(tileSize, dim - first)
      kernels.normals(address, first / tileSize, count, this.#tile)
      for (let i = 0; i < count; i++) into[first + i] = this.#tile[i] as number
    }
  }
}

function emptyRow(dim: number): Row {
  return { normal: new Float64Array(dim), step: new Float64Array(dim) }
}
