import { nearest, show, ZerothError } from '../core/errors.ts'

/** The word itself, if it is one of those known; if not, an error that lists them and suggests the nearest. */
export function checkedWord<Word extends string>(what: string, word: unknown, known: readonly Word[]): Word {
  const found = known.find((each) => each === word)
  if (found !== undefined) return found
  const suggestion = typeof word === 'string' ? nearest(word, known) : undefined
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  const list = known.map((each) => show(each)).join(', ')
  throw new ZerothError('invalid-option', `${what} must be one of ${list}, got ${show(word)}${hint}`)
}
