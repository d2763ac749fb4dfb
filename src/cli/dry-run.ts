import { jsonSafe } from '../core/json-safe.ts'
import { createSession, points } from '../index.ts'
import type { CompiledSpec } from '../spec/index.ts'

/** Coordinates of a point that are shown. */
const shown = 8

/** What the first iteration would ask, without asking it; the later ones depend on the answers. */
export function dryRun({ start, session: options }: CompiledSpec, json: boolean): string {
  const session = createSession(start, options)
  if (session.outcome !== undefined) {
    return json ? '{"queries":[]}' : `nothing would be asked: the run would stop by ${session.outcome.stopReason}`
  }
  const queries = session.ask()
  const rows = points(queries).map((x) => Array.from(x))
  const { iteration } = queries.key
  if (json) return JSON.stringify(jsonSafe({ iteration, centers: queries.centers, queries: rows }))
  const lines = rows.map((x, row) => `${row < queries.centers ? 'point' : 'probe'} ${pointText(x)}`)
  return [
    `iteration ${iteration} would ask ${queries.rows === 1 ? 'one query' : `${queries.rows} queries`}:`,
    ...lines,
  ].join('\n')
}

function pointText(x: readonly number[]): string {
  const numbers = x.slice(0, shown).map((each) => each.toPrecision(6))
  return [...numbers, ...(x.length > shown ? [`... ${x.length} in all`] : [])].join(' ')
}
