import { dataError } from './data-error.ts'

/** A class as text, and where it was found. */
export interface Named {
  readonly where: string
  readonly text: string
}

/** The classes as numbers, and their names where they had names. */
export interface ClassLabels {
  readonly labels: readonly (number | undefined)[]
  readonly classNames?: readonly string[] | undefined
}

/**
 * Whole numbers are classes as they are. If all are names, they are counted from 0 in the order of their characters'
 * codes. An empty text is a class that is not known.
 */
export function classLabels(given: readonly Named[]): ClassLabels {
  const known = given.filter(({ text }) => text.trim() !== '')
  if (!known.some(({ text }) => isNumber(text))) return namedLabels(given)
  const labels = given.map(({ where, text }) => (text.trim() === '' ? undefined : wholeNumber(where, text.trim())))
  return { labels }
}

function wholeNumber(where: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  const rule = 'classes must be whole numbers of at least 0, or all of them names'
  throw dataError(where, `${rule}, got ${JSON.stringify(text)}`)
}

function namedLabels(given: readonly Named[]): ClassLabels {
  const names = given.map(({ text }) => text.trim())
  const classNames = [...new Set(names)].filter((name) => name !== '').sort()
  const numbers = new Map(classNames.map((name, label) => [name, label]))
  return { labels: names.map((name) => numbers.get(name)), classNames: classNames.length > 0 ? classNames : undefined }
}

function isNumber(text: string): boolean {
  return !Number.isNaN(Number(text.trim()))
}
