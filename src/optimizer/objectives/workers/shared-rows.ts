import { originalRow } from '../../core/answers.ts'
import type { Queries } from '../../core/types.ts'

/** The rows of an iteration in memory that all threads see, and what became of them. */
export interface SharedRows {
  /** Room for so many rows. */
  readonly capacity: number
  readonly dim: number
  readonly points: Float64Array
  readonly samples: Float64Array
  /** The row's number in its iteration. */
  readonly originals: Float64Array
  readonly values: Float64Array
  readonly failed: Uint8Array
  /** Which thread took a row; 0 while none did. */
  readonly threads: Int32Array
  /** When the function was called for a row, in milliseconds of the clock that all threads share; 0 before. */
  readonly began: Float64Array
}

/** Room for rows. */
export function makeSharedRows(capacity: number, dim: number): SharedRows {
  const numbers = (length: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * length))
  return {
    capacity,
    dim,
    points: numbers(capacity * dim),
    samples: numbers(capacity),
    originals: numbers(capacity),
    values: numbers(capacity),
    failed: new Uint8Array(new SharedArrayBuffer(capacity)),
    threads: new Int32Array(new SharedArrayBuffer(4 * capacity)),
    began: numbers(capacity),
  }
}

/** Writes down all that is asked, once per iteration. */
export function writeRows(queries: Queries, rows: SharedRows): void {
  for (let row = 0; row < queries.rows; row++) {
    queries.write(row, rows.points, row * rows.dim)
    rows.samples[row] = queries.sample(row)
    rows.originals[row] = originalRow(queries, row)
  }
  rows.failed.fill(0)
  rows.threads.fill(0)
  rows.began.fill(0)
}

/** Some rows that follow each other, as queries of their own. */
export function queriesOf(rows: SharedRows, first: number, count: number, iteration: number): Queries {
  return {
    // No seed: a point is already made, and the function is not told it.
    key: { seed: 0, iteration },
    rows: count,
    dim: rows.dim,
    centers: 0,
    sample: (row) => rows.samples[first + row] as number,
    original: (row) => rows.originals[first + row] as number,
    write(row, into, offset = 0) {
      const start = (first + row) * rows.dim
      into.set(rows.points.subarray(start, start + rows.dim), offset)
    },
  }
}
