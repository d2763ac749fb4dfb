import type { ZerothError } from './errors.ts'
import type { HistoryRecord } from './history.ts'

/**
 * Why a run ended: a limit was reached (`max-queries`, `max-iterations`, `max-time`), the value was good enough (`target`),
 * the method had nothing left to try (`converged`), `onIteration` said so (`callback`), a signal did (`aborted`), or a query
 * failed under the policy `stop` (`objective-failed`).
 */
export type StopReason =
  | 'max-queries'
  | 'max-iterations'
  | 'max-time'
  | 'target'
  | 'converged'
  | 'callback'
  | 'aborted'
  | 'objective-failed'

/** What a run has to show for itself, however it ended. */
export interface Report {
  /** Why the run ended. */
  readonly stopReason: StopReason
  /** The best point that was itself evaluated; the start where none was. */
  readonly point: Float64Array
  /** Its value; NaN where no point was evaluated. For stochastic objectives the mean over that iteration's samples. */
  readonly value: number
  /** Where the run stood when it ended, and the value there; NaN where it was not evaluated (aborted, out of time). */
  readonly last: { readonly point: Float64Array; readonly value: number }
  /** Answered queries: each one once, failed ones included. */
  readonly queries: number
  /** Rows answered from a cache: they cost no query. */
  readonly cacheHits: number
  /** Times a retrying objective asked again for what had failed: no queries either. */
  readonly retries: number
  /** Completed iterations, skipped ones included. */
  readonly iterations: number
  /** Queries that failed, and the first reason given. */
  readonly failures: { readonly count: number; readonly first: unknown }
  /** Iterations that brought nothing usable and did not move. */
  readonly skippedIterations: number
  /** The course of the run, thinned to about `historySize` records. */
  readonly history: readonly HistoryRecord[]
  /** What the user should know about this run, one sentence each. */
  readonly warnings: readonly string[]
  /** The seed of the run: with the same answers it gives the same bits again. */
  readonly seed: number
}

/** A run that ended by itself: a limit, its target, convergence, or a callback that said stop. */
export interface Finished extends Report {
  /** Says that the run ended by itself. */
  readonly status: 'finished'
}

/** A run that was stopped from outside. */
export interface Aborted extends Report {
  /** Says that a signal stopped the run. */
  readonly status: 'aborted'
}

/** A run that a failed query ended. */
export interface Failed extends Report {
  /** Says that a query failed and the policy was `stop`. */
  readonly status: 'failed'
  /** Which query failed, and why. */
  readonly error: ZerothError
}

/** How a session ended. An abort is an outcome, not an exception: the best point survives it. */
export type Outcome = Finished | Aborted | Failed
