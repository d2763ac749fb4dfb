import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { ZerothError } from '../../index.ts'
import { numberOfText } from '../spec/index.ts'

/** A finite number. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

/** A number, or a fraction as in 8/255. */
export function fraction(text: string): number {
  const value = numberOfText(text)
  if (typeof value === 'number') return value
  throw new InvalidArgumentError(`It ${value.complaint}.`)
}

/** One of these, or several with commas between them. */
export function fractions(text: string): number | number[] {
  const [first, ...more] = text.split(',').map(fraction)
  return more.length === 0 ? (first as number) : [first as number, ...more]
}

/** Words with commas between them. */
export function words(text: string): string[] {
  return text.split(',').map((each) => each.trim())
}

/** A number above 0. */
export function positiveNumber(text: string): number {
  const value = number(text)
  if (value <= 0) throw new InvalidArgumentError('It must be above 0.')
  return value
}

/** An option that may be given several times: all that were given, in their order. */
export function collected(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text]
}

/** A whole number of at least `least`. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text.replaceAll('_', ''))
    if (!/^[\d_]+(e\d+)?$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`)
    }
    return value
  }
}

/** The port of a server; 0 stands for any that is free. */
export function portNumber(text: string): number {
  const value = wholeNumber(0)(text)
  if (value > 65535) throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
  return value
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds, or a number with a unit: 500ms, 30s, 10m, 2h. */
export function milliseconds(text: string): number {
  const [, digits, unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?$/.exec(text.trim()) ?? []
  const value = Number(digits) * (units[unit] as number)
  if (digits === undefined || !(value > 0)) {
    throw new InvalidArgumentError('It must be a time above 0: milliseconds, or with a unit as in 30s, 10m, 2h.')
  }
  return value
}

/** A text that may be secret: itself, or where it is. */
export type SecretPlace = string | { readonly env: string } | { readonly file: string }

/** A text, env:NAME for an environment variable that holds it, or file:PATH for a file. */
export function secretPlace(text: string): SecretPlace {
  const [, kind, place] = /^(env|file):(.+)$/.exec(text) ?? []
  if (kind === undefined || place === undefined) return text
  return kind === 'env' ? { env: place } : { file: place }
}

/** Bounds as a spec has them: for all variables, or a list of lower and a list of upper ones. */
export type Bounds = [lower: number | number[], upper: number | number[]]

/** Two numbers with a comma for all variables, as in -1,1, or a pair per variable, as in -1:1,0:5. */
export function bounds(text: string): Bounds {
  const pairs = text.includes(':') ? text.split(',').map((pair) => twoNumbers(pair, ':')) : [twoNumbers(text, ',')]
  const [first, ...more] = pairs
  if (first !== undefined && more.length === 0) return first
  return [pairs.map(([lower]) => lower), pairs.map(([, upper]) => upper)]
}

function twoNumbers(text: string, separator: string): [number, number] {
  const [lower, upper, ...more] = text.split(separator).map(Number)
  const isWhole = text.split(separator).every((each) => each.trim() !== '') && more.length === 0
  if (isWhole && Number.isFinite(lower) && Number.isFinite(upper)) return [lower as number, upper as number]
  throw new InvalidArgumentError('It must be two numbers, as in -1,1, or a pair per variable, as in -1:1,0:5.')
}

/** Where to begin, as a spec has it. */
export type StartValue = number | number[] | Record<string, unknown>

/** One number for all coordinates, one each separated by commas, or by name, or a file with a JSON list or object. Values by name are texts yet. */
export function start(text: string): StartValue {
  if (text.includes('=')) return namedStart(text)
  if (/^[\d.,eE+\-\s]+$/.test(text)) {
    const numbers = text.split(',').map(number)
    return numbers.length === 1 ? (numbers[0] as number) : numbers
  }
  let list: unknown
  try {
    list = JSON.parse(readFileSync(text, 'utf8'))
  } catch (error) {
    throw new InvalidArgumentError(`It must be numbers or a file with a JSON list: ${(error as Error).message}`)
  }
  const isOdd = Array.isArray(list) && !list.every((each) => typeof each === 'number')
  if (typeof list !== 'object' || list === null || isOdd) {
    throw new InvalidArgumentError(`${text} must hold a JSON list of numbers, or an object of values by name.`)
  }
  return list as number[] | Record<string, unknown>
}

/** Values by name, as in rate=0.01,mode=fast. */
export function namedStart(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='))
  if (!pairs.every(([name = '', value = '', ...more]) => name !== '' && value !== '' && more.length === 0)) {
    throw new InvalidArgumentError('It must be like rate=0.01,mode=fast.')
  }
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new InvalidArgumentError('A name is given twice.')
  return Object.fromEntries(pairs)
}

/** A JSON value, or the text itself where it is none. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The words of a command line: split at blanks, quotes keep blanks together, a backslash keeps the next character as it
 * is. Nothing is expanded and no shell is asked.
 */
export function commandWords(text: string, option = 'exec'): [string, ...string[]] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const at = text[i] as string
    if (quote === "'" && at !== "'") word += at
    else if (at === '\\' && quote !== "'") word = (word ?? '') + (text[++i] ?? '')
    else if (at === quote) quote = ''
    else if (quote === '' && (at === '"' || at === "'")) {
      quote = at
      word ??= ''
    } else if (quote === '' && /\s/.test(at)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + at
  }
  if (quote !== '')
    throw new ZerothError('invalid-option', `--${option}: the quote ${quote} is never closed in: ${text}`)
  if (word !== undefined) words.push(word)
  const [program, ...rest] = words
  if (program === undefined) throw new ZerothError('invalid-option', `--${option} must be a command, got nothing`)
  return [program, ...rest]
}
