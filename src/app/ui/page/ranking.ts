import { summarize } from '../../../optimizer/core/statistics.ts'
import { groupedBy } from '../../report/page/elements.ts'
import { countedRuns, groupedBySpec, groupLabels, order, problemsOf } from '../../report/run/runs.ts'
import { verdictOf } from '../../report/verdict.ts'
import type { Figure, JobDetail, JobView } from '../api.ts'

/** A job beside others: what its runs found, and what one of them cost, as medians if there are several. */
export interface RankedJob {
  readonly row: JobView
  /** The runs that count: those that finished, or all if none did. */
  readonly runs: number
  readonly median: number
  readonly best: number
  readonly queries: number
  readonly seconds: number
}

/** The runs that stand for a job: itself, its members, or those with the best setting of a tuning. */
export function runsOf({
  job,
  members = [],
  tried = [],
}: Pick<JobDetail, 'job' | 'members' | 'tried'>): readonly JobView[] {
  if (job.kind === 'run') return [job]
  const best = tried.find(({ isBest }) => isBest)?.members
  return members.filter(({ id, kind }) => kind === 'run' && (job.kind === 'series' || best?.includes(id)))
}

/** Where a job stands by its runs. */
export function rankedJob(row: JobView, runs: readonly JobView[]): RankedJob {
  const counted = countedRuns(runs, ({ state }) => state === 'finished')
  const over = (of: (run: JobView) => Figure | undefined) => summarize(counted.map((run) => of(run) ?? Number.NaN))
  const { median, smallest } = over(({ best }) => best)
  return {
    ...{ row, runs: counted.length, median, best: smallest },
    queries: over(({ queries }) => queries).median,
    seconds: over(({ seconds }) => seconds).median,
  }
}

/** Which solver is better on each problem, in sentences: jobs whose specs differ in nothing but the seed count together. */
export function verdictsOf(jobs: readonly Pick<JobDetail, 'job' | 'spec' | 'members' | 'tried'>[]): string[] {
  const groups = groupedBySpec(jobs, ({ spec }) => spec)
  const problems = problemsOf(groups.map(({ settings }) => settings))
  const ofProblems = [...groupedBy(groups, (group) => problems[groups.indexOf(group)]?.key ?? '').values()]
  return ofProblems.flatMap((those) => {
    const names = those.map(({ members }) => members[0]?.job.name ?? '')
    const labels = groupLabels(
      those.map(({ settings }) => settings),
      names,
    )
    const samples = those.map(({ members }, i) => {
      const runs = countedRuns(members.flatMap(runsOf), ({ state }) => state === 'finished')
      return { name: labels[i] as string, values: runs.map(({ best }) => best ?? Number.NaN) }
    })
    return verdictOf(samples)?.text ?? []
  })
}

/** The lowest median first: the luckiest run of many would win against a better method with fewer. */
export function lowestMedianFirst(standings: readonly RankedJob[]): RankedJob[] {
  return [...standings].sort((a, b) => order(a.median, b.median))
}
