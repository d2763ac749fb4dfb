// Errors about data: apart from the files of `data-file.ts`, for browsers read texts, too.

import { ZerothError } from '../../optimizer/core/errors.ts'

const longestReason = 200

/** What is wrong with a file or with bytes, in one line that begins with where. */
export function dataError(where: string, problem: string, cause?: unknown): ZerothError {
  return new ZerothError('invalid-data', oneLine(`${where}: ${problem}`), cause === undefined ? {} : { cause })
}

/** An error's own words, short enough to stand in another message. */
export function shortReason(error: unknown): string {
  const text = oneLine(error instanceof Error ? error.message : String(error))
  return text.length > longestReason ? `${text.slice(0, longestReason)}...` : text
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
