import { dropFrom, endsAt } from '../core/answers.ts'
import { inTurn, lastly } from '../core/in-turn.ts'
import { onAbort } from '../core/on-abort.ts'
import { count, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Objective } from '../core/types.ts'
import { around, askRows, checkObjective } from './around.ts'
import type { LimitedOptions } from './wrapper-options.ts'

export const limitedOptions = table({
  concurrency: count('evaluations of one row each that may be under way at once'),
})

/**
 * Asks row by row, with at most `concurrency` rows under way at once in all: several runs that share the wrapper
 * share its limit. Answers keep their rows, and the result is the same to the bit.
 */
export function limited(objective: Objective, options: LimitedOptions): Objective {
  checkObjective('limited', objective)
  const { concurrency } = parseOptions('limited', limitedOptions, options)
  const places = slots(concurrency)

  return around(objective, (queries, into, signal) => {
    const stopped = (): boolean => signal?.aborted === true
    let next = 0
    const take = (): number | undefined => (next < queries.rows && !stopped() ? next++ : undefined)
    const end = (row: number): void => {
      if (stopped() || !endsAt(into, row)) return
      dropFrom(into, next, queries.rows)
      next = queries.rows
    }
    const askOne = (row: number): void | Promise<void> =>
      lastly(
        () => (stopped() ? undefined : askRows(objective, queries, [row], into, signal)?.then(() => end(row))),
        places.give,
      )
    const step = (row: number): void | Promise<void> => {
      const place = places.take(signal)
      return place === true ? askOne(row) : place.then((got) => (got ? askOne(row) : undefined))
    }
    // Where nothing has to be waited for, the first lane takes all rows and the others find none.
    const lanes = Array.from({ length: Math.min(concurrency, queries.rows) }, () => inTurn(take, step))
    const waiting = lanes.filter((lane) => lane !== undefined)
    if (waiting.length === 0) return undefined
    return Promise.all(waiting).then(
      () => undefined,
      (error: unknown) => {
        // The run is over: the other lanes have nothing more to ask.
        next = queries.rows
        throw error
      },
    )
  })
}

/** Places for a limited number of users at once; who comes later waits in a queue. */
interface Slots {
  /** Takes a place, waiting for one where needed: false where the signal fired first. */
  take(signal: AbortSignal | undefined): true | Promise<boolean>
  /** Gives a place back, to the one that waits longest. */
  give(): void
}

/** So many places. */
function slots(count: number): Slots {
  let free = count
  const queue = new Set<(got: boolean) => void>()
  const wait = (signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (got: boolean): void => {
        queue.delete(end)
        stopListening()
        resolve(got)
      }
      let stopListening: () => void = () => undefined
      queue.add(end)
      stopListening = onAbort(signal, () => end(false))
    })
  return {
    take(signal) {
      if (free === 0) return wait(signal)
      free--
      return true
    },
    give() {
      const [first] = queue
      if (first === undefined) free++
      else first(true)
    },
  }
}
