import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import { attackState } from '../../jobs/evaluation/status.ts'
import { runPlace, runsFolder } from '../../jobs/folders.ts'
import { type JobKind, type JobView, kindOf, listJobs, viewJob } from '../../jobs/index.ts'
import { isTuning } from '../../jobs/job.ts'
import { requirePlan } from '../../jobs/plan.ts'
import { countText } from '../../report/number-text.ts'
import { type Column, shortNumber, textTable } from '../../report/table.ts'
import { type RunProgress, readOverview } from '../../store/index.ts'
import { resultText } from '../perform.ts'
import { checkFolder } from '../place-job.ts'
import { print, tell } from '../program.ts'
import { millisecondsText, plainText } from '../terminal.ts'

const listExamples = `
The value is the best one of a run, the median over the runs of a series, and
the mean over seeds of the best setting of a tuning.

Examples:
  $ zeroth list
  $ zeroth list elsewhere --json`

/** `zeroth list`: the jobs of a folder, oldest first. */
export function listCommand(): Command {
  return new Command()
    .argument('[folder]', 'where to look', runsFolder)
    .option('--json', 'print one JSON object')
    .addHelpText('after', listExamples)
    .action(async (folder: string, { json }: { json?: boolean }) => {
      checkFolder(folder)
      const runs = (await listJobs(folder)).map(listedRun)
      if (json === true) print(JSON.stringify(jsonSafe({ folder: resolve(folder), runs })))
      else if (runs.length === 0) tell(`no runs in ${folder}`)
      else
        print(
          textTable(
            runs,
            columns.filter(({ cell }) => runs.some((run) => cell(run) !== '')),
          ),
        )
    })
}

/** A job as lists print it, for people and for programs. */
interface ListedRun {
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

/** What a list calls each kind of job. */
const listedKinds = { run: 'run', series: 'series', tuning: 'tuning', evaluation: 'attack' } as const

const statusTexts: Readonly<Record<JobKind, (status: JobView) => string>> = {
  run: ({ state }) => state,
  series: ({ members = [], items }) => finishedText(members, items?.total),
  tuning: ({ members = [] }) => finishedText(members, members.length),
  evaluation: ({ folder }) => attackState(folder).status,
}

/** A job's line in a list. */
export function listedRun(job: JobView): ListedRun {
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
  } = job
  const status = state === 'damaged' ? state : statusTexts[kind](job)
  const account = { created, iterations, queries, best, value, setting, seconds, problem }
  return { run, kind: listedKinds[kind], status, ...account, runs: members?.map(listedRun) }
}

function finishedText(members: readonly JobView[], total = members.length): string {
  return `${members.filter(({ state }) => state === 'finished').length} of ${total} finished`
}

/** What every table of runs begins with. */
export const runColumns: readonly Column<ListedRun>[] = [
  { title: 'run', cell: ({ run }) => plainText(run) },
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

const showExamples = `
Examples:
  $ zeroth show problem-auto-7
  $ zeroth show problem-auto-7 --json | python3 -m json.tool`

/** `zeroth show`: what a run, a series or an attack is and how far it is. */
export function showCommand(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, a series or an attack, or its name in zeroth-runs')
    .option('--json', 'print one JSON object')
    .addHelpText('after', showExamples)
    .action(async (given: string, { json }: { json?: boolean }) => {
      const folder = runPlace(given)
      const kind = kindOf(folder) ?? 'run'
      await shows[kind](folder, json === true)
    })
}

const shows: Readonly<Record<JobKind, (folder: string, json: boolean) => Promise<void>>> = {
  run: showRun,
  series: showSeries,
  tuning: showSeries,
  evaluation: async (folder, json) => print((await import('../perform-attack.ts')).shownAttack(folder, json)),
}

async function showRun(folder: string, json: boolean): Promise<void> {
  const { meta, status, result, problems, ...overview } = await readOverview(folder)
  for (const problem of problems) tell(`zeroth: ${problem}`)
  if (json) {
    const { iterations, queries, best, seconds } = overview
    const shown = { run: resolve(folder), status, meta, result, problems, iterations, queries, best, seconds }
    return print(JSON.stringify(jsonSafe(shown)))
  }
  const about = `status      ${status}\nbegan       ${meta.created} with zeroth ${meta.zeroth}`
  const tuned = isTuning(meta.spec) ? await (await import('../../jobs/tuned.ts')).readTuned(folder) : undefined
  const own = tuned === undefined ? undefined : (await import('../perform-tune.ts')).tunedText(tuned, folder)
  const ended = own ?? (result === undefined ? progressText(overview, folder) : resultText(result, folder))
  print(`${about}\n${ended}\n\n${JSON.stringify(meta.spec, null, 2)}`)
}

async function showSeries(folder: string, json: boolean): Promise<void> {
  const plan = await requirePlan(folder)
  const { value, setting, runs = [] } = listedRun(await viewJob(folder))
  if (json) return print(JSON.stringify(jsonSafe({ run: resolve(folder), ...plan, value, setting, runs })))
  const about = `${plan.kind === 'tune' ? 'tuning' : 'series'} of ${plan.created} with seeds ${plan.seeds.join(', ')}`
  const median = `median ${shortNumber(value ?? Number.NaN)} over the runs that have finished`
  const best =
    setting === undefined ? median : `best setting: ${setting}, mean ${shortNumber(value ?? Number.NaN)} over the seeds`
  print(
    `${about}\n${value === undefined ? '' : `${best}\n`}\n${textTable(runs, runColumns)}\n\n${JSON.stringify(plan.spec, null, 2)}`,
  )
}

/** How far a run is that has not ended. */
function progressText({ iterations, queries, best, seconds }: RunProgress, folder: string): string {
  const count = `${countText(queries)} in ${countText(iterations)} iterations`
  return `best        ${best}\nqueries     ${count}, ${millisecondsText(seconds * 1000)}\nrun         ${folder}`
}
