import type { Queries } from './types.ts'

/** All rows of a query as separate points, for those who like a matrix better than rows on demand. */
export function points(queries: Queries): Float64Array[] {
  return Array.from({ length: queries.rows }, (_, row) => {
    const point = new Float64Array(queries.dim)
    queries.write(row, point)
    return point
  })
}
