import { ZerothError } from '../core/errors.ts'
import { option, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { functionThat } from '../core/schema.ts'
import type { DirectionRows, Directions } from '../core/types.ts'

/** A direction for each (iteration, row); iterations count from 1, rows from 0. */
export type GivenDirection = (iteration: number, row: number, dim: number) => ArrayLike<number>

/** Directions that the user supplies: for golden tests, and for searches along known vectors. */
export const given = definePart({
  kind: 'directions',
  name: 'given',
  summary: 'Directions the user supplies.',
  options: table({
    direction: option(
      functionThat<GivenDirection>('must be a function (iteration, row, dim) that returns a vector'),
      'the direction of one row of one iteration',
    ),
    factor: optional(
      positive('the number that makes E[factor u u^T] the identity; the dimension, as for unit vectors, if left out'),
    ),
  }),
  examples: () => [
    {
      // An orthonormal basis taken in turn, so that the conformance suite finds E[d u u^T] = I.
      direction: (iteration: number, row: number, dim: number) =>
        Float64Array.from({ length: dim }, (_, i) => (i === (iteration + row) % dim ? 1 : 0)),
    },
  ],
  make: ({ direction, factor }): Directions => ({
    begin({ dim }, count): DirectionRows {
      return {
        count,
        factor: factor ?? dim,
        write(x, scale, key, row, into, offset) {
          const u = direction(key.iteration, row, dim)
          if (u.length !== dim) {
            const where = `iteration ${key.iteration}, row ${row}`
            throw new ZerothError(
              'invalid-option',
              `given.direction returned ${u.length} entries for ${dim} (${where})`,
            )
          }
          const round = x instanceof Float32Array ? Math.fround : Number
          const s = round(scale)
          for (let i = 0; i < dim; i++) into[offset + i] = round((x[i] as number) + round(s * (u[i] as number)))
        },
      }
    },
  }),
})
