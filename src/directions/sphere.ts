import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { DirectionRows, Directions, Key } from '../core/types.ts'

/** u uniform on the unit sphere: a normalised Gaussian vector, eq. (1). */
export const sphere = definePart({
  kind: 'directions',
  name: 'sphere',
  summary: 'Independent vectors, uniform on the unit sphere.',
  options: table({}),
  examples: () => [{}],
  make: (): Directions => ({
    begin({ kernels, dim }, count): DirectionRows {
      const norms = rowNorms(count)
      const normalScale = (key: Key, row: number, scale: number): number => {
        const at = norms.aim(key, row)
        return scale / (norms.of(row) || norms.keep(row, kernels.normalsSquared(at, dim)))
      }
      return {
        count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          const at = norms.aim(key, row)
          if (norms.of(row) === 0) norms.keep(row, kernels.perturbUnit(x, scale, at, into, offset))
          else kernels.perturb(x, normalScale(key, row, scale), at, into, offset)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          const s = normalScale(key, row, scale)
          kernels.accumulateNormals(x, s, norms.aim(key, row), weight, antithetic, gradient)
        },
        normalScale,
      }
    },
  }),
})

/** The norms of the normals of one iteration: found when a row is written, and needed again to use its answer. */
function rowNorms(count: number) {
  const norms = new Float64Array(count)
  const known = { seed: -1, iteration: -1 }
  const address = { seed: 0, iteration: 0, row: 0 }
  return {
    /** The address of a row, valid until the next call; the norms of another iteration are forgotten. */
    aim(key: Key, row: number): typeof address {
      if (key.iteration !== known.iteration || key.seed !== known.seed) {
        norms.fill(0)
        known.seed = key.seed
        known.iteration = key.iteration
      }
      address.seed = key.seed
      address.iteration = key.iteration
      address.row = row
      return address
    },
    /** The norm of a row, 0 before it is known. */
    of: (row: number): number => norms[row] as number,
    /** All normals are 0 about once in 2^23 rows of a single coordinate: such a row is x itself. */
    keep(row: number, squared: number): number {
      const norm = Math.sqrt(squared) || Infinity
      norms[row] = norm
      return norm
    },
  }
}
