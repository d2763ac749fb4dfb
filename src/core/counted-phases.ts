import type { Phase } from './types.ts'

/** Phases that add up to all rows of the run: the last point's value, which no method asks for, goes to the last of them. */
export function countedPhases(phases: readonly Phase[], rows: number): Phase[] {
  const rest = phases.reduce((left, { queries }) => left - queries, rows)
  return phases.map((each, i) => (i === phases.length - 1 ? { ...each, queries: each.queries + rest } : each))
}
