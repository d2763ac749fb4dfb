import { dropFrom, endsAt } from '../core/answers.ts'
import { ask } from '../core/ask.ts'
import { after, inTurn } from '../core/in-turn.ts'
import { count, positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, askRows, checkObjective, rowsFrom } from './around.ts'
import { keepPace, paceOptions } from './pace.ts'
import type { RateLimitedOptions } from './wrapper-options.ts'

/** How fast rows are asked. */
export const rateLimitedOptions = table({
  perSecond: positive('rows asked per second at most'),
  burst: count('rows that may be asked at once after a pause', 1),
  ...paceOptions,
})

/**
 * Asks no faster than `perSecond` rows a second, after a pause `burst` rows at once; more rows than that are asked
 * in pieces, one after the other. All who share the wrapper share its limit, first come, first served.
 */
export function rateLimited(objective: Objective, options: RateLimitedOptions): Objective {
  checkObjective('rateLimited', objective)
  const pace = parseOptions('rateLimited', rateLimitedOptions, options)
  const { burst } = pace
  const admit = keepPace(pace)

  return around(objective, (queries, into, signal) => {
    const stopped = (): boolean => signal?.aborted === true
    let next = 0
    const take = (): number | undefined => {
      const first = next
      next += burst
      return first < queries.rows && !stopped() ? first : undefined
    }
    return inTurn(take, (first) => {
      const count = Math.min(burst, queries.rows - first)
      const end = (): void => {
        if (stopped() || !endsAt(into, first, count)) return
        dropFrom(into, next, queries.rows)
        next = queries.rows
      }
      const askNow = () => (stopped() ? undefined : askPiece(objective, queries, first, count, into, signal)?.then(end))
      return after(admit(count, signal), askNow)
    })
  })
}

function askPiece(
  objective: Objective,
  queries: Queries,
  first: number,
  count: number,
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  if (count === queries.rows) return ask(objective, queries, into, signal)
  return askRows(objective, queries, rowsFrom(first, count), into, signal)
}
