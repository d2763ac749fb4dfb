import { makeAnswers, recordFailure } from './answers.ts'
import type { Answers, Queries } from './types.ts'

/** Some rows of a query, in the order given, as a query of their own. Centers count as long as they come first. */
export function someRows(queries: Queries, rows: readonly number[]): Queries {
  const firstProbe = rows.findIndex((row) => row >= queries.centers)
  return {
    key: queries.key,
    rows: rows.length,
    dim: queries.dim,
    centers: firstProbe < 0 ? rows.length : firstProbe,
    sample: (row) => queries.sample(rows[row] as number),
    original: (row) => originalRow(queries, rows[row] as number),
    write: (row, into, offset) => queries.write(rows[row] as number, into, offset),
  }
}

/** The row's number in its iteration: with the seed and the iteration, its address. */
export function originalRow(queries: Queries, row: number): number {
  return queries.original?.(row) ?? row
}

/** Room for the answers to some rows only; those that share the fate of `all` may end at the first failure, too. */
export function someAnswers(rows: readonly number[], all?: Answers): Answers {
  const answers = makeAnswers(rows.length)
  if (all?.dropped !== undefined) answers.dropped = new Uint8Array(rows.length)
  answers.values.fill(Number.NaN)
  return answers
}

/** Puts the answers to some rows back where they belong. Retries add up. */
export function putBack(some: Answers, rows: readonly number[], into: Answers): void {
  rows.forEach((row, i) => {
    into.values[row] = some.values[i] as number
    into.failed[row] = 0
    into.reasons[row] = some.reasons[i]
    if (some.failed[i] === 1) recordFailure(into, row, some.reasons[i])
    if (into.dropped !== undefined) into.dropped[row] = some.dropped?.[i] ?? 0
    if (into.cached !== undefined) into.cached[row] = some.cached?.[i] ?? 0
  })
  into.retries = (into.retries ?? 0) + (some.retries ?? 0)
}
