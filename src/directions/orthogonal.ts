import { z } from 'zod'
import { definePart } from '../core/part.ts'
import type { Begin, DirectionRows, Directions, Key } from '../core/types.ts'
import { tileSize } from '../kernels/normals.ts'

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
  options: z.object({}),
  examples: () => [{}],
  make: (): Directions => ({
    begin(at, count): DirectionRows {
      const block = Math.min(count, at.dim)
      const combination = new Float64Array(block * block)
      const tiles = makeTiles(at)
      const draw = { block: -1, iteration: -1, seed: -1, firstRow: 0 }

      const prepare = (key: Key, wanted: number): void => {
        if (draw.block === wanted && draw.iteration === key.iteration && draw.seed === key.seed) return
        // Attempts use rows beyond those of every block, so no stream is used twice.
        for (let attempt = 0; ; attempt++) {
          draw.firstRow = wanted * block + attempt * (count + block)
          tiles.gram(key, draw.firstRow, block, combination)
          if (invertCholesky(combination, block)) break
        }
        Object.assign(draw, { block: wanted, iteration: key.iteration, seed: key.seed })
      }

      return {
        count,
        factor: at.dim,
        write(x, scale, key, row, into, offset) {
          const wanted = Math.floor(row / block)
          prepare(key, wanted)
          const within = row - wanted * block
          const weights = combination.subarray(within * block, within * block + within + 1)
          const round = x instanceof Float32Array ? Math.fround : Number
          const s = round(scale)
          tiles.combine(key, draw.firstRow, weights, (first, length, u) => {
            for (let i = 0; i < length; i++) {
              into[offset + first + i] = round((x[first + i] as number) + round(s * round(u[i] as number)))
            }
          })
        },
      }
    },
  }),
})

/** Tile by tile over rows of normals, so that working memory is one tile per row of a block at most. */
function makeTiles({ dim, kernels }: Begin) {
  const normals = new Float32Array(tileSize)
  const sum = new Float64Array(tileSize)
  let rows = new Float32Array(0)
  return {
    /** gram = Z Z^T for `count` rows of normals from `firstRow` on (lower triangle). */
    gram(key: Key, firstRow: number, count: number, gram: Float64Array): void {
      if (rows.length < count * Math.min(tileSize, dim)) rows = new Float32Array(count * Math.min(tileSize, dim))
      gram.fill(0)
      for (let first = 0; first < dim; first += tileSize) {
        const length = Math.min(tileSize, dim - first)
        const tile = (i: number) => rows.subarray(i * length, (i + 1) * length)
        for (let i = 0; i < count; i++) {
          kernels.normals({ ...key, row: firstRow + i }, first / tileSize, length, tile(i))
        }
        for (let i = 0; i < count; i++) {
          for (let j = 0; j <= i; j++) {
            gram[i * count + j] = (gram[i * count + j] as number) + kernels.dot(tile(i), tile(j))
          }
        }
      }
    },

    /** Calls `use` with each tile of sum_j weights_j z_j. */
    combine(
      key: Key,
      firstRow: number,
      weights: Float64Array,
      use: (first: number, length: number, sum: Float64Array) => void,
    ): void {
      for (let first = 0; first < dim; first += tileSize) {
        const length = Math.min(tileSize, dim - first)
        sum.fill(0, 0, length)
        for (let j = 0; j < weights.length; j++) {
          kernels.normals({ ...key, row: firstRow + j }, first / tileSize, length, normals)
          const weight = weights[j] as number
          for (let i = 0; i < length; i++) sum[i] = (sum[i] as number) + weight * (normals[i] as number)
        }
        use(first, length, sum)
      }
    },
  }
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
