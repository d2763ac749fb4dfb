import type { Limits, Type } from '../../src/core/option-type.ts'
import { article } from '../../src/core/parse-options.ts'
import { described, type Origin, originOf } from '../../src/core/part.ts'
import * as library from '../../src/parts.ts'

/** What an option is when left out, as a program would write it; undefined where it has no default worth a word. */
export function standardText({ standard }: Type): string | undefined {
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
  if (entry === undefined) return described(value)
  const [exported, part] = entry
  const isPlain = Object.keys(options).length === 0 || described((part as () => object)()) === described(value)
  return isPlain ? `${exported}()` : described(value)
}

/** What an option takes, in words. */
export function takesText({ about }: Type): string {
  switch (about.type) {
    case 'number':
      return `${about.whole === true ? 'whole number' : 'number'}${limitsText(about.limits)}`
    case 'text':
      return 'text'
    case 'flag':
      return '`true` or `false`'
    case 'numbers':
      return 'list of numbers'
    case 'words':
      return about.words.map((word) => `\`${typeof word === 'string' ? `'${word}'` : word}\``).join(' or ')
    case 'list':
      return `list: ${takesText(about.of)}`
    case 'tuple':
      return `list of ${about.of.length}`
    case 'record':
      return `object with any keys: ${takesText(about.of)}`
    case 'table':
      return `\`{ ${Object.keys(about.shape).join(', ')} }\``
    case 'union':
      return [...new Set(about.of.map(takesText))].join(' or ')
    case 'part':
      return article(about.kind)
    case 'json':
      return 'JSON'
    default:
      return about.type === 'function' ? 'function' : 'object'
  }
}

/** The limits of a number, with a blank before them; none where there are none. */
export function limitsText({ least, most, above, below }: Limits): string {
  const from = least === undefined ? above !== undefined && `above ${above}` : `at least ${least}`
  const to = most === undefined ? below !== undefined && `below ${below}` : `at most ${most}`
  const limits = [from, to].filter((each) => each !== false)
  return limits.length === 0 ? '' : ` ${limits.join(' and ')}`
}
