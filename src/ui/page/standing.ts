import { summarize } from '../../core/statistics.ts'
import { order } from '../../report/run/run-groups.ts'
import type { Figure, WorkDetail, WorkRow } from '../api.ts'

/** A work beside others: what its runs found, and what one of them cost, as medians where there are several. */
export interface Standing {
  readonly row: WorkRow
  /** The runs that count: those that finished, or all where none did. */
  readonly runs: number
  readonly median: number
  readonly best: number
  readonly queries: number
  readonly seconds: number
}

/** The runs that stand for a work: itself, its members, or those with the best setting of a tuning. */
export function runsOf({ row, members = [], tried = [] }: WorkDetail): readonly WorkRow[] {
  if (row.kind === 'run') return [row]
  const best = tried.find(({ isBest }) => isBest)?.members
  return members.filter(({ id, kind }) => kind === 'run' && (row.kind === 'series' || best?.includes(id)))
}

/** Where a work stands by its runs. */
export function standing(row: WorkRow, runs: readonly WorkRow[]): Standing {
  const finished = runs.filter(({ state }) => state === 'finished')
  const counted = finished.length > 0 ? finished : runs
  const over = (of: (run: WorkRow) => Figure | undefined) => summarize(counted.map((run) => of(run) ?? Number.NaN))
  const { median, smallest } = over(({ best }) => best)
  return {
    ...{ row, runs: counted.length, median, best: smallest },
    queries: over(({ queries }) => queries).median,
    seconds: over(({ seconds }) => seconds).median,
  }
}

/** The lowest median first: the luckiest run of many would win against a better method with fewer. */
export function ranked(standings: readonly Standing[]): Standing[] {
  return [...standings].sort((a, b) => order(a.median, b.median))
}
