import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { countText } from '../../report/number-text.ts'
import { type Column, shortNumber, textTable } from '../../report/table.ts'
import { attackState } from '../../work/evaluation/status.ts'
import { runsFolder } from '../../work/folders.ts'
import { listWorks, type WorkKind, type WorkStatus } from '../../work/index.ts'
import { print } from '../output.ts'
import { millisecondsText, plainText } from '../terminal-text.ts'
import { checkFolder } from '../work-folder.ts'

const examples = `
The value is the best one of a run, the median over the runs of a series, and
the mean over seeds of the best setting of a tuning.

Examples:
  $ zeroth list
  $ zeroth list elsewhere --json`

/** `zeroth list`: the works of a folder, oldest first. */
export function command(): Command {
  return new Command()
    .argument('[folder]', 'where to look', runsFolder)
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (folder: string, { json }: { json?: boolean }) => {
      checkFolder(folder)
      const runs = (await listWorks(folder)).map(listedRun)
      if (json === true) print(JSON.stringify(jsonSafe({ folder: resolve(folder), runs })))
      else if (runs.length === 0) process.stderr.write(`no runs in ${folder}\n`)
      else
        print(
          textTable(
            runs,
            columns.filter(({ cell }) => runs.some((run) => cell(run) !== '')),
          ),
        )
    })
}

/** A work as lists print it, for people and for programs. */
export interface ListedRun {
  /** Its folder. */
  readonly run: string
  readonly kind: 'run' | 'series' | 'tuning' | 'attack'
  /** Of several runs: how many have finished. */
  readonly status: string
  readonly created?: string | undefined
  readonly iterations?: number | undefined
  readonly queries?: number | undefined
  readonly best?: number | undefined
  /** Of a series, the median over its finished runs; of a tuning, the mean over seeds of its best setting. */
  readonly value?: number | undefined
  readonly setting?: string | undefined
  readonly seconds?: number | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
  /** The runs of a series or a tuning. */
  readonly runs?: readonly ListedRun[] | undefined
}

/** What a list calls each kind of work. */
const listedKinds = { run: 'run', series: 'series', tuning: 'tuning', evaluation: 'attack' } as const

const statusTexts: Readonly<Record<WorkKind, (status: WorkStatus) => string>> = {
  // A run that was stopped has a result, one that was killed has none.
  run: ({ state, reason }) => (state === 'interrupted' && reason !== undefined ? 'aborted' : state),
  series: ({ members = [], items }) => finishedText(members, items?.total),
  tuning: ({ members = [] }) => finishedText(members, members.length),
  evaluation: ({ folder }) => attackState(folder).status,
}

/** A work's line in a list. */
export function listedRun(work: WorkStatus): ListedRun {
  const {
    folder: run,
    kind,
    state,
    created,
    iterations,
    queries,
    best,
    value,
    setting,
    seconds,
    problem,
    members,
  } = work
  const status = state === 'damaged' ? state : statusTexts[kind](work)
  const account = { created, iterations, queries, best, value, setting, seconds, problem }
  return { run, kind: listedKinds[kind], status, ...account, runs: members?.map(listedRun) }
}

function finishedText(members: readonly WorkStatus[], total = members.length): string {
  return `${members.filter(({ state }) => state === 'finished').length} of ${total} finished`
}

/** What every table of runs begins with. */
export const runColumns: readonly Column<ListedRun>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'status', cell: ({ status }) => status },
  { title: 'queries', align: 'right', cell: ({ queries }) => (queries === undefined ? '' : countText(queries)) },
  {
    title: 'value',
    align: 'right',
    cell: ({ best = Number.NaN, value = best }) => (Number.isNaN(value) ? '' : shortNumber(value)),
  },
]

const columns: readonly Column<ListedRun>[] = [
  ...runColumns,
  {
    title: 'time',
    align: 'right',
    cell: ({ seconds }) => (seconds === undefined ? '' : millisecondsText(seconds * 1000)),
  },
  { title: 'began (UTC)', cell: ({ created }) => created?.slice(0, 16).replace('T', ' ') ?? '' },
  { title: '', cell: ({ problem, kind }) => (problem && plainText(problem)) ?? (kind === 'run' ? '' : kind) },
]
