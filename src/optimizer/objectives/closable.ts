import { follow } from '../core/async.ts'
import { ZerothError } from '../core/errors.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'

/** An evaluation, with what stops it: by itself, too. */
type Evaluate = (queries: Queries, into: Answers, stop: AbortController) => Promise<void>

/**
 * Evaluations that `close` stops: it aborts those under way, waits for them to end, and then releases what they used.
 * Nothing stands in the way of evaluating again afterwards.
 */
export function closable(
  evaluate: Evaluate,
  release: () => void | Promise<void>,
): Pick<ClosableObjective, 'evaluate' | 'close'> {
  const underWay = new Map<AbortController, Promise<void>>()

  return {
    evaluate(queries, into, signal) {
      const stop = new AbortController()
      const unfollow = follow(signal, stop)
      const work = evaluate(queries, into, stop).finally(() => {
        unfollow()
        underWay.delete(stop)
      })
      underWay.set(stop, work)
      return work
    },
    async close() {
      // Asking again would start anew what is about to be closed.
      const closed = new ZerothError('query-failed', 'the objective was closed', { retryable: false })
      for (const stop of underWay.keys()) stop.abort(closed)
      await Promise.allSettled(underWay.values())
      await release()
    },
  }
}
