import { makeAnswers, notAsked } from '../core/answers.ts'
import { ask } from '../core/ask.ts'
import { after } from '../core/in-turn.ts'
import { count, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, askRows, checkObjective } from './around.ts'
import { type RowCache, rowCache, rowHash, sameBits } from './row-cache.ts'
import type { CachedOptions } from './wrapper-options.ts'

/** How much is remembered. */
export const cachedOptions = table({
  size: count('rows remembered at most', 10_000),
  maxBytes: count('memory for them at most, about 8 bytes a coordinate', 268_435_456),
})

/** What an entry takes beside its coordinates, roughly. */
const entryBytes = 200

/** The rows of one batch, by what has to be done about them. */
interface Sorted {
  readonly fresh: number[]
  /** Rows that are the same as an earlier one that is being asked. */
  readonly twins: { readonly row: number; readonly of: number }[]
  readonly hashes: Float64Array
}

/**
 * Asks no row twice: the same coordinates to the bit (0 and -0 differ) with the same sample get the answer they got
 * before, which costs no query. Failed rows and values that are not finite are not remembered.
 */
export function cached(objective: Objective, options: CachedOptions = {}): Objective {
  checkObjective('cached', objective)
  const { size, maxBytes } = parseOptions('cached', cachedOptions, options)
  const cache = rowCache(Math.min(size, Math.floor(maxBytes / (8 * objective.dim + entryBytes))))
  const room = { point: new Float64Array(objective.dim), other: new Float64Array(objective.dim) }

  const inner = around(objective, (queries, into, signal) => {
    const sorted = sortRows(queries, into, cache, room)
    const { fresh, twins } = sorted
    const work = (): void | Promise<void> => {
      if (fresh.length === queries.rows) return ask(objective, queries, into, signal)
      return fresh.length === 0 ? undefined : askRows(objective, queries, fresh, into, signal)
    }
    return after(work(), () => {
      if (signal?.aborted === true) return
      remember(queries, into, cache, sorted, room.point)
      for (const { row, of } of twins) copyRow(into, of, row)
    })
  })
  return {
    ...inner,
    recall(queries, answers) {
      // The same look-ups as when it was asked: they decide what is forgotten first.
      const sorted = sortRows(queries, makeAnswers(queries.rows), cache, room)
      remember(queries, answers, cache, sorted, room.point)
      inner.recall?.(queries, answers)
    },
  }
}

/** Fills in what is known and says what is left to ask. */
function sortRows(
  queries: Queries,
  into: Answers,
  cache: RowCache,
  { point, other }: { point: Float64Array; other: Float64Array },
): Sorted {
  const sorted: Sorted = { fresh: [], twins: [], hashes: new Float64Array(queries.rows) }
  const firstWith = new Map<number, number>()
  const isTwin = (of: number, row: number): boolean => {
    queries.write(of, other)
    return queries.sample(of) === queries.sample(row) && sameBits(other, point)
  }
  for (let row = 0; row < queries.rows; row++) {
    queries.write(row, point)
    const hash = rowHash(point, queries.sample(row))
    sorted.hashes[row] = hash
    const value = cache.get(hash, point, queries.sample(row))
    const of = firstWith.get(hash)
    if (value !== undefined) recordKnown(into, row, value)
    else if (of !== undefined && isTwin(of, row)) sorted.twins.push({ row, of })
    else {
      firstWith.set(hash, row)
      sorted.fresh.push(row)
    }
  }
  return sorted
}

function recordKnown(into: Answers, row: number, value: number): void {
  into.values[row] = value
  into.failed[row] = 0
  into.reasons[row] = undefined
  if (into.cached !== undefined) into.cached[row] = 1
}

function remember(
  queries: Queries,
  into: Answers,
  cache: RowCache,
  { fresh, hashes }: Sorted,
  point: Float64Array,
): void {
  for (const row of fresh) {
    const value = into.values[row] as number
    if (into.failed[row] === 1 || !Number.isFinite(value)) continue
    queries.write(row, point)
    const hash = rowHash(point, queries.sample(row))
    // Queries are void once their answers are told: where the caller did not wait for us, these are other rows by now.
    if (hash === hashes[row]) cache.set(hash, point, queries.sample(row), value)
  }
}

/** Gives a row the answer to another one, which it is the same as: it was not asked. */
function copyRow(into: Answers, from: number, row: number): void {
  if (into.dropped !== undefined && into.dropped[from] !== 0) {
    into.dropped[row] = notAsked
    return
  }
  recordKnown(into, row, into.values[from] as number)
  into.failed[row] = into.failed[from] as number
  into.reasons[row] = into.reasons[from]
}
