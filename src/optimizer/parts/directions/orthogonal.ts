import { table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Directions, DirectionsState, Key, RunContext } from '../../core/types.ts'
import type { Kernels } from '../../kernels/kernels.ts'
import { tileSize } from '../../kernels/normals.ts'
import { writeStep } from './basic.ts'

/** Below this share of a row's length, what is left of it after the earlier rows is noise: draw the block again. */
const smallestPivot = 1e-5

/**
 * Orthonormal directions, uniform on the Stiefel manifold: the variance for linear f is (d/q - 1)||g||^2 instead of
 * (d-1)||g||^2 / q, and 0 at q = d. More than d directions come in blocks of d.
 *
 * The rows are U = L^-1 Z with Z Gaussian and Z Z^T = L L^T: only the small triangular matrix is kept, and each
 * row is a combination of Gaussian rows that are made again. Memory stays flat in q x d.
 */
export const orthogonal = definePart({
  kind: 'directions',
  name: 'orthogonal',
  summary: 'Random orthonormal vectors, in blocks of at most d.',
  options: table({}),
  examples: () => [{}],
  make: (): Directions => ({
    start(at, count): DirectionsState {
      const block = Math.min(count, at.dim)
      const weights = new Float64Array(block)
      const tiles = new NormalTiles(at, block)
      const draws = blockDraws(tiles, block, count)
      return {
        count,
        factor: at.dim,
        write(x, scale, key, row, into, offset) {
          const wanted = Math.floor(row / block)
          const { firstRow, combination } = draws(key, wanted)
          const within = row - wanted * block
          for (let j = 0; j <= within; j++) weights[j] = combination[within * block + j] as number
          tiles.combine(key, firstRow, weights, within + 1, (u, first, length) => {
            writeStep(x, scale, u, first, length, into, offset)
          })
        },
        combine(scale, key, given, gradient) {
          for (let first = 0; first < count; first += block) {
            const size = Math.min(block, count - first)
            const { firstRow, combination } = draws(key, first / block)
            for (let j = 0; j < block; j++) weights[j] = scale * weightOfNormals(combination, given, first, size, j)
            tiles.combine(key, firstRow, weights, block, (sum, from, length) => {
              for (let i = 0; i < length; i++) gradient[from + i] = (gradient[from + i] as number) + (sum[i] as number)
            })
          }
        },
      }
    },
  }),
})

/** The normals that a block of directions combines, and how: remembered until another block is wanted. */
function blockDraws(tiles: NormalTiles, block: number, count: number) {
  const draw = { block: -1, iteration: -1, seed: -1, firstRow: 0, combination: new Float64Array(block * block) }
  return (key: Key, wanted: number): typeof draw => {
    if (draw.block === wanted && draw.iteration === key.iteration && draw.seed === key.seed) return draw
    // Attempts use rows beyond those of every block, so no stream is used twice.
    for (let attempt = 0; ; attempt++) {
      draw.firstRow = wanted * block + attempt * (count + block)
      tiles.gram(key, draw.firstRow, draw.combination)
      if (invertCholesky(draw.combination, block)) break
    }
    draw.block = wanted
    draw.iteration = key.iteration
    draw.seed = key.seed
    return draw
  }
}

/** sum_i given_(first + i) (L^-1)_ij: how much of normal row j there is in a weighted sum of the directions of a block. */
function weightOfNormals(
  combination: Float64Array,
  given: Float64Array,
  first: number,
  size: number,
  j: number,
): number {
  const block = Math.sqrt(combination.length)
  let sum = 0
  for (let i = j; i < size; i++) sum += (given[first + i] as number) * (combination[i * block + j] as number)
  return sum
}

/** Replaces the lower triangle of a Gram matrix by L^-1; false where it is too close to singular to be trusted. */
function invertCholesky(gram: Float64Array, n: number): boolean {
  const at = (i: number, j: number): number => gram[i * n + j] as number
  for (let i = 0; i < n; i++) {
    const length = Math.sqrt(at(i, i))
    for (let j = 0; j <= i; j++) {
      let value = at(i, j)
      for (let k = 0; k < j; k++) value -= at(i, k) * at(j, k)
      if (i === j) {
        if (!(value > smallestPivot * smallestPivot * length * length)) return false
        gram[i * n + i] = Math.sqrt(value)
      } else gram[i * n + j] = value / at(j, j)
    }
  }
  for (let j = 0; j < n; j++) {
    gram[j * n + j] = 1 / at(j, j)
    for (let i = j + 1; i < n; i++) {
      let value = 0
      for (let k = j; k < i; k++) value -= at(i, k) * at(k, j)
      gram[i * n + j] = value / at(i, i)
    }
  }
  return true
}

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

  constructor({ dim, kernels }: RunContext, most: number) {
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
