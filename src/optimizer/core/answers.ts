import { randomInteger, randomWord } from '../kernels/random.ts'
import { isFatal, show, ZerothError } from './errors.ts'
import type { Answers, Key, Objective, Queries } from './types.ts'

/** Room for the answers to `rows` queries, each with so many constraints. */
export function makeAnswers(rows: number, constraints = 0): Answers {
  return {
    values: new Float64Array(rows),
    failed: new Uint8Array(rows),
    reasons: new Array<unknown>(rows).fill(undefined),
    rowBuffer: null,
    cached: new Uint8Array(rows),
    retries: 0,
    notes: null,
    reached: undefined,
    constraints: constraints === 0 ? undefined : new Float64Array(rows * constraints).fill(Number.NaN),
  }
}

/** A row that was not asked because another one was not answered in time: it costs no query. */
export const notAsked = 1

/** A row that was asked and not waited for because another one was not answered in time. */
const abandoned = 2

/**
 * Whether one of these rows was not answered in time and the asker ends at the first failure: the others would be waited for
 * in vain. Rows that fail otherwise do not end it, so that counts do not depend on how many are asked at once.
 */
export function endsAt({ dropped, reasons }: Answers, first: number, count = 1): boolean {
  if (dropped === undefined) return false
  for (let row = first; row < first + count; row++) {
    const reason = reasons[row]
    if (reason instanceof ZerothError && reason.timedOut === true) return true
  }
  return false
}

/** Marks the rows from `first` to the last as not asked. */
export function dropFrom(answers: Answers, first: number, rows: number): void {
  answers.dropped?.fill(notAsked, first, rows)
}

/** Forgets earlier answers: a row that is not filled counts as failed, never as the value of an earlier iteration. */
export function clearAnswers(answers: Answers): void {
  answers.values.fill(Number.NaN)
  answers.failed.fill(0)
  answers.reasons.fill(undefined)
  answers.rowBuffer = null
  answers.cached?.fill(0)
  answers.dropped?.fill(0)
  answers.retries = 0
  answers.notes = null
  answers.reached = undefined
  answers.constraints?.fill(Number.NaN)
}

/** Records one value, or why it is none. */
export function recordValue(answers: Answers, row: number, value: unknown): void {
  if (typeof value === 'number') {
    answers.values[row] = value
    return
  }
  recordFailure(answers, row, `the objective returned ${show(value)} instead of a number`)
}

/** Records that none of these queries brought a value. */
export function recordFailures(answers: Answers, first: number, count: number, reason: unknown): void {
  for (let row = first; row < first + count; row++) recordFailure(answers, row, reason)
}

/** Records that a query brought no value. */
export function recordFailure(answers: Answers, row: number, reason: unknown): void {
  answers.values[row] = Number.NaN
  answers.failed[row] = 1
  answers.reasons[row] = reason
}

/** Copies what the user told, a plain list of numbers or full answers, into the session's own. */
export function copyAnswers(told: Answers | ArrayLike<unknown>, rows: number, into: Answers): void {
  const full = isAnswers(told)
  const values: ArrayLike<unknown> = full ? told.values : told
  const isList = typeof told === 'object' && told !== null
  if (!isList || (full ? values.length < rows : values.length !== rows)) {
    throw new ZerothError('invalid-answers', `tell expects ${rows} values, one per row asked, got ${show(values)}`)
  }
  clearAnswers(into)
  if (full) {
    into.rowBuffer = told.rowBuffer ?? null
    into.retries = told.retries ?? 0
    into.notes = told.notes ?? null
    into.reached = told.reached
    if (told.cached !== undefined) into.cached?.set(told.cached.subarray(0, rows))
    if (told.dropped !== undefined) into.dropped?.set(told.dropped.subarray(0, rows))
    if (told.constraints && into.constraints)
      into.constraints.set(told.constraints.subarray(0, into.constraints.length))
  }
  for (let row = 0; row < rows; row++) {
    if (full && told.failed[row] === 1) recordFailure(into, row, told.reasons[row])
    else recordValue(into, row, values[row])
  }
}

function isAnswers(told: Answers | ArrayLike<unknown>): told is Answers {
  return ArrayBuffer.isView((told as Partial<Answers> | null | undefined)?.values)
}

/** Values that are not finite are failures unless their rows were dropped. Returns how many failed. */
export function markFailures(answers: Answers, rows: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) {
    if (answers.dropped !== undefined && answers.dropped[row] !== 0) continue
    if (!Number.isFinite(answers.values[row]) && answers.failed[row] === 0) {
      answers.failed[row] = 1
      answers.reasons[row] ??= `the objective returned ${answers.values[row]}`
    }
    count += answers.failed[row] as number
  }
  return count
}

/** The mean of the answered centers, or NaN where none was. */
export function centerValue(answers: Answers, centers: number): number {
  let sum = 0
  let count = 0
  for (let row = 0; row < centers; row++) {
    if (answers.failed[row] === 1) continue
    sum += answers.values[row] as number
    count++
  }
  return count === 0 ? Number.NaN : sum / count
}

/** Asks the objective. What it throws is why all its rows failed; an error that ends the run is thrown, of a row, too. */
export function ask(
  objective: Objective,
  queries: Queries,
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  const failAll = (error: unknown): void => {
    if (isFatal(error)) throw error
    recordFailures(into, 0, queries.rows, error)
  }
  try {
    const work = objective.evaluate(queries, into, signal)
    if (work !== undefined) return work.then(() => throwFatal(into, queries.rows), failAll)
  } catch (error) {
    failAll(error)
  }
  throwFatal(into, queries.rows)
}

/** A mistake in how an objective was set up is no failed query: nothing was asked, and asking again cannot help. */
function throwFatal({ failed, reasons }: Answers, rows: number): void {
  for (let row = 0; row < rows; row++) if (failed[row] === 1 && isFatal(reasons[row])) throw reasons[row]
}

/** All rows of a query as separate points, for those who like a matrix better than rows on demand. */
export function points(queries: Queries): Float64Array[] {
  return Array.from({ length: queries.rows }, (_, row) => {
    const point = new Float64Array(queries.dim)
    queries.write(row, point)
    return point
  })
}

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

/**
 * Does pieces of work 0, 1, 2, ... with at most `width` under way, as long as `mayBegin` lets another begin. After an error
 * none begins; it is thrown once nothing is under way any more.
 */
export async function inParallel(
  count: number,
  width: number,
  work: (piece: number) => Promise<void>,
  mayBegin: () => boolean = () => true,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    try {
      while (next < count && mayBegin()) await work(next++)
    } catch (error) {
      next = count
      throw error
    }
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(width, count) }, lane))
  const broken = settled.find((each) => each.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

/** Rows that are asked together. */
export interface Piece {
  readonly first: number
  readonly count: number
}

/** How rows are asked in pieces. */
export interface Pieces {
  /** From which row on; from the first if left out. */
  readonly from?: number
  /** How many rows there are. */
  readonly rows: number
  /** Rows per piece at most. */
  readonly size: number
  /** Pieces under way at most. */
  readonly width: number
  /** Fires when a row has failed and the asker ends there; what is under way is then waited for, otherwise left behind. */
  readonly stop?: AbortController
}

/** Asks rows piece by piece. Where the asker ends at the first failure, no piece begins after one with a failed row. */
export async function askInPieces(
  { from = 0, rows, size, width, stop }: Pieces,
  into: Answers,
  ask: (piece: Piece) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Piece>()
  let leftBehind: Piece[] | undefined
  let begun = from
  let leave: () => void = () => undefined
  const failure = new Promise<void>((resolve) => {
    leave = resolve
  })
  const work = async (): Promise<void> => {
    const piece = { first: begun, count: Math.min(size, rows - begun) }
    begun += piece.count
    underWay.add(piece)
    await ask(piece)
    underWay.delete(piece)
    if (leftBehind !== undefined || !endsAt(into, piece.first, piece.count)) return
    leftBehind = [...underWay]
    if (stop === undefined) leave()
    else stop.abort(new Error('another query failed, which ends the run'))
  }
  const all = inParallel(Math.ceil((rows - from) / size), width, work, () => leftBehind === undefined)
  await Promise.race([all, failure])
  if (leftBehind === undefined) return
  for (const piece of leftBehind) abandon(into, piece)
  dropFrom(into, begun, rows)
}

/** Marks what was under way and has no value now. */
function abandon({ dropped, values, failed, reasons }: Answers, { first, count }: Piece): void {
  for (let row = first; row < first + count; row++) {
    if (dropped === undefined || (failed[row] === 0 && Number.isFinite(values[row]))) continue
    dropped[row] = abandoned
    failed[row] = 0
    reasons[row] = undefined
  }
}

/** The samples xi of one iteration: drawn from its key alone, so every query of a difference can share them. */
export interface SampleDraw {
  at(key: Key, j: number): number
}

/**
 * `count` samples per iteration. From a finite sum of `population` terms: distinct indices (all of them, in order,
 * when count = population). From an infinite population: 32-bit words for the objective to seed its noise with.
 */
export function sampleDraw(count: number, population: number | undefined): SampleDraw {
  if (population !== undefined && count > population) {
    throw new ZerothError('invalid-option', `samples must be at most the population (${population}), got ${count}`)
  }
  if (count === population) return { at: (_, j) => j }
  // Drawn once for all rows of an iteration: a word per row would cost more than the row of a small problem.
  const chosen = new Uint32Array(count)
  let drawnFor = { seed: -1, iteration: -1 }
  return {
    at(key, j) {
      if (key.iteration !== drawnFor.iteration || key.seed !== drawnFor.seed) {
        if (population === undefined) drawWords(chosen, key)
        else drawDistinct(chosen, population, key)
        drawnFor = { seed: key.seed, iteration: key.iteration }
      }
      return chosen[j] as number
    },
  }
}

function drawWords(chosen: Uint32Array, key: Key): void {
  for (let j = 0; j < chosen.length; j++) chosen[j] = randomWord({ ...key, row: 0 }, 'samples', j)
}

/** Floyd's algorithm: distinct indices with one random number each. */
function drawDistinct(chosen: Uint32Array, population: number, key: Key): void {
  const seen = new Set<number>()
  for (let j = 0; j < chosen.length; j++) {
    const last = population - chosen.length + j
    const drawn = randomInteger({ ...key, row: 0 }, 'samples', j, last + 1)
    const index = seen.has(drawn) ? last : drawn
    seen.add(index)
    chosen[j] = index
  }
}
