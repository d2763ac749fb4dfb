import type { Queries, Search, Vector } from './types.ts'

/** Queries for one point of a search alone: its value with the first `rows` of the iteration's `samples`. */
export function pointQueries(search: Search, point: Vector, samples: number, rows: number): Queries {
  const next = search.ask()
  // Without centers, the rows of an iteration are those of the first sample, then those of the second, and so on.
  const spacing = next.centers > 0 ? 1 : next.rows / samples
  return {
    key: next.key,
    dim: next.dim,
    rows,
    centers: rows,
    sample: (row) => next.sample(row * spacing),
    write: (_, into, offset = 0) => into.set(point, offset),
  }
}
