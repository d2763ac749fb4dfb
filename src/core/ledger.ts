import { notAsked } from './answers.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Closing } from './closing-warnings.ts'
import { type Report, ZerothError } from './errors.ts'
import { History, type HistoryRecord } from './history.ts'
import type { FailurePolicy } from './session-table.ts'
import type { Answers, Queries, Vector } from './types.ts'

type SavedAccounts = Pick<
  Checkpoint,
  'queries' | 'cacheHits' | 'retries' | 'best' | 'worst' | 'failures' | 'skippedIterations' | 'history'
>

/** The accounts of a run: what was asked, what failed, and the best point that was really evaluated. */
export class Ledger {
  readonly best: { value: number; point: Vector }
  readonly history: History
  queries = 0
  /** Rows answered from an earlier query, which cost none. */
  cacheHits = 0
  /** Times the black box was asked again for what had failed. */
  retries = 0
  /** Iterations that brought nothing usable. */
  skipped = 0
  failures: { count: number; first: unknown } = { count: 0, first: undefined }
  /** The largest value seen so far, which the policy `worst` puts in the place of a missing one. */
  worst = -Infinity
  latest: HistoryRecord | undefined
  readonly #maxQueries: number
  /** The lowest value of the iteration under way, where every row is a candidate. */
  #lowest = Number.NaN

  constructor(start: Vector, maxQueries: number, historySize: number, saved: Checkpoint | undefined) {
    this.best = { value: saved?.best.value ?? Number.NaN, point: start.slice() }
    this.history = new History(historySize, saved?.history.records, saved?.history.spacing)
    this.#maxQueries = maxQueries
    if (saved === undefined) return
    this.best.point.set(saved.best.point)
    this.queries = saved.queries
    this.cacheHits = saved.cacheHits
    this.retries = saved.retries
    this.skipped = saved.skippedIterations
    this.failures = { ...saved.failures }
    this.worst = saved.worst
    this.latest = saved.history.records.at(-1)
  }

  /** How many more queries the budget allows. */
  get remaining(): number {
    return this.#maxQueries - this.queries
  }

  /** Enters one batch of answers and applies the failure policy to it; throws where the policy is to stop. */
  enter(asked: Queries, answers: Answers, policy: FailurePolicy): void {
    const { cached, dropped } = answers
    let [hits, unasked] = [0, 0]
    for (let row = 0; row < asked.rows; row++) {
      hits += cached?.[row] ?? 0
      if (dropped?.[row] === notAsked) unasked++
    }
    this.queries += asked.rows - hits - unasked
    this.cacheHits += hits
    this.retries += answers.retries ?? 0
    for (let row = 0; row < asked.rows; row++) {
      if (answers.failed[row] === 0 && (dropped?.[row] ?? 0) === 0)
        this.worst = Math.max(this.worst, answers.values[row] as number)
    }
    let firstFailed: number | undefined
    for (let row = 0; row < asked.rows; row++) {
      if (answers.failed[row] === 0) continue
      firstFailed ??= row
      this.failures.count++
      this.failures.first ??= answers.reasons[row]
      // A made-up value of the current point would spoil every difference: the session asks for it again instead.
      if (policy === 'worst' && this.worst > -Infinity && row >= asked.centers) {
        answers.values[row] = this.worst
        answers.failed[row] = 0
      }
    }
    if (policy === 'stop' && firstFailed !== undefined) throw failure(asked, firstFailed, answers.reasons[firstFailed])
  }

  /** Remembers the point if its value is the best so far. */
  see(value: number, point: Vector): void {
    if (!this.#isBetter(value)) return
    this.best.value = value
    this.best.point.set(point)
  }

  /**
   * Remembers the best answered row, the first of equal ones, if it is the best so far. Returns the lowest value that the
   * iteration has brought; the rows are its first ones, or some that were asked again.
   */
  seeRows(asked: Queries, answers: Answers, isFirst: boolean): number {
    if (isFirst) this.#lowest = Number.NaN
    const row = lowestRow(asked.rows, answers)
    if (row === undefined) return this.#lowest
    const value = answers.values[row] as number
    if (!(value >= this.#lowest)) this.#lowest = value
    if (this.#isBetter(value)) {
      this.best.value = value
      asked.write(row, this.best.point)
    }
    return this.#lowest
  }

  /** The accounts as a checkpoint keeps them; live: with the point that is at work. */
  saved(isLive = false): SavedAccounts {
    return {
      queries: this.queries,
      cacheHits: this.cacheHits,
      retries: this.retries,
      best: { value: this.best.value, point: isLive ? this.best.point : this.best.point.slice() },
      worst: this.worst,
      failures: { ...this.failures },
      skippedIterations: this.skipped,
      history: { records: this.history.records(), spacing: this.history.spacing },
    }
  }

  /** The accounts as the result of a run shows them. */
  reported(): Pick<Report, 'queries' | 'cacheHits' | 'retries' | 'failures' | 'skippedIterations' | 'history'> {
    return {
      queries: this.queries,
      cacheHits: this.cacheHits,
      retries: this.retries,
      failures: { ...this.failures },
      skippedIterations: this.skipped,
      history: this.history.records(),
    }
  }

  /** The accounts as the warnings at the end need them; `last` is the value of the last point. */
  closing(last: number, converged: boolean): Closing {
    const { best, worst, queries, failures, latest, history } = this
    const first = history.records()[0]?.value ?? Number.NaN
    const iterations = latest?.iteration ?? 0
    return { first, best: best.value, worst, last, iterations, queries, failures: failures.count, converged }
  }

  #isBetter(value: number): boolean {
    return value < this.best.value || (Number.isNaN(this.best.value) && !Number.isNaN(value))
  }

  record(iteration: number, value: number): void {
    this.latest = { iteration, queries: this.queries, value, best: this.best.value }
    this.history.add(this.latest)
  }
}

/** The first of the answered rows with the lowest value. */
function lowestRow(rows: number, { values, failed }: Answers): number | undefined {
  let lowest: number | undefined
  for (let row = 0; row < rows; row++) {
    if (failed[row] === 1) continue
    if (lowest === undefined || (values[row] as number) < (values[lowest] as number)) lowest = row
  }
  return lowest
}

function failure(asked: Queries, row: number, reason: unknown): ZerothError {
  const what = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)
  const where = `iteration ${asked.key.iteration}, row ${row} of ${asked.rows}`
  const advice = 'the policies failures: "skip" and "worst" go on without it'
  return new ZerothError('objective-failed', `a query failed (${where}): ${what}; ${advice}`, { cause: reason })
}
