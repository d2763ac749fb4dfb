import { didYouMean, ZerothError } from '../../../optimizer/core/errors.ts'
import type { NamedVariables, Value } from '../../../optimizer/core/variable-types.ts'

/** A word of a command line in pieces: texts that stay, and variables whose values take their place. */
export type Template = readonly (string | { readonly variable: string })[]

/**
 * `{name}`, unless a dollar sign before it makes it an environment variable; `{{` and `}}` stand for braces. A `}}` that ends no
 * `{{` stays as it is: objects of JSON in each other end so.
 */
const placeholder = /\{\{|\}\}|(?<!\$)\{([\p{L}_$][\p{L}\p{N}_.$-]*)\}/gu

/** Reads the placeholders of a word; `expand` completes what stays. */
export function templateOf(word: string, expand: (text: string) => string = (text) => text): Template {
  const pieces: (string | { readonly variable: string })[] = []
  let text = ''
  let from = 0
  let open = 0
  for (const { 0: found, 1: variable, index } of word.matchAll(placeholder)) {
    text += word.slice(from, index)
    from = index + found.length
    if (variable === undefined) {
      text += found === '}}' && open === 0 ? found : found.slice(0, 1)
      open = found === '{{' ? open + 1 : Math.max(open - 1, 0)
    } else {
      if (text !== '') pieces.push(expand(text))
      pieces.push({ variable })
      text = ''
    }
  }
  text += word.slice(from)
  return text === '' && pieces.length > 0 ? pieces : [...pieces, expand(text)]
}

/** The variables in a template. */
export function namesIn(template: Template): string[] {
  return template.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.variable]))
}

/**
 * The word that a template becomes; undefined where it is left out: a variable in it does not matter, or it is a variable alone
 * whose value is the empty text.
 */
export function filledWord(template: Template, values: ReadonlyMap<string, Value | undefined>): string | undefined {
  const texts = template.map((piece) => {
    if (typeof piece === 'string') return piece
    const value = values.get(piece.variable)
    return value === undefined ? undefined : String(value)
  })
  if (texts.includes(undefined) || (texts.length === 1 && typeof template[0] !== 'string' && texts[0] === '')) {
    return undefined
  }
  return texts.join('')
}

/** A command line with placeholders, as a setting fills it. */
export function filledCommand(
  templates: readonly Template[],
  values: ReadonlyMap<string, Value | undefined>,
): string[] {
  return templates.flatMap((each) => filledWord(each, values) ?? [])
}

/** The values of a point by the whole names of its variables. */
export function valuesByName(variables: NamedVariables, point: ArrayLike<number>): Map<string, Value | undefined> {
  const values = variables.values(point)
  return new Map(variables.names.map((name, i) => [name, values[i]]))
}

/** Refuses placeholders that name no variable, and variables that would change nothing. */
export function checkPlaceholders(used: readonly string[], variables: NamedVariables): void {
  const { names, declared } = variables
  const unknown = used.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'there are none' : `known: ${names.join(', ')}`
    const advice = `declare it, as in {${unknown}:1..16}, or write {{${unknown}}} for braces that stay`
    throw invalid(`the placeholder {${unknown}} is no variable${didYouMean(unknown, names)} (${known}); ${advice}`)
  }
  const parents = Object.values(declared).flatMap(({ when }) => Object.keys(when ?? {}))
  const idle = names.find((name) => !used.includes(name) && !parents.includes(name))
  if (idle === undefined) return
  throw invalid(`the variable ${idle} changes nothing: no argument and no environment variable has {${idle}}`)
}

function invalid(message: string): ZerothError {
  return new ZerothError('invalid-option', `command: ${message}`)
}
