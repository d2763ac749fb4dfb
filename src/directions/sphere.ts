import { z } from 'zod'
import { definePart } from '../core/part.ts'
import type { DirectionRows, Directions, Key } from '../core/types.ts'

/** u uniform on the unit sphere: a normalised Gaussian vector, eq. (1). */
export const sphere = definePart({
  kind: 'directions',
  name: 'sphere',
  summary: 'Independent vectors, uniform on the unit sphere.',
  options: z.object({}),
  examples: () => [{}],
  make: (): Directions => ({
    begin({ kernels, dim }, count): DirectionRows {
      const norms = new Float64Array(count)
      let normsOf: Key = { seed: -1, iteration: -1 }
      // The norm of a row is needed to write it and again to use its answer: kept for the current iteration.
      const norm = (key: Key, row: number): number => {
        if (key.iteration !== normsOf.iteration || key.seed !== normsOf.seed) {
          norms.fill(0)
          normsOf = { seed: key.seed, iteration: key.iteration }
        }
        // All normals are 0 once in 2^25 rows of a single coordinate: such a row is x itself.
        if (norms[row] === 0) norms[row] = Math.sqrt(kernels.normalsSquared({ ...key, row }, dim)) || Infinity
        return norms[row] as number
      }
      return {
        count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          kernels.perturb(x, scale / norm(key, row), { ...key, row }, into, offset)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          kernels.accumulateNormals(x, scale / norm(key, row), { ...key, row }, weight, antithetic, gradient)
        },
      }
    },
  }),
})
