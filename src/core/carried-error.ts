import { type ErrorCode, messageOf, ZerothError } from './errors.ts'

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
