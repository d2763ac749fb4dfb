import { ZerothError } from '../core/errors.ts'

const longestReason = 200

/** What is wrong with a file or with bytes, in one line that begins with where. */
export function dataError(where: string, problem: string, cause?: unknown): ZerothError {
  return new ZerothError('invalid-data', oneLine(`${where}: ${problem}`), cause === undefined ? {} : { cause })
}

/** Why a file could not be read or written, with what the system calls it. */
export function fileError(file: string, action: 'read' | 'written', error: unknown): ZerothError {
  const code = (error as NodeJS.ErrnoException | null)?.code
  const reason = { ENOENT: 'there is no such file or folder', EISDIR: 'it is a folder', EACCES: 'permission denied' }
  const known = Object.hasOwn(reason, code ?? '') ? reason[code as keyof typeof reason] : shortReason(error)
  return dataError(file, `cannot be ${action} (${known})`, error)
}

/** An error's own words, short enough to stand in another message. */
export function shortReason(error: unknown): string {
  const text = oneLine(error instanceof Error ? error.message : String(error))
  return text.length > longestReason ? `${text.slice(0, longestReason)}...` : text
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
