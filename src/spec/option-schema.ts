import { encodeNumber } from '../core/json-number.ts'
import type { Type } from '../core/option-type.ts'
import { isObject, type Json } from './plain-data.ts'

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
function meantOption(options: readonly Type[], value: unknown): Type | undefined {
  const suitable = options.find((option) => suits(option, value))
  if (suitable !== undefined || !isObject(value)) return suitable
  const objects = options.filter((option) => option.about.type === 'table')
  return objects.length === 1 ? objects[0] : undefined
}

/**
 * A value with `each` applied to what it holds: to the members of a list, a tuple or a record, with their keys, or to the
 * value itself as the alternative of a union that it means. Anything else stays as it is.
 */
export function mapMembers(
  { about }: Type,
  value: Json,
  each: (schema: Type, value: Json, key?: string | number) => unknown,
): unknown {
  switch (about.type) {
    case 'list':
      return Array.isArray(value) ? value.map((member: Json, i) => each(about.of, member, i)) : value
    case 'tuple':
      return Array.isArray(value) ? value.map((member: Json, i) => mapKnown(about.of[i], member, i, each)) : value
    case 'record':
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, each(about.of, member, key)]))
    case 'union':
      return mapKnown(meantOption(about.of, value), value, undefined, each)
    default:
      return value
  }
}

function mapKnown(
  schema: Type | undefined,
  value: Json,
  key: number | undefined,
  each: (schema: Type, value: Json, key?: number) => unknown,
): unknown {
  return schema === undefined ? value : each(schema, value, key)
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
