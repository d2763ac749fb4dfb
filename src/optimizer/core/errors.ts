import type { Checkpoint, HistoryRecord, Phase } from './types.ts'
import type { NamedPoint } from './variable-types.ts'

/** What went wrong, for programs; the message says it for people. */
export type ErrorCode =
  | 'invalid-option'
  | 'unknown-option'
  | 'invalid-start'
  | 'invalid-set'
  | 'invalid-answers'
  | 'invalid-checkpoint'
  | 'invalid-objective'
  | 'objective-failed'
  | 'query-failed'
  | 'unreachable'
  | 'invalid-model'
  | 'invalid-data'
  | 'wrong-order'
  | 'invalid-run'
  | 'run-in-use'
  | 'storage-failed'
  | 'missing-package'

interface ErrorDetails {
  readonly cause?: unknown
  readonly retryable?: boolean | undefined
  readonly retryAfter?: number | undefined
  readonly timedOut?: boolean | undefined
  readonly unreached?: boolean | undefined
}

/** The one error class of the library. */
export class ZerothError extends Error {
  override readonly name = 'ZerothError'
  readonly code: ErrorCode
  /** What the run had found, where one was under way. */
  declare outcome?: Outcome
  /** Where the run stood: pass it as `resume` to go on. */
  declare checkpoint?: Checkpoint
  /** For a failed query: false where asking again cannot help. */
  readonly retryable: boolean | undefined
  /** For a failed query: milliseconds the other side wants to be left alone. */
  readonly retryAfter: number | undefined
  /** For a failed query: whether no answer came in time. */
  readonly timedOut: boolean | undefined
  /**
   * For a failed query: true where the way to the other side failed, or the other side was in no state to answer (refused
   * connections, time-outs, 5xx); false where it refused the point itself. Where it is left out, `retryable` tells.
   */
  readonly unreached: boolean | undefined
  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.retryable = options.retryable
    this.retryAfter = options.retryAfter
    this.timedOut = options.timedOut
    this.unreached = options.unreached
  }
}

// An error may carry the outcome of its run, and an outcome the error that ended it: the types of both are here.

/**
 * Why a run ended: a limit was reached (`max-queries`, `max-iterations`, `max-time`), the value was good enough (`target`),
 * it had not become better for long enough (`patience`), the method had nothing left to try (`converged`), `onIteration` said so (`callback`), a signal did (`aborted`), or a query
 * failed under the policy `stop` (`objective-failed`).
 */
export type StopReason =
  | 'max-queries'
  | 'max-iterations'
  | 'max-time'
  | 'target'
  | 'patience'
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
  /** The best point by the names of its variables, where they have names. */
  readonly variables?: NamedPoint | undefined
  /** Its value; NaN where no point was evaluated. For stochastic objectives the mean over that iteration's samples. */
  readonly value: number
  /**
   * Where answers vary and the method has seen it: the mean of all answers at the point, its standard error, and how many
   * answers there were. `value` is the last one of them. The point was chosen by some of them: the mean may be a little too good.
   */
  readonly estimate?: { readonly mean: number; readonly error: number; readonly answers: number } | undefined
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
  /** What a method that chooses for itself did: the methods in their order, why, and what each reached. */
  readonly phases?: readonly Phase[] | undefined
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

/**
 * Errors that no failure policy may pass over: the run could not be kept, or is not the one that was kept; the objective is
 * not set up as it should be, so that nobody could be asked; or nobody can be reached who could be asked.
 */
const fatal: readonly ErrorCode[] = [
  'invalid-checkpoint',
  'invalid-run',
  'run-in-use',
  'storage-failed',
  'unreachable',
  'missing-package',
  'invalid-objective',
  'invalid-option',
  'unknown-option',
]

/** Whether an error that an objective threw ends the run instead of counting as a failed query. */
export function isFatal(error: unknown): boolean {
  return error instanceof ZerothError && fatal.includes(error.code)
}

/** What an error may say of the way to whom it comes from; errors of others may say it, too. */
interface Delivery {
  readonly name?: unknown
  readonly code?: unknown
  readonly cause?: unknown
  readonly retryable?: unknown
  readonly unreached?: unknown
}

/** What systems call a connection that was refused, reset, lost or too slow. */
const lostConnections = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+)$/

/**
 * Whether a query failed on its way, so that the failure says nothing about the point that was asked: it will be answered
 * once the way is free again.
 */
export function isConnectionError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, code, cause, retryable, unreached } = error as Delivery
  if (typeof unreached === 'boolean') return unreached
  if (typeof retryable === 'boolean') return retryable
  if (name === 'TimeoutError' || lostConnections.test(String(code))) return true
  return isConnectionError(cause)
}

/** What an error says, or whatever else was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : show(error)
}

/** A value as it should read inside an error message: short, quoted, never a wall of numbers. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value)
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const length = (value as unknown as ArrayLike<unknown>).length
    return `${value.constructor.name}(${length})`
  }
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol') return value.toString()
  if (value !== null && typeof value === 'object') return Object.prototype.toString.call(value)
  return String(value)
}

/** The known word nearest to a misspelt one, if any is near enough to be worth suggesting. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return ranked !== undefined && ranked.distance <= Math.max(2, Math.ceil(word.length / 3))
    ? ranked.candidate
    : undefined
}

/** The hint for a misspelt word, to put behind a message: empty where no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known)
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      // Two neighbours in the wrong order are one slip of the fingers, not two.
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (beforePrevious[j - 2] as number) + 1 : Infinity
      current[j] = Math.min((previous[j] as number) + 1, (current[j - 1] as number) + 1, substitution, swap)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length] as number
}

/** Characters kept of a reason. */
const maxReason = 500

/** A reason for a failure as text: the same whether the run was interrupted in between or not. */
export function reasonText(reason: unknown): string {
  let text: string
  try {
    text = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)
  } catch {
    text = show(reason)
  }
  return text.length > maxReason ? `${text.slice(0, maxReason)}...` : text
}

/** The size of a limit: as so many of the 255 steps of a byte where it is that, else in a few digits. */
export function limitText(size: unknown): string {
  const value = Number(size)
  const steps = Math.round(255 * value)
  const isShort = String(value).length < 8
  if (!isShort && steps > 0 && Math.abs(255 * value - steps) < 1e-9) return `${steps}/255`
  return String(Number(value.toPrecision(6)))
}

/** An error on its way between threads, where errors lose what they are. */
export interface CarriedError {
  readonly message: string
  /** Of an error of ours. */
  readonly code?: ErrorCode | undefined
  readonly retryable?: boolean | undefined
  readonly retryAfter?: number | undefined
  readonly timedOut?: boolean | undefined
  readonly unreached?: boolean | undefined
}

/** An error as it is sent. */
export function packError(error: unknown): CarriedError {
  const message = messageOf(error)
  if (!(error instanceof ZerothError)) return { message }
  const { code, retryable, retryAfter, timedOut, unreached } = error
  return { message, code, retryable, retryAfter, timedOut, unreached }
}

/** The error that was sent. */
export function unpackError({ message, code, ...details }: CarriedError): Error {
  return code === undefined ? new Error(message) : new ZerothError(code, message, details)
}
