import { type Column, shortNumber } from '../report/table.ts'
import { attackState } from '../work/evaluation/status.ts'
import type { WorkKind, WorkStatus } from '../work/index.ts'

/** A work as lists print it, for people and for programs. */
export interface ListedRun {
  /** Its folder. */
  readonly run: string
  readonly kind: 'run' | 'series' | 'search' | 'attack'
  /** Of several runs: how many have finished. */
  readonly status: string
  readonly created?: string | undefined
  readonly iterations?: number | undefined
  readonly queries?: number | undefined
  readonly best?: number | undefined
  readonly seconds?: number | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
  /** The runs of a series or a search. */
  readonly runs?: readonly ListedRun[] | undefined
}

/** What a list calls each kind of work. */
const listedKinds = { run: 'run', series: 'series', tuning: 'search', evaluation: 'attack' } as const

const statusTexts: Readonly<Record<WorkKind, (status: WorkStatus) => string>> = {
  // A run that was stopped has a result, one that was killed has none.
  run: ({ state, reason }) => (state === 'interrupted' && reason !== undefined ? 'aborted' : state),
  series: ({ members = [], items }) => finishedText(members, items?.total),
  tuning: ({ members = [] }) => finishedText(members, members.length),
  evaluation: ({ folder }) => attackState(folder).status,
}

/** A work's line in a list. */
export function listedRun(work: WorkStatus): ListedRun {
  const { folder: run, kind, state, created, iterations, queries, best, seconds, problem, members } = work
  const status = state === 'damaged' ? state : statusTexts[kind](work)
  const account = { created, iterations, queries, best, seconds, problem }
  return { run, kind: listedKinds[kind], status, ...account, runs: members?.map(listedRun) }
}

function finishedText(members: readonly WorkStatus[], total = members.length): string {
  return `${members.filter(({ state }) => state === 'finished').length} of ${total} finished`
}

/** What every table of runs begins with. */
export const runColumns: readonly Column<ListedRun>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'status', cell: ({ status }) => status },
  { title: 'queries', align: 'right', cell: ({ queries }) => queries?.toLocaleString('en') ?? '' },
  {
    title: 'best',
    align: 'right',
    cell: ({ best }) => (best === undefined || Number.isNaN(best) ? '' : shortNumber(best)),
  },
]
