import { type ErrorCode, ZerothError } from '../index.ts'
import { plainReason, plainText } from './terminal-text.ts'

/** What an error means to the caller. */
export interface Explanation {
  /** One line. */
  readonly message: string
  readonly code: ErrorCode | 'system' | 'internal'
  readonly exitCode: number
  /** The folder of the run that it ended, where one was under way. */
  readonly run?: string | undefined
}

/** Explains any error: one of ours, one of the system (no space, no permission), or a mistake in zeroth itself. */
export function explainError(error: unknown): Explanation {
  const { run } = (typeof error === 'object' && error !== null ? error : {}) as { readonly run?: string }
  if (error instanceof ZerothError) {
    const { code, message } = error
    return { message: plainReason(message), code, exitCode: exitCodeOf(code), run }
  }
  const message = plainText(error instanceof Error ? error.message : String(error))
  if (isSystemError(error)) return { message, code: 'system', exitCode: exitCodes.failed, run }
  const advice = 'a mistake in zeroth or in a module of yours: with ZEROTH_DEBUG=1 it says where'
  return { message: `${message} (${advice})`, code: 'internal', exitCode: exitCodes.failed, run }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** What the exit code of `zeroth` means. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, belowThreshold: 3, interrupted: 130 } as const

/** Mistakes of the caller, as opposed to runs that went wrong. */
const usageErrors: readonly ErrorCode[] = [
  'invalid-option',
  'unknown-option',
  'invalid-start',
  'invalid-set',
  'invalid-data',
  'invalid-model',
]

/** The exit code for an error of the library. */
function exitCodeOf(code: ErrorCode): number {
  return usageErrors.includes(code) ? exitCodes.usage : exitCodes.failed
}
