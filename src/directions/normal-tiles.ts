import type { Begin, Key } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { tileSize } from '../kernels/normals.ts'

/**
 * Rows of normals, made and used tile by tile, so that working memory is one tile for each of at most `most` rows. Where a tile
 * is all there is, the rows of `gram` stay for what follows.
 */
export class NormalTiles {
  readonly #dim: number
  readonly #kernels: Kernels
  readonly #most: number
  readonly #stride: number
  readonly #rows: Float32Array
  /** The rows as tiles of the full length, and of the length of the last tile. */
  readonly #whole: readonly Float32Array[]
  readonly #last: readonly Float32Array[]
  readonly #sum: Float64Array
  readonly #address = { seed: 0, iteration: 0, row: 0 }

  constructor({ dim, kernels }: Begin, most: number) {
    const stride = Math.min(tileSize, dim)
    const rows = kernels.allocate(most * stride, 'float32') as Float32Array
    const views = (length: number) =>
      Array.from({ length: most }, (_, i) => rows.subarray(i * stride, i * stride + length))
    this.#dim = dim
    this.#kernels = kernels
    this.#most = most
    this.#stride = stride
    this.#rows = rows
    this.#whole = views(stride)
    this.#last = views(dim % stride || stride)
    this.#sum = new Float64Array(stride)
  }

  /** gram = Z Z^T for `most` rows of normals from `firstRow` on (lower triangle). */
  gram(key: Key, firstRow: number, gram: Float64Array): void {
    const most = this.#most
    gram.fill(0)
    for (let first = 0; first < this.#dim; first += this.#stride) {
      const tiles = this.#fill(key, firstRow, most, first)
      for (let i = 0; i < most; i++) {
        for (let j = 0; j <= i; j++) {
          const product = this.#kernels.dot(tiles[i] as Float32Array, tiles[j] as Float32Array)
          gram[i * most + j] = (gram[i * most + j] as number) + product
        }
      }
    }
  }

  /** Calls `use` with each tile of sum_j weights_j z_j over `count` of the rows that `gram` was last asked for. */
  combine(
    key: Key,
    firstRow: number,
    weights: Float64Array,
    count: number,
    use: (sum: Float64Array, first: number, length: number) => void,
  ): void {
    const stride = this.#stride
    for (let first = 0; first < this.#dim; first += stride) {
      const length = Math.min(stride, this.#dim - first)
      if (this.#dim > stride) this.#fill(key, firstRow, count, first)
      addUp(weights, count, this.#rows, stride, length, this.#sum)
      use(this.#sum, first, length)
    }
  }

  /** Makes the tile from coordinate `first` on of `count` rows of normals. */
  #fill(key: Key, firstRow: number, count: number, first: number): readonly Float32Array[] {
    const tiles = first + this.#stride < this.#dim ? this.#whole : this.#last
    const address = this.#address
    address.seed = key.seed
    address.iteration = key.iteration
    for (let i = 0; i < count; i++) {
      const tile = tiles[i] as Float32Array
      address.row = firstRow + i
      this.#kernels.normals(address, first / this.#stride, tile.length, tile)
    }
    return tiles
  }
}

/** out = sum_j weights_j row_j in order, four at a time so that `out` is passed over less often. */
function addUp(
  weights: Float64Array,
  count: number,
  rows: Float32Array,
  stride: number,
  length: number,
  out: Float64Array,
): void {
  out.fill(0, 0, length)
  let j = 0
  for (; j + 4 <= count; j += 4) {
    const [a, b, c, d] = [weights[j], weights[j + 1], weights[j + 2], weights[j + 3]] as [
      number,
      number,
      number,
      number,
    ]
    const r0 = j * stride
    const r1 = r0 + stride
    const r2 = r1 + stride
    const r3 = r2 + stride
    for (let i = 0; i < length; i++) {
      const two = (out[i] as number) + a * (rows[r0 + i] as number) + b * (rows[r1 + i] as number)
      out[i] = two + c * (rows[r2 + i] as number) + d * (rows[r3 + i] as number)
    }
  }
  for (; j < count; j++) {
    const a = weights[j] as number
    for (let i = 0; i < length; i++) out[i] = (out[i] as number) + a * (rows[j * stride + i] as number)
  }
}
