import { createSession, points } from '../index.ts'
import type { CompiledSpec } from '../spec/index.ts'

/** What the first iteration would ask, without asking it; closes nothing, for nothing was started. */
export function dryRun(compiled: CompiledSpec, json: boolean): string {
  const session = createSession(compiled.start, compiled.session)
  if (session.outcome !== undefined) return json ? '{"queries":[]}' : 'nothing would be asked: the budget is too small'
  const queries = session.ask()
  const rows = points(queries).map((x) => Array.from(x))
  if (json) return JSON.stringify({ iteration: queries.key.iteration, centers: queries.centers, queries: rows })
  const shown = (x: readonly number[]): string =>
    x
      .slice(0, 8)
      .map((each) => each.toPrecision(6))
      .join(' ')
  const lines = rows.map(
    (x, row) =>
      `${row < queries.centers ? 'point' : 'probe'} ${shown(x)}${x.length > 8 ? ` ... ${x.length} in all` : ''}`,
  )
  return [`iteration ${queries.key.iteration} would ask ${queries.rows} queries:`, ...lines].join('\n')
}
