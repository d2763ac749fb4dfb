import { notAsked } from './answers.ts'
import { isConnectionError, type Report, ZerothError } from './errors.ts'
import type { FailurePolicy } from './session-options.ts'
import type { Answers, Checkpoint, HistoryRecord, Queries, Vector } from './types.ts'

type SavedAccounts = Pick<
  Checkpoint,
  'queries' | 'gained' | 'cacheHits' | 'retries' | 'best' | 'worst' | 'failures' | 'skippedIterations' | 'history'
>

/** The accounts of a run: what was asked, what failed, and the best point that was really evaluated. */
export class Ledger {
  readonly best: { value: number; point: Vector }
  readonly history: History
  queries = 0
  /** Queries at the end of the iteration that brought the last gain: a best value lower than before. */
  gained = 0
  /** Rows answered from an earlier query, which cost none. */
  cacheHits = 0
  /** Times the black box was asked again for what had failed. */
  retries = 0
  /** Iterations that brought nothing usable. */
  skipped = 0
  failures: { count: number; first: unknown } = { count: 0, first: undefined }
  /** Failures since the last answer. */
  #streak = 0
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
    this.gained = saved.gained ?? saved.queries
    this.cacheHits = saved.cacheHits
    this.retries = saved.retries
    this.skipped = saved.skippedIterations
    ;({ streak: this.#streak = 0, ...this.failures } = saved.failures)
    this.worst = saved.worst
    this.latest = saved.history.records.at(-1)
  }

  /** How many more queries the budget allows. */
  get remaining(): number {
    return this.#maxQueries - this.queries
  }

  /** Enters one batch of answers and applies the failure policy to it; throws if that ends the run. */
  enter(asked: Queries, answers: Answers, policy: FailurePolicy, start?: Vector): void {
    const { cached, dropped } = answers
    let [hits, unasked] = [0, 0]
    for (let row = 0; row < asked.rows; row++) {
      hits += cached?.[row] ?? 0
      if (dropped?.[row] === notAsked) unasked++
      if (answers.failed[row] === 0 && (dropped?.[row] ?? 0) === 0)
        this.worst = Math.max(this.worst, answers.values[row] as number)
    }
    this.queries += asked.rows - hits - unasked
    this.cacheHits += hits
    this.retries += answers.retries ?? 0
    let ending: number | undefined
    for (let row = 0; row < asked.rows; row++) {
      if (answers.failed[row] === 0) {
        this.#streak = 0
        continue
      }
      if (policy === 'avoid') this.#streak++
      if (this.#endsRun(asked, answers, row, policy, start)) ending ??= row
      this.failures.count++
      this.failures.first ??= answers.reasons[row]
      // A made-up value of the current point would spoil every difference: the session asks for it again instead.
      if (policy === 'worst' && this.worst > -Infinity && row >= asked.centers) {
        answers.values[row] = this.worst
        answers.failed[row] = 0
      }
    }
    if (ending !== undefined) throw failure(asked, ending, answers.reasons[ending])
  }

  /** Whether a failed row ends the run. Under `avoid` a point may fail, but not the start, nor everything from some point on. */
  #endsRun(
    asked: Queries,
    { reasons }: Answers,
    row: number,
    policy: FailurePolicy,
    start: Vector | undefined,
  ): boolean {
    if (policy !== 'avoid') return policy === 'stop'
    const reason = reasons[row]
    const isLost = isConnectionError(reason) && (reason as { timedOut?: unknown }).timedOut !== true
    return isLost || this.#streak >= mostInARow || (row === 0 && start !== undefined && isRow(asked, row, start))
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
      ...this.reported(),
      gained: this.gained,
      best: { value: this.best.value, point: isLive ? this.best.point : this.best.point.slice() },
      worst: this.worst,
      failures: { ...this.failures, ...(this.#streak > 0 && { streak: this.#streak }) },
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
  closing(last: number, converged: boolean, isNoisy: boolean): Closing {
    const { best, worst, queries, failures, latest, history } = this
    // The best point was asked again at the end.
    const noisy = isNoisy || (latest?.best ?? Infinity) < best.value
    const first = history.records()[0]?.value ?? Number.NaN
    const iterations = latest?.iteration ?? 0
    return { first, best: best.value, worst, last, iterations, queries, failures: failures.count, converged, noisy }
  }

  #isBetter(value: number, than = this.best.value): boolean {
    return !(Number.isNaN(value) || value >= than)
  }

  record(iteration: number, value: number): void {
    // Not from the value of the last point: a run that goes on from its end must find it where it was.
    if (this.#isBetter(this.best.value, this.latest?.best ?? Number.NaN)) this.gained = this.queries
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

/** So many failures one after the other are no longer those of single points. */
const mostInARow = 100

function isRow(asked: Queries, row: number, point: Vector): boolean {
  const written = point.slice()
  asked.write(row, written)
  return written.every((each, i) => each === point[i])
}

function failure(asked: Queries, row: number, reason: unknown): ZerothError {
  const what = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)
  const where = `iteration ${asked.key.iteration}, row ${row} of ${asked.rows}`
  const advice = 'the policies failures: "skip" and "worst" go on without it'
  return new ZerothError('objective-failed', `a query failed (${where}): ${what}; ${advice}`, { cause: reason })
}

/**
 * A history of bounded length: when it is full, every second record goes and the spacing doubles. Always holds the
 * latest record, and never depends on when it is looked at.
 */
export class History<Kept extends HistoryRecord = HistoryRecord> {
  readonly #limit: number
  #records: Kept[] = []
  #latest: Kept | undefined
  #spacing = 1

  constructor(limit: number, saved: readonly Kept[] = [], spacing = 1) {
    this.#limit = limit
    this.#spacing = spacing
    this.#latest = saved.at(-1)
    this.#records = saved.filter((record) => this.#fits(record))
  }

  get spacing(): number {
    return this.#spacing
  }

  add(record: Kept): void {
    this.#latest = record
    if (!this.#fits(record)) return
    this.#records.push(record)
    while (this.#records.length > this.#limit) {
      this.#spacing *= 2
      this.#records = this.#records.filter((each) => this.#fits(each))
    }
  }

  /** The records kept, oldest first. */
  records(): Kept[] {
    const last = this.#records.at(-1)
    return this.#latest === undefined || last === this.#latest ? [...this.#records] : [...this.#records, this.#latest]
  }

  #fits(record: HistoryRecord): boolean {
    return (record.iteration - 1) % this.#spacing === 0
  }
}

/** What a run that has ended knows about its values. */
export interface Closing {
  /** The value of the first iteration; NaN where it had none. */
  readonly first: number
  /** The lowest and the highest answer. */
  readonly best: number
  readonly worst: number
  /** The value of the point that the run ended with; NaN where it was not asked. */
  readonly last: number
  readonly iterations: number
  readonly queries: number
  readonly failures: number
  /** Whether the search ended because it had nothing more to do. */
  readonly converged: boolean
  /** Whether answers were seen to vary. */
  readonly noisy: boolean
}

/** A run has diverged that loses this many times its first value, and this many times what it had gained. */
const farAbove = 100

/** Values that fall this far, and this many times as far as the first was, will not end at a minimum. */
const unbounded = 1e30

/** The share of failed queries from which on they may have kept a run from its minimum. */
const manyFailures = 0.25

/** Fewer answers than this say nothing about an objective. */
const fewAnswers = 4

/** What must be known of a noisy run that ended without asking its answer again. */
export const luckyValue = 'answers vary, and the noisy run stopped early: the value is optimistic; use last.point'

/**
 * What a user should know about a run that came to nothing, and which option to try; nothing where all is well. No value
 * is named: that of a maximum would have the wrong sign.
 */
export function closingWarnings(closing: Closing): string[] {
  const { first, best, worst, last, iterations, queries, failures, converged, noisy } = closing
  if (queries > 0 && failures === queries) return ['every query failed']
  if (last - first > farAbove * Math.max(first - best, Math.abs(first) || 1)) {
    const advice = 'lower learningRate or try another solver'
    return [
      `the run diverged: its last value is worse than its first by ${Number((last - first).toPrecision(2))}; ${advice}`,
    ]
  }
  if (-best > unbounded && -best > unbounded * Math.abs(first)) {
    return [`the objective seems to be unbounded: its values went beyond ${unbounded}; set bounds for the variables`]
  }
  const answers = queries - failures
  if (answers < fewAnswers || iterations < 2) return []
  if (best === worst) {
    const advice = 'check that the objective depends on its variables, or set scale to the usual size of the variables'
    return [`all ${answers} answers were the same: ${advice}`]
  }
  if (converged && failures >= manyFailures * queries) {
    const advice = 'more maxQueries, or the solver cma-es, look further'
    return [`${failures} of ${queries} queries failed: the run may have ended where answers end; ${advice}`]
  }
  // Where answers vary, the first one may have been lucky.
  if (noisy || !(best >= first)) return []
  const advice = 'try another solver or start, more maxQueries, or set scale to the usual size of the variables'
  return [`no progress: no answer was better than the first; unless the start is a minimum, ${advice}`]
}
