import { ZerothError } from '../core/errors.ts'
import { list, numberList, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Basis, Span } from '../core/types.ts'
import { orthonormalizeRow } from '../kernels/orthonormalize.ts'

/** What is left of a vector after those before it must be at least this share of it. */
const leastShare = 1e-10

/** The subspace that vectors of the user's span: known good directions, the gradients of a similar problem, and the like. */
export const givenBasis = definePart({
  kind: 'basis',
  name: 'given-basis',
  summary: 'The subspace that given vectors span.',
  options: table({
    vectors: list(
      numberList,
      'independent vectors, a number for each variable; they are made orthonormal in this order',
    ),
  }),
  examples: (dim) => [
    { vectors: [Array.from({ length: dim }, (_, i) => i + 1)] },
    { vectors: Array.from({ length: dim }, (_, j) => Array.from({ length: dim }, (_, i) => (i <= j ? 1 : 0.25))) },
  ],
  make: ({ vectors }): Basis => ({
    begin({ dim }): Span {
      const rows = orthonormal(vectors, dim)
      return {
        dim: vectors.length,
        expand(coefficients, into) {
          into.fill(0)
          for (let j = 0; j < vectors.length; j++) {
            const weight = coefficients[j] as number
            const row = j * dim
            for (let i = 0; i < dim; i++) into[i] = (into[i] as number) + weight * (rows[row + i] as number)
          }
        },
      }
    },
  }),
})

/** An orthonormal basis of the same subspace, one vector after another. */
function orthonormal(vectors: readonly Float64Array[], dim: number): Float64Array {
  const rows = new Float64Array(vectors.length * dim)
  vectors.forEach((vector, j) => {
    const name = `given-basis.vectors[${j}]`
    if (vector.length !== dim) {
      throw new ZerothError(
        'invalid-option',
        `${name} must have an entry for each of ${dim} variables, got ${vector.length}`,
      )
    }
    const bad = vector.findIndex((each) => !Number.isFinite(each))
    if (bad >= 0) {
      throw new ZerothError('invalid-option', `${name}[${bad}] must be a finite number, got ${vector[bad]}`)
    }
    rows.set(vector, j * dim)
    if (!orthonormalizeRow(rows, dim, j, leastShare)) {
      const what = j === 0 ? 'is 0' : `is a combination of those before it, or 0 (there are ${dim} variables)`
      throw new ZerothError('invalid-option', `${name} ${what}; the vectors must be independent`)
    }
  })
  return rows
}
