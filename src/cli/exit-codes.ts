import type { ErrorCode } from '../index.ts'

/** What the exit code of `zeroth` means. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, belowThreshold: 3, interrupted: 130 } as const

/** Mistakes of whoever called, as opposed to runs that went wrong. */
const usageErrors: readonly ErrorCode[] = [
  'invalid-option',
  'unknown-option',
  'invalid-start',
  'invalid-set',
  'invalid-data',
  'invalid-model',
]

/** The exit code for an error of the library. */
export function exitCodeOf(code: ErrorCode): number {
  return usageErrors.includes(code) ? exitCodes.usage : exitCodes.failed
}
