import { encodeNumber } from '../core/json-number.ts'
import type { Type } from '../core/option-type.ts'
import { isObject } from './plain-data.ts'

/** Whether something in a file could be meant for this type, going by its outer shape. */
function suits({ about }: Type, value: unknown): boolean {
  switch (about.type) {
    case 'part':
      return typeof value === 'string' || isObject(value)
    case 'number':
      return isNumeric(value)
    case 'text':
      return typeof value === 'string'
    case 'flag':
      return typeof value === 'boolean'
    case 'words':
      return suitsWord(about.words, value)
    case 'numbers':
    case 'list':
    case 'tuple':
      return Array.isArray(value)
    case 'table':
      return isObject(value) && Object.keys(value).every((key) => Object.hasOwn(about.shape, key))
    case 'record':
      return isObject(value)
    case 'union':
      return about.of.some((option) => suits(option, value))
    default:
      return about.type === 'json'
  }
}

/** Any text may be a misspelt word, but not where numbers are meant. */
function suitsWord(words: readonly unknown[], value: unknown): boolean {
  if (words.includes(value) || (isNumeric(value) && words.some(isNumeric))) return true
  return words.length > 1 && !words.some(isNumeric) && typeof value === 'string'
}

/** The alternative of a union that is meant by a value. An object with a misspelt key means the only kind of object. */
export function meantOption(options: readonly Type[], value: unknown): Type | undefined {
  const suitable = options.find((option) => suits(option, value))
  if (suitable !== undefined || !isObject(value)) return suitable
  const objects = options.filter((option) => option.about.type === 'table')
  return objects.length === 1 ? objects[0] : undefined
}

/** Whether an option can be written into a file at all: functions cannot. */
export function isWritable({ about, blackBox }: Type): boolean {
  if (about.type === 'union') return about.of.some(isWritable)
  return blackBox === true || (about.type !== 'function' && about.type !== 'foreign')
}

/** What stands in JSON for numbers that it has no digits for. */
const words: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '-0']

/** The number that a word stands for; anything else as it is. */
export function numberOfWord<T>(value: T): T | number {
  return words.includes(value) ? Number(value) : value
}

/** The word for a number that JSON has no digits for; anything else as it is. */
export function wordOfNumber<T>(value: T): T | string | number {
  return typeof value === 'number' ? encodeNumber(value) : value
}

/** Whether a value is a number, or a word for one. */
function isNumeric(value: unknown): boolean {
  return typeof numberOfWord(value) === 'number'
}
