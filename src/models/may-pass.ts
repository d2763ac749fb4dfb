import { ZerothError } from '../core/errors.ts'

/** Whether what went wrong with some images need not go wrong with others. */
export function mayPass(error: unknown): boolean {
  return error instanceof ZerothError && error.retryable === true
}
