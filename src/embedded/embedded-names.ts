import { fileURLToPath } from 'node:url'
import { didYouMean, show, ZerothError } from '../core/errors.ts'

/** The classifiers that ship with the package. */
export const embeddedNames = ['digits', 'cifar10'] as const

/** One of the classifiers that ship with the package. */
export type EmbeddedName = (typeof embeddedNames)[number]

/** The word itself, if it is one of those known; if not, an error that lists them and suggests the nearest. */
export function checkedWord<Word extends string>(what: string, word: unknown, known: readonly Word[]): Word {
  const found = known.find((each) => each === word)
  if (found !== undefined) return found
  const hint = typeof word === 'string' ? didYouMean(word, known) : ''
  const list = known.map((each) => show(each)).join(', ')
  throw new ZerothError('invalid-option', `${what} must be one of ${list}, got ${show(word)}${hint}`)
}

/** The path of a file that ships with a classifier: src/embedded and dist/embedded are equally far from it. */
export function assetFile(name: EmbeddedName, file: string): string {
  return fileURLToPath(new URL(`../../assets/${name}/${file}`, import.meta.url))
}
