/**
 * A value as JSON in which every number keeps its bits: lists of numbers may be typed arrays, minus zero is written as
 * -0.0 (other languages read -0 as the whole number 0), and what JSON has no number for as a string such as "NaN".
 */
export function exactJson(value: unknown): string {
  if (typeof value === 'number') return numberJson(value)
  if (typeof value === 'bigint') return value.toString()
  if (isNumbers(value)) return `[${Array.from(value as ArrayLike<number | bigint>, exactJson).join(',')}]`
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${exactJson(each)}`).join(',')}}`
}

/** One number as JSON text. */
export function numberJson(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  return Object.is(value, -0) ? '-0.0' : String(value)
}

/** Reads JSON, also where NaN and infinities stand in it as bare words, as several servers write them. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const quoted = text.replace(stringOrWord, (found) => (found.startsWith('"') ? found : `"${found}"`))
    if (quoted === text) throw error
    return JSON.parse(quoted)
  }
}

// The closing quote is optional, so that a text without one is passed once and not tried again from every quote in it.
const stringOrWord = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?Infinity|NaN/g

const words: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

/** The number that a value read from JSON stands for, strings such as "NaN" included; undefined where it is none. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined
}

function isNumbers(value: unknown): boolean {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}

/** The longest text of a reply that is repeated in a message. */
const longest = 200

/**
 * A value from a reply as it should read inside a message. Texts are repeated whole or not at all: the piece of a secret
 * that is left where a text is cut cannot be recognised any more.
 */
export function shownReply(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > longest ? `a text of ${value.length} characters` : JSON.stringify(value)
  }
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value !== 'object' || value === null) return String(value)
  const keys = Object.keys(value)
  const some = keys.slice(0, 5).map(shownReply).join(', ')
  return keys.length === 0 ? 'an empty object' : `an object with ${some}${keys.length > 5 ? ', ...' : ''}`
}
