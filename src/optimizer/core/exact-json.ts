// JSON has no NaN, no infinities and loses the sign of -0. Files and `--json` write words for them; requests to services and
// programs, and call logs, write -0.0, which other languages read as it is meant. Every reader takes both.
import { Issue, number, oneOf, type Type } from './options.ts'

/** The words for numbers that JSON has no digits for. */
export const numberWords = ['NaN', 'Infinity', '-Infinity', '-0'] as const

type NumberJson = number | (typeof numberWords)[number]

/** A number, or the word for it. */
export function encodeNumber(value: number): NumberJson {
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? value : (String(value) as NumberJson)
}

/** The number that a value read from JSON stands for; undefined if it is neither a number nor a word for one. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return (numberWords as readonly unknown[]).includes(value) ? Number(value) : undefined
}

/** A number in stored JSON. */
export const storedNumber: Type<number, NumberJson> = /* @__PURE__ */ makeStoredNumber()

function makeStoredNumber(): Type<number, NumberJson> {
  return {
    description: { type: 'union', of: [number, oneOf(...numberWords)] },
    read: (value) => numberOf(value) ?? new Issue(`must be a number, or one of ${numberWords.join(', ')}`),
  }
}

/** Data for JSON.stringify: typed arrays become lists, numbers that JSON cannot hold become words. */
export function jsonSafe(value: unknown): unknown {
  if (typeof value === 'number') return encodeNumber(value)
  if (Array.isArray(value)) return value.map(jsonSafe)
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, jsonSafe)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, jsonSafe(each)]))
}

/** JSON text for services and programs in any language: -0 is -0.0, what is not finite a word. */
export function exactJson(value: unknown): string {
  if (typeof value === 'number') return exactNumber(value)
  if (typeof value === 'bigint') return value.toString()
  if (isNumbers(value)) return `[${Array.from(value as ArrayLike<number | bigint>, exactJson).join(',')}]`
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${exactJson(each)}`).join(',')}}`
}

/** One number as such text. */
export function exactNumber(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

/** What a text is as JSON; something else where it is none. */
export function jsonOr(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** Reads JSON, also if NaN and infinities stand in it as bare words, as several servers write them. */
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
