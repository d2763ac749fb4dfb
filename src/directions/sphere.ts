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
      // The norm of a row is found when it is written and needed again to use its answer: kept for one iteration.
      const norms = new Float64Array(count)
      const normsOf = { seed: -1, iteration: -1 }
      const address = { seed: 0, iteration: 0, row: 0 }
      const aim = (key: Key, row: number): typeof address => {
        if (key.iteration !== normsOf.iteration || key.seed !== normsOf.seed) {
          norms.fill(0)
          normsOf.seed = key.seed
          normsOf.iteration = key.iteration
        }
        address.seed = key.seed
        address.iteration = key.iteration
        address.row = row
        return address
      }
      // All normals are 0 about once in 2^23 rows of a single coordinate: such a row is x itself.
      const keep = (row: number, squared: number): number => {
        const norm = Math.sqrt(squared) || Infinity
        norms[row] = norm
        return norm
      }
      const normalScale = (key: Key, row: number, scale: number): number => {
        const at = aim(key, row)
        return scale / (norms[row] || keep(row, kernels.normalsSquared(at, dim)))
      }
      return {
        count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          const at = aim(key, row)
          if (norms[row] === 0) keep(row, kernels.perturbUnit(x, scale, at, into, offset))
          else kernels.perturb(x, normalScale(key, row, scale), at, into, offset)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          const s = normalScale(key, row, scale)
          kernels.accumulateNormals(x, s, address, weight, antithetic, gradient)
        },
        normalScale,
      }
    },
  }),
})
