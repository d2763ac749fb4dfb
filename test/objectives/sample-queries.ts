import type { Queries } from '../../src/optimizer/core/types.ts'

/** Rows 0, 1, 2, ... of iteration 7 at the points (0, 0), (1, 10), (2, 20), ..., unless something else is said. */
export function sampleQueries(rows: number, changes: Partial<Queries> = {}): Queries {
  return {
    key: { seed: 1, iteration: 7 },
    rows,
    dim: 2,
    centers: 1,
    sample: (row) => 100 + row,
    write: (row, into, offset = 0) => into.set([row, 10 * row], offset),
    ...changes,
  }
}
