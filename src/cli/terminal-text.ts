import picocolors from 'picocolors'
import { percentText } from '../report/number-text.ts'

/** A text for one line of a terminal: no line breaks, and nothing that a terminal would obey instead of showing it. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const escapes = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
  const invisible = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
  return text.replace(escapes, '').replace(invisible, ' ').trim()
}

/** Why a query or a run failed, without the name of our error class, which says nothing to people. */
export function plainReason(reason: string): string {
  return plainText(reason).replaceAll('ZerothError: ', '')
}

/** Colours for a stream: none where it is no terminal or where NO_COLOR asks for none. */
export function paint(
  stream: { readonly isTTY?: boolean | undefined },
  { NO_COLOR = '', FORCE_COLOR = '', TERM }: Readonly<Partial<Record<string, string>>> = process.env,
): ReturnType<typeof picocolors.createColors> {
  const isWanted = FORCE_COLOR !== '' || (stream.isTTY === true && TERM !== 'dumb')
  return picocolors.createColors(isWanted && NO_COLOR === '')
}

/** A time as people say it: 25 ms, 0.4 s, 3 min 20 s, 2 h 5 min. */
export function millisecondsText(milliseconds: number): string {
  if (milliseconds < 95) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 9950) return `${Number((milliseconds / 1000).toFixed(1))} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3570) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A fraction in percent; what only rounds to all or to nothing is not said to be it. */
export function percent(fraction: number): string {
  return percentText(fraction).replaceAll('\u00a0', ' ')
}
