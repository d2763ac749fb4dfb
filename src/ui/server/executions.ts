import type { Execution } from '../api.ts'
import { redacted } from './redacted.ts'

type Json = Readonly<Record<string, unknown>>

/** What stands in a spec that makes a machine do something, and what it is called. */
const doing: Readonly<Record<string, string>> = {
  command: 'runs the program',
  exec: 'runs the program',
  cwd: 'works in the folder',
  module: 'loads the module',
  file: 'loads the file',
  url: 'asks the service',
  queue: 'uses the queue',
  baseline: 'reads the folder',
  images: 'reads the images',
  preprocessing: 'loads the file',
}

/**
 * What a work would execute, load or ask, were it resumed: its folder may be a stranger's. Found by the keys of its spec,
 * wherever they stand.
 */
export function executionsOf(spec: Json): Execution[] {
  const found: Execution[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, each] of Object.entries(value)) {
      const what = doing[key]
      const text = what === undefined ? undefined : textOf(each)
      if (what !== undefined && text !== undefined) found.push({ what, text })
      else visit(each)
    }
  }
  visit(spec)
  const unique = new Map(found.map((each) => [JSON.stringify(each), each]))
  return unique.size > 0 ? [...unique.values()] : [{ what: 'minimises', text: builtIn(spec) }]
}

/** A command with its arguments, each in quotes where it has blanks; a place as it is. */
function textOf(value: unknown): string | undefined {
  const safe = redacted(value)
  if (typeof safe === 'string') return safe
  if (!Array.isArray(safe) || typeof safe[0] !== 'string') return undefined
  return safe.map(wordOf).join(' ')
}

/** An argument may be the place of a secret. */
function wordOf(word: unknown): string {
  return typeof word === 'string' && /^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word)
}

function builtIn({ objective, model }: Json): string {
  const part = objective ?? model
  const name = typeof part === 'string' ? part : String((part as { name?: unknown } | undefined)?.name ?? 'a problem')
  return `${name}, which is part of zeroth`
}
