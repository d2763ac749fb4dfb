import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { DirectionRows, Directions, Key } from '../core/types.ts'
import { NormalTiles } from './normal-tiles.ts'
import { writeStep } from './write-step.ts'

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
    begin(at, count): DirectionRows {
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
