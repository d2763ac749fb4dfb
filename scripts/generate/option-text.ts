import { article, type Limits, type Type } from '../../src/optimizer/core/options.ts'
import { fingerprint, type Origin, originOf } from '../../src/optimizer/core/part.ts'
import * as library from '../../src/parts.ts'

/** What an option means: its doc comment, as part of a longer text, without the limits and the default that it may end with. */
export function sentenceOf(option: Type): string | undefined {
  const { comment } = option as Type & { readonly comment?: string }
  if (comment === undefined) return undefined
  const tail = tailOf(option)
  if (tail !== '' && comment.endsWith(` ${tail}`)) return asPhrase(comment.slice(0, -tail.length - 1))
  const [, other] = /\. ((?:At least|At most|Above|Below|Default) .*)$/.exec(comment) ?? []
  if (other === undefined) return asPhrase(comment)
  throw new Error(`the comment of an option says "${other}" where the option has "${tail}": ${comment}`)
}

/** The limits and the default of an option, as its comment may say them. */
function tailOf(option: Type): string {
  const standard = standardText(option)
  const limits = option.description.type === 'number' ? limitsText(option.description.limits).trim() : ''
  const tail = [limits, standard === undefined ? '' : `default ${standard}`].filter((each) => each !== '').join('; ')
  return tail === '' ? '' : `${tail.charAt(0).toUpperCase()}${tail.slice(1)}.`
}

/** Abbreviations and symbols stay as they are written. */
function asPhrase(sentence: string): string {
  const begin = /^[A-Z](?:[a-z' ]|$)/.test(sentence) ? sentence.charAt(0).toLowerCase() : sentence.charAt(0)
  return `${begin}${sentence.slice(1)}`.replace(/(?<!\.)\.$/, '')
}

/** What an option is when left out, as a program would write it; undefined where it has no default worth a word. */
export function standardText({ default: standard }: Type): string | undefined {
  if (standard === undefined) return undefined
  const value = standard()
  if (typeof value === 'object' && value !== null) return objectText(value)
  if (typeof value === 'string') return `'${value}'`
  const text = String(value)
  return typeof value === 'function' && text.includes('\n') ? undefined : text
}

function objectText(value: object): string {
  const origin = originOf(value)
  if (origin !== undefined) return partText(value, origin)
  if ('unbounded' in value) return 'wholeSpace()'
  return JSON.stringify(value)
}

/** A part with nothing but its own defaults is a call without options. */
function partText(value: object, { kind, name, options }: Origin): string {
  const entry = Object.entries(library).find(
    ([, each]) => 'definition' in each && each.definition.kind === kind && each.definition.name === name,
  )
  if (entry === undefined) return fingerprint(value)
  const [exported, part] = entry
  const isPlain = Object.keys(options).length === 0 || fingerprint((part as () => object)()) === fingerprint(value)
  return isPlain ? `${exported}()` : fingerprint(value)
}

/** What an option takes, in words. */
export function takesText({ description }: Type): string {
  switch (description.type) {
    case 'number':
      return `${description.whole === true ? 'whole number' : 'number'}${limitsText(description.limits)}`
    case 'text':
      return 'text'
    case 'flag':
      return '`true` or `false`'
    case 'numbers':
      return 'list of numbers'
    case 'words':
      return description.words.map((word) => `\`${typeof word === 'string' ? `'${word}'` : word}\``).join(' or ')
    case 'list':
      return `list: ${takesText(description.of)}`
    case 'tuple':
      return `list of ${description.of.length}`
    case 'record':
      return `object with any keys: ${takesText(description.of)}`
    case 'table':
      return `\`{ ${Object.keys(description.shape).join(', ')} }\``
    case 'union':
      return [...new Set(description.of.map(takesText))].join(' or ')
    case 'part':
      return article(description.kind)
    case 'json':
      return 'JSON'
    default:
      return description.type === 'function' ? 'function' : 'object'
  }
}

/** The limits of a number, with a blank before them; none where there are none. */
function limitsText({ least, most, above, below }: Limits): string {
  const from = least === undefined ? above !== undefined && `above ${above}` : `at least ${least}`
  const to = most === undefined ? below !== undefined && `below ${below}` : `at most ${most}`
  const limits = [from, to].filter((each) => each !== false)
  return limits.length === 0 ? '' : ` ${limits.join(' and ')}`
}
