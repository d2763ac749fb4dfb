import { jsonSafe } from '../core/json-safe.ts'
import { type Explanation, explainAuto, wholeSpace, ZerothError } from '../index.ts'
import { countText } from '../report/number-text.ts'
import { textTable } from '../report/table.ts'
import type { CompiledSpec } from '../spec/index.ts'

/** What the default method would do with a problem, and why, without asking it anything. */
export function explain({ start, session, resolved }: CompiledSpec, json: boolean): string {
  const { name, once } = resolved.solver as { name: string; once?: boolean }
  if (name !== 'auto') {
    throw new ZerothError('invalid-option', `--explain is about the default method, auto; this run uses ${name}`)
  }
  const { maxQueries = Infinity, variables, set = variables?.set ?? wholeSpace() } = session
  const explained = explainAuto({ dim: start.length, queries: maxQueries, set, once: once === true })
  return json ? JSON.stringify(jsonSafe(explained)) : explanationText(explained)
}

function explanationText({ dim, queries, set, exact, noisy }: Explanation): string {
  const variables = dim === 1 ? '1 variable' : `${countText(dim)} variables`
  const where = { free: 'without bounds', box: 'in a box', other: 'in a convex set' }[set]
  const limit = Number.isFinite(queries) ? `${countText(queries)} queries at most` : 'no limit on queries'
  return [
    `${variables} ${where}, ${limit}`,
    '',
    'First it asks the start twice. Where the answers are the same:',
    choices(exact),
    '',
    'Where they differ:',
    choices(noisy),
  ].join('\n')
}

function choices(list: Explanation['exact']): string {
  return textTable(list, [
    { title: 'method', cell: ({ method }) => method },
    {
      title: 'until query',
      align: 'right',
      cell: ({ until }) => (Number.isFinite(until) ? countText(Math.floor(until)) : 'the end'),
    },
    { title: 'why', cell: ({ why }) => why },
  ])
}
