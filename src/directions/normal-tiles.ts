import type { Begin, Key } from '../core/types.ts'
import { tileSize } from '../kernels/normals.ts'

/**
 * Rows of normals, looked at tile by tile, so that working memory is one tile for each of at most `most` rows. Where a tile
 * is all there is, the rows of `gram` stay for what follows.
 */
export function normalTiles({ dim, kernels }: Begin, most: number) {
  const stride = Math.min(tileSize, dim)
  const rows = kernels.allocate(most * stride, 'float32') as Float32Array
  const views = (length: number) =>
    Array.from({ length: most }, (_, i) => rows.subarray(i * stride, i * stride + length))
  const whole = views(stride)
  const last = views(dim % stride || stride)
  const sum = new Float64Array(stride)
  const address = { seed: 0, iteration: 0, row: 0 }

  /** Makes the tile from coordinate `first` on of `count` rows of normals. */
  const fill = (key: Key, firstRow: number, count: number, first: number): readonly Float32Array[] => {
    const tiles = first + stride < dim ? whole : last
    address.seed = key.seed
    address.iteration = key.iteration
    for (let i = 0; i < count; i++) {
      const tile = tiles[i] as Float32Array
      address.row = firstRow + i
      kernels.normals(address, first / stride, tile.length, tile)
    }
    return tiles
  }

  return {
    /** gram = Z Z^T for `most` rows of normals from `firstRow` on (lower triangle). */
    gram(key: Key, firstRow: number, gram: Float64Array): void {
      gram.fill(0)
      for (let first = 0; first < dim; first += stride) {
        const tiles = fill(key, firstRow, most, first)
        for (let i = 0; i < most; i++) {
          for (let j = 0; j <= i; j++) {
            const product = kernels.dot(tiles[i] as Float32Array, tiles[j] as Float32Array)
            gram[i * most + j] = (gram[i * most + j] as number) + product
          }
        }
      }
    },

    /** Calls `use` with each tile of sum_j weights_j z_j over `count` of the rows that `gram` was last asked for. */
    combine(
      key: Key,
      firstRow: number,
      weights: Float64Array,
      count: number,
      use: (sum: Float64Array, first: number, length: number) => void,
    ): void {
      for (let first = 0; first < dim; first += stride) {
        const length = Math.min(stride, dim - first)
        if (dim > stride) fill(key, firstRow, count, first)
        addUp(weights, count, rows, stride, length, sum)
        use(sum, first, length)
      }
    },
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
