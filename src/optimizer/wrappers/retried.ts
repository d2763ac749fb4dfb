import { ask, originalRow, putBack, someAnswers, someRows } from '../core/answers.ts'
import { andThen } from '../core/async.ts'
import { isConnectionError, show, ZerothError } from '../core/errors.ts'
import {
  flag,
  type Input,
  integerFrom,
  join,
  numberFrom,
  type Output,
  omit,
  parseOptions,
  pick,
  type ShapeOf,
  type Table,
  table,
  withDefault,
} from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'
import { around, checkObjective, rowsFrom, sleepOption, untilAborted } from './around.ts'

const declared = table({
  /** Times a row is asked at most, the first included. At least 1 and at most 1000; default 4. */
  attempts: withDefault(integerFrom(1, 1000), 4),
  /** Milliseconds before the second attempt. At least 0; default 200. */
  delay: withDefault(numberFrom(0), 200),
  /** Each further wait is this many times the one before. At least 1; default 2. */
  factor: withDefault(numberFrom(1), 2),
  /** Longest wait that is not asked for by the other side, in milliseconds. At least 0; default 30000. */
  maxDelay: withDefault(numberFrom(0), 30_000),
  /** Random share of each wait. At least 0 and at most 1; default 0.5. */
  jitter: withDefault(numberFrom(0, 1), 0.5),
  /**
   * Longest wait the other side may ask for, in milliseconds; the row fails if it asks for more. At least 0; default
   * 120000.
   */
  maxRetryAfter: withDefault(numberFrom(0), 120_000),
  /** Determines the jitter, together with iteration, row and attempt. At least 0; default 0. */
  seed: withDefault(integerFrom(0), 0),
  /** How to wait: a function of milliseconds and a signal that returns a promise; by a timer if left out. */
  sleep: sleepOption,
})

export type BackOffShape = ShapeOf<typeof declared>

/** How long to wait before asking again, and how often. */
export const backOffOptions: Table<BackOffShape> = declared

type BackOff = Pick<Output<typeof backOffOptions>, 'delay' | 'factor' | 'maxDelay' | 'jitter' | 'seed'>

/** Milliseconds to wait after the `made`-th attempt: delay factor^(made - 1) as far as `maxDelay` goes, less the jitter. */
export function backOff(made: number, how: BackOff, at: { readonly iteration: number; readonly row: number }): number {
  let wait = how.delay
  for (let i = 1; i < made && wait < how.maxDelay; i++) wait *= how.factor
  return Math.min(wait, how.maxDelay) * (1 - how.jitter * randomUniform({ seed: how.seed, ...at }, 'noise', made))
}

/** What a reason may say about asking again; errors of others may say it, too. */
interface Advice {
  readonly retryable?: unknown
  readonly retryAfter?: unknown
}

/** Why a query failed: the message alone. */
export function reasonMessage(reason: unknown): string {
  if (typeof reason === 'string') return reason
  return reason instanceof Error ? reason.message || reason.name : show(reason)
}

/** Milliseconds to wait that the other side asked for; 0 if it did not. */
export function retryAfterOf(reason: unknown): number {
  const wanted = (reason as Advice | null | undefined)?.retryAfter
  return typeof wanted === 'number' && wanted > 0 ? wanted : 0
}

/** Whether there is no point in asking again. */
export function isFinal(reason: unknown, maxRetryAfter: number): boolean {
  return (reason as Advice | null | undefined)?.retryable === false || retryAfterOf(reason) > maxRetryAfter
}

/** The final reason after so many attempts, around the last one. */
export function gaveUp(reason: unknown, attempts: number, maxRetryAfter: number): unknown {
  const retryAfter = retryAfterOf(reason)
  const tooLong = retryAfter > maxRetryAfter
  if (attempts === 1 && !tooLong) return reason
  const why = tooLong
    ? `a wait of ${retryAfter} ms was asked for, above retried.maxRetryAfter (${maxRetryAfter} ms): `
    : ''
  const times = `${attempts} attempt${attempts === 1 ? '' : 's'}`
  const retryable = (reason as Advice | null | undefined)?.retryable === false ? false : undefined
  return new ZerothError('query-failed', `gave up after ${times}: ${why}${reasonMessage(reason)}`, {
    cause: reason,
    retryable,
    unreached: isConnectionError(reason),
    retryAfter: retryAfter > 0 ? retryAfter : undefined,
  })
}

/** How failed rows are asked again. */
export const retriedOptions = join(
  omit(backOffOptions, 'seed', 'sleep'),
  table({
    /** Ask again, too, where the value is NaN or infinite. Default false. */
    retryNonFinite: withDefault(flag, false),
  }),
  pick(backOffOptions, 'seed', 'sleep'),
)

/** Options of `retried`. */
export interface RetriedOptions extends Input<typeof retriedOptions> {}

/**
 * Asks failed rows again, all of them together, after waits that grow, and at least as long as the other side asked for.
 * Reasons with `retryable: false` are final. How many rows were asked again is added to `answers.retries`.
 */
export function retried(objective: Objective, options: RetriedOptions = {}): Objective {
  checkObjective('retried', objective)
  const how = parseOptions('retried', retriedOptions, options)
  return around(objective, (queries, into, signal) => {
    const stopped = (): boolean => signal?.aborted === true

    /** Sees what came of asking these rows the `made`-th time. */
    const review = (asked: readonly number[], made: number): void | Promise<void> => {
      const failed = asked.filter((row) => isMissing(into, row, how.retryNonFinite))
      if (failed.length === 0 || stopped()) return undefined
      const isLast = (row: number) => made === how.attempts || isFinal(into.reasons[row], how.maxRetryAfter)
      const again = failed.filter((row) => !isLast(row))
      for (const row of failed) if (isLast(row)) giveUp(into, row, made, how.maxRetryAfter)
      if (again.length === 0) return undefined
      const askAgain = () =>
        andThen(askOnceMore(objective, queries, again, into, signal), () => review(again, made + 1))
      return andThen(pause(again, made), () => (stopped() ? undefined : askAgain()))
    }

    /** Where there is nothing to wait for, nothing is: a synchronous objective stays synchronous. */
    const pause = (rows: readonly number[], made: number): void | Promise<void> => {
      const at = { iteration: queries.key.iteration, row: originalRow(queries, rows[0] as number) }
      const wanted = rows.map((row) => retryAfterOf(into.reasons[row]))
      const wait = wanted.reduce((longest, each) => Math.max(longest, each), backOff(made, how, at))
      return wait === 0 ? undefined : untilAborted(how.sleep(wait, signal), signal)
    }

    // A row that failed is asked again: no first failure is the end of the others.
    const { dropped } = into
    into.dropped = undefined
    return andThen(ask(objective, queries, into, signal), () =>
      andThen(review(rowsFrom(0, queries.rows), 1), () => {
        into.dropped = dropped
      }),
    )
  })
}

function isMissing(into: Answers, row: number, retryNonFinite: boolean): boolean {
  return into.failed[row] === 1 || (retryNonFinite && !Number.isFinite(into.values[row]))
}

function askOnceMore(
  objective: Objective,
  queries: Queries,
  rows: readonly number[],
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  const some = someAnswers(rows)
  const before = rows.map((row) => into.cached?.[row] ?? 0)
  // Counted before it is known how it ends: it may never.
  into.retries = (into.retries ?? 0) + rows.length
  // Other rows may be written now where the first attempt said it kept its own.
  into.rowBuffer = null
  return andThen(ask(objective, someRows(queries, rows), some, signal), () => {
    putBack(some, rows, into)
    rows.forEach((row, i) => {
      if (some.cached?.[i] !== 1) return
      // It was not asked this time; but where it was before, the row has cost its query.
      into.retries = (into.retries ?? 0) - 1
      if (into.cached !== undefined) into.cached[row] = before[i] as number
    })
  })
}

/** The reason of a row that will not be asked again: it stays as it is where there was but one attempt. */
function giveUp(into: Answers, row: number, made: number, maxRetryAfter: number): void {
  if (into.failed[row] === 1) into.reasons[row] = gaveUp(into.reasons[row], made, maxRetryAfter)
}
