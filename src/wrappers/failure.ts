import { show, ZerothError } from '../core/errors.ts'

/** What a reason may say about asking again; errors of others may say it, too. */
interface Advice {
  readonly retryable?: unknown
  readonly retryAfter?: unknown
}

/** Why a query failed, in words. */
export function reasonText(reason: unknown): string {
  if (typeof reason === 'string') return reason
  return reason instanceof Error ? reason.message || reason.name : show(reason)
}

/** Milliseconds the other side wants to be left alone; 0 where it did not say. */
export function retryAfterOf(reason: unknown): number {
  const wanted = (reason as Advice | null | undefined)?.retryAfter
  return typeof wanted === 'number' && wanted > 0 ? wanted : 0
}

/** Whether there is no point in asking again. */
export function isHopeless(reason: unknown, maxRetryAfter: number): boolean {
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
  return new ZerothError('query-failed', `gave up after ${times}: ${why}${reasonText(reason)}`, {
    cause: reason,
    retryable,
    retryAfter: retryAfter > 0 ? retryAfter : undefined,
  })
}
