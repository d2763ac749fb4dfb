import { ZerothError } from '../index.ts'

/**
 * The words of a command line: split at blanks, quotes keep blanks together, a backslash keeps the next character as it
 * is. Nothing is expanded and no shell is asked.
 */
export function commandWords(text: string): [string, ...string[]] {
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
  if (quote !== '') throw new ZerothError('invalid-option', `--exec: the quote ${quote} is never closed in: ${text}`)
  if (word !== undefined) words.push(word)
  const [program, ...rest] = words
  if (program === undefined) throw new ZerothError('invalid-option', '--exec must be a command, got nothing')
  return [program, ...rest]
}
