import { recordFailure } from '../core/answers.ts'
import { ask } from '../core/ask.ts'
import { endsRun } from '../core/errors.ts'
import { lastly } from '../core/in-turn.ts'
import { follow } from '../core/on-abort.ts'
import { positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { putBack, someAnswers } from '../core/some-rows.ts'
import type { Answers, Objective } from '../core/types.ts'
import { withinTime } from '../core/within-time.ts'
import { around, checkObjective, rowsFrom } from './around.ts'
import { untilAborted } from './sleep.ts'
import type { TimedOptions } from './wrapper-options.ts'

export const timedOptions = table({
  timeout: positive('milliseconds for all rows that are asked together'),
})

/**
 * Gives each evaluation so many milliseconds as a whole: what has no answer then fails, the evaluation is told to stop,
 * and whatever it still says is dropped. Only what waits can be timed: a synchronous objective keeps the thread.
 */
export function timed(objective: Objective, options: TimedOptions): Objective {
  checkObjective('timed', objective)
  const { timeout } = parseOptions('timed', timedOptions, options)
  // An evaluation that was left behind may still write over the rows that a later one says it kept.
  let leftBehind = false

  return around(objective, (queries, into, signal) => {
    const rows = rowsFrom(0, queries.rows)
    // Answers of its own: what comes too late must not get into those of a later iteration.
    const own = someAnswers(rows, into)
    const takeOver = (): void => {
      putBack(own, rows, into)
      into.kept = leftBehind ? null : (own.kept ?? null)
    }
    const controller = new AbortController()
    const wait = async (work: Promise<void>): Promise<void> => {
      try {
        await withinTime(untilAborted(work, controller.signal), timeout, controller, signal)
        leftBehind ||= controller.signal.aborted
        takeOver()
      } catch (error) {
        if (endsRun(error)) throw error
        leftBehind = true
        takeOver()
        failUnanswered(into, queries.rows, error)
      }
    }
    return lastly(
      () => {
        const work = ask(objective, queries, own, controller.signal)
        return work === undefined ? takeOver() : wait(work)
      },
      follow(signal, controller),
    )
  })
}

function failUnanswered(into: Answers, rows: number, reason: unknown): void {
  for (let row = 0; row < rows; row++) {
    const isOpen = Number.isNaN(into.values[row]) && into.failed[row] === 0 && (into.dropped?.[row] ?? 0) === 0
    if (isOpen) recordFailure(into, row, reason)
  }
}
