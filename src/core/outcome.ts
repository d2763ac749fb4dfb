import type { ZerothError } from './errors.ts'
import type { HistoryRecord } from './history.ts'

/** Why a run ended. */
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
  readonly iterations: number
  /** Queries that failed, and the first reason given. */
  readonly failures: { readonly count: number; readonly first: unknown }
  /** Iterations that brought nothing usable and did not move. */
  readonly skippedIterations: number
  readonly history: readonly HistoryRecord[]
  readonly warnings: readonly string[]
  readonly seed: number
}

export interface Finished extends Report {
  readonly status: 'finished'
}
export interface Aborted extends Report {
  readonly status: 'aborted'
}
export interface Failed extends Report {
  readonly status: 'failed'
  readonly error: ZerothError
}

/** How a session ended. An abort is an outcome, not an exception: the best point survives it. */
export type Outcome = Finished | Aborted | Failed
