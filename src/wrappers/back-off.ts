import { isUnreached, show, ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { option, table } from '../core/options.ts'
import { numberFrom, wholeFrom } from '../core/schema.ts'
import { randomUniform } from '../kernels/random.ts'
import { sleepOption } from './sleep.ts'

/** How long to wait before asking again, and how often. */
export const backOffOptions = table({
  attempts: option(wholeFrom(1, 1000), 'times a row is asked at most, the first included', 4),
  delay: option(numberFrom(0), 'milliseconds before the second attempt', 200),
  factor: option(numberFrom(1), 'each further wait is this many times the one before', 2),
  maxDelay: option(numberFrom(0), 'longest wait that is not asked for by the other side, in milliseconds', 30_000),
  jitter: option(numberFrom(0, 1), 'random share of each wait', 0.5),
  maxRetryAfter: option(
    numberFrom(0),
    'longest wait the other side may ask for, in milliseconds; the row fails if it asks for more',
    120_000,
  ),
  seed: option(wholeFrom(0), 'determines the jitter, together with iteration, row and attempt', 0),
  sleep: sleepOption,
})

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
    unreached: isUnreached(reason),
    retryAfter: retryAfter > 0 ? retryAfter : undefined,
  })
}
