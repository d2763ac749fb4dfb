import { encodeNumber } from '../core/json-number.ts'

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
export function isNumeric(value: unknown): boolean {
  return typeof numberOfWord(value) === 'number'
}
