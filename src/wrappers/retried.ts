import { ask } from '../core/ask.ts'
import { after } from '../core/in-turn.ts'
import { flag, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { originalRow, putBack, someAnswers, someRows } from '../core/some-rows.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, checkObjective, rowsFrom } from './around.ts'
import { backOff, backOffOptions, gaveUp, isFinal, retryAfterOf } from './back-off.ts'
import { untilAborted } from './sleep.ts'
import type { RetriedOptions } from './wrapper-options.ts'

const { seed, sleep, ...waits } = backOffOptions.shape

/** How failed rows are asked again. */
export const retriedOptions = table({
  ...waits,
  retryNonFinite: flag('ask again, too, where the value is NaN or infinite', false),
  seed,
  sleep,
})

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
      const askAgain = () => after(askOnceMore(objective, queries, again, into, signal), () => review(again, made + 1))
      return after(pause(again, made), () => (stopped() ? undefined : askAgain()))
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
    return after(ask(objective, queries, into, signal), () =>
      after(review(rowsFrom(0, queries.rows), 1), () => {
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
  into.kept = null
  return after(ask(objective, someRows(queries, rows), some, signal), () => {
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
