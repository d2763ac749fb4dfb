import { ask, makeAnswers, notAsked } from '../core/answers.ts'
import { andThen } from '../core/async.ts'
import { count, type Input, parseOptions, table, withDefault } from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { scrambled } from '../kernels/random.ts'
import { around, askRows, checkObjective } from './around.ts'

/** How much is remembered. */
export const cachedOptions = table({
  /** Rows remembered at most. At least 1; default 10000. */
  size: withDefault(count, 10_000),
  /** Memory for them at most, about 8 bytes a coordinate. At least 1; default 268435456. */
  maxBytes: withDefault(count, 268_435_456),
})

/** Options of `cached`. */
export interface CachedOptions extends Input<typeof cachedOptions> {}

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
    return andThen(work(), () => {
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

/** Values of the rows that were used last, by their bits and their sample. */
export interface RowCache {
  get(hash: number, point: Float64Array, sample: number): number | undefined
  /** Keeps a copy of the point. */
  set(hash: number, point: Float64Array, sample: number, value: number): void
}

interface Entry {
  readonly point: Float64Array
  readonly sample: number
  readonly value: number
}

/**
 * Remembers up to `capacity` rows and forgets first what was not used for longest. A hash only says where to look: rows
 * are compared bit by bit, and of two with the same hash the later one takes the place.
 */
export function rowCache(capacity: number): RowCache {
  // A Map keeps the order of insertion: what is used is inserted anew, so the first is the one to forget.
  const entries = new Map<number, Entry>()
  return {
    get(hash, point, sample) {
      const entry = entries.get(hash)
      if (entry === undefined || entry.sample !== sample || !sameBits(entry.point, point)) return undefined
      entries.delete(hash)
      entries.set(hash, entry)
      return entry.value
    },
    set(hash, point, sample, value) {
      if (capacity < 1) return
      entries.delete(hash)
      if (entries.size >= capacity) entries.delete(entries.keys().next().value as number)
      entries.set(hash, { point: point.slice(), sample, value })
    },
  }
}

/** Whether two points are the same 64 bits in every coordinate: 0 and -0 are not. */
export function sameBits(a: Float64Array, b: Float64Array): boolean {
  const [left, right] = [wordsOf(a), wordsOf(b)]
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false
  return left.length === right.length
}

/** 53 bits of a point and its sample, mixed as MurmurHash3 does, in two lanes with constants of their own. */
export function rowHash(point: Float64Array, sample: number): number {
  let high = mix(0x2f0b4c47, sample, 0xcc9e2d51, 0x1b873593)
  let low = mix(0x16a1f6d3, sample, 0x85ebca6b, 0xc2b2ae35)
  const words = wordsOf(point)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number
    high = mix(high, word, 0xcc9e2d51, 0x1b873593)
    low = mix(low, word, 0x85ebca6b, 0xc2b2ae35)
  }
  return scrambled(high) * 2097152 + (scrambled(low) >>> 11)
}

function wordsOf(point: Float64Array): Int32Array {
  return new Int32Array(point.buffer, point.byteOffset, 2 * point.length)
}

function mix(hash: number, word: number, first: number, second: number): number {
  let k = Math.imul(word, first)
  k = Math.imul((k << 15) | (k >>> 17), second)
  const mixed = hash ^ k
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}
