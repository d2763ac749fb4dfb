import { resolve } from 'node:path'
import { summarize } from '../../index.ts'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import { flatPoint } from '../../optimizer/core/variables.ts'
import {
  type AnyJob,
  type Evaluation,
  type JobResults,
  listJobs,
  type Repeat,
  type RepeatsResult,
  type TuningResult,
} from '../jobs/index.ts'
import { isTuning } from '../jobs/job.ts'
import { settingTitle } from '../jobs/tuning.ts'
import { counted, countText, variableValue } from '../report/number-text.ts'
import { shortNumber, textTable } from '../report/table.ts'
import type { RunResult } from '../store/index.ts'
import { output, print } from './program.ts'
import {
  exitCodes,
  millisecondsText,
  paint,
  plainReason,
  plainText,
  sayInterrupted,
  type Watcher,
  type WatchFlags,
  watchJob,
} from './terminal.ts'

type Conclude<Result> = (result: Result, folder: string, flags: WatchFlags, watching: Watcher) => number

type PlainJob = Exclude<AnyJob, Evaluation>

const conclusions: { readonly [Kind in PlainJob['kind']]: Conclude<JobResults[Kind]> } = {
  run: concludeRun,
  series: concludeRepeats,
  tuning: concludeTuning,
}

/** Performs a job, prints what it has found, and returns the exit code. */
export async function performJob(job: AnyJob, flags: WatchFlags, watching: Watcher): Promise<number> {
  // What draws its page is loaded where there is one to draw.
  if (job.kind === 'evaluation') return (await import('./perform-attack.ts')).runAttack(job, flags, watching)
  const result = await watchJob<unknown>(job, watching)
  if (job.kind === 'tuning') await completePages(job.folder)
  if (result === undefined) return sayInterrupted(job.folder, watching)
  if (job.kind === 'run' && isTuning(job.spec)) {
    return (await import('./perform-tune.ts')).concludeTuning(result as RunResult, job.folder, flags, watching)
  }
  const conclude = conclusions[job.kind] as Conclude<unknown>
  return conclude(result, job.folder, flags, watching)
}

/** Every evaluation that a tuning has finished gets its page. */
async function completePages(folder: string): Promise<void> {
  const evaluations = (await listJobs(folder)).filter((each) => each.kind === 'evaluation' && each.state === 'finished')
  if (evaluations.length === 0) return
  const { completeEvaluationPage } = await import('../report/attack/write-pages.ts')
  for (const each of evaluations) await completeEvaluationPage(each.folder)
}

/** Prints what a run has found and says what exit code it means. */
export function concludeRun(result: RunResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  const isEmpty = result.status === 'failed' && Number.isNaN(result.value)
  if (flags.json === true) print(resultJson(result, folder))
  // Why it failed says all there is to say.
  else if (!isEmpty) print(resultText(result, folder))
  const code = sayEnding(result, folder, watching)
  if (code === exitCodes.ok && flags.json !== true)
    watching.say(`\nnext: zeroth report ${folder} writes an HTML report`)
  return code
}

/** The same for the runs of a series. */
function concludeRepeats(result: RepeatsResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? repeatsJson(result, folder) : repeatsText(result, folder))
  if (result.status === 'aborted') return sayInterrupted(folder, watching)
  return Math.max(...result.members.map((each) => sayEnding(each.result, each.folder, watching)))
}

/** The same for a tuning. */
function concludeTuning(result: TuningResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  const { json } = flags
  if (result.status === 'interrupted') {
    const { tried } = result
    if (json === true) print(JSON.stringify(jsonSafe({ status: 'aborted', tried, run: resolve(folder) })))
    return sayInterrupted(folder, watching)
  }
  print(json === true ? JSON.stringify(jsonSafe({ ...result, run: resolve(folder) })) : tuningText(result, folder))
  return exitCodes.ok
}

/** Says how a run ended beside its result; returns the exit code. */
function sayEnding({ status, error = 'the run failed' }: RunResult, folder: string, watching: Watcher): number {
  if (status === 'aborted') return sayInterrupted(folder, watching)
  if (status === 'finished') return exitCodes.ok
  watching.warn(`zeroth: ${plainReason(error)}; zeroth resume ${folder} asks again`)
  return exitCodes.failed
}

/** A run that has ended as one line of JSON: what was found, the account, where it is, and its hash. */
export function resultJson(result: RunResult, folder: string): string {
  return JSON.stringify(jsonSafe({ ...result, run: resolve(folder) }))
}

/** A run that has ended, for people. */
export function resultText(result: RunResult, folder: string): string {
  const { value, queries, iterations, stopReason, seconds, failures, warnings, retries, cacheHits, hash } = result
  const rows: [title: string, text: string][] = [
    ['value', paint(output).bold(String(value))],
    ...estimateRows(result),
    ...pointRows(result),
    ['queries', `${countText(queries)} in ${countText(iterations)} iterations, ${millisecondsText(seconds * 1000)}`],
    ['stopped by', stopperText(stopReason)],
  ]
  for (const { method, queries: asked, value: reached, why } of result.phases ?? []) {
    if (asked === 0) continue
    // Where answers vary, the result is an answer asked again, and above the luckiest one.
    const down = reached < value ? 'lowest answer' : 'down to'
    rows.push(['phase', `${method}: ${countText(asked)} queries, ${down} ${shortNumber(reached)}; ${why}`])
  }
  if (failures.count > 0)
    rows.push(['failures', `${countText(failures.count)}, the first: ${plainReason(failures.first ?? 'unknown')}`])
  if (retries > 0) rows.push(['retries', countText(retries)])
  if (cacheHits > 0) rows.push(['cache hits', countText(cacheHits)])
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['hash', hash], ['run', folder])
  return rows.map(([title, text]) => `${title.padEnd(12)}${text}`).join('\n')
}

/** What ended a run, in the word that is used for it everywhere else. */
const stopperText = (reason: string): string => (reason === 'aborted' ? 'interruption' : reason)

/** What is known of the value where answers vary: it is one of them. */
function estimateRows({ estimate }: RunResult): [title: string, text: string][] {
  if (estimate === undefined) return []
  const { mean, error, answers } = estimate
  return [['', `mean ${shortNumber(mean)} +- ${shortNumber(error)} of ${counted(answers, 'answer')} at this point`]]
}

/** Variables with names that are listed, one per line. */
const mostListed = 30

function pointRows({ point, variables }: RunResult): [title: string, text: string][] {
  const named = flatPoint(variables ?? {})
  if (named.length === 0) return [['point', shortPoint(point)]]
  const width = Math.max(...named.slice(0, mostListed).map(([name]) => name.length))
  const rows = named.slice(0, mostListed).map(([name, value], i): [string, string] => {
    return [i === 0 ? 'point' : '', `${plainText(name).padEnd(width)}  ${plainText(variableValue(value, sixDigits))}`]
  })
  return named.length > mostListed ? [...rows, ['', `... ${countText(named.length)} in all`]] : rows
}

function sixDigits(value: number): string {
  return String(Number(value.toPrecision(6)))
}

function shortPoint(point: readonly number[]): string {
  const shown = point.slice(0, 6).map(sixDigits)
  return `[${shown.join(', ')}${point.length > 6 ? `, ... ${countText(point.length)} in all` : ''}]`
}

/** Several runs as one line of JSON: their statistics, the best of them, and each of them without its points. */
function repeatsJson({ status, members, planned }: RepeatsResult, folder: string): string {
  const best = bestOf(members)
  const runs = members.map(({ result: { point: _, last: __, variables: ___, ...rest }, folder: run }) => ({
    ...rest,
    run: resolve(run),
  }))
  const all = { status, ...statistics(members), best: { ...best.result, run: resolve(best.folder) }, runs, planned }
  return JSON.stringify(jsonSafe({ ...all, run: resolve(folder) }))
}

/** Several runs for people. */
function repeatsText({ members }: RepeatsResult, folder: string): string {
  const { value } = statistics(members)
  const table = textTable(members, [
    { title: 'seed', align: 'right', cell: ({ result }) => String(result.seed) },
    { title: 'value', align: 'right', cell: ({ result }) => shortNumber(result.value) },
    { title: 'queries', align: 'right', cell: ({ result }) => String(result.queries) },
    { title: 'stopped by', cell: ({ result }) => stopperText(result.stopReason) },
  ])
  const best = bestOf(members)
  const spread = `median ${shortNumber(value.median)}, mean ${shortNumber(value.mean)} +- ${shortNumber(value.deviation)}`
  const summary = `value: ${spread}; best ${shortNumber(best.result.value)} with seed ${best.result.seed}`
  return [table, '', summary, `runs:  ${folder}`].join('\n')
}

function statistics(members: readonly Repeat[]) {
  const of = (field: 'value' | 'queries' | 'iterations') => summarize(members.map(({ result }) => result[field]))
  return { value: of('value'), queries: of('queries'), iterations: of('iterations') }
}

function bestOf(members: readonly Repeat[]): Repeat {
  return members.reduce((best, each) =>
    each.result.value < best.result.value || Number.isNaN(best.result.value) ? each : best,
  )
}

/** What a search found, for people: all that was tried, by learning rate, and how to use the best of it. */
export function tuningText(found: Extract<TuningResult, { status: 'finished' }>, folder: string): string {
  const { tried, best, solver } = found
  const table = textTable(
    tried.toSorted((a, b) => a.learningRate - b.learningRate),
    [
      { title: 'learning rate', align: 'right', cell: ({ learningRate }) => String(learningRate) },
      { title: 'beta1', align: 'right', cell: ({ beta1 }) => String(beta1 ?? '') },
      { title: 'beta2', align: 'right', cell: ({ beta2 }) => String(beta2 ?? '') },
      { title: 'mean value', align: 'right', cell: ({ value }) => shortNumber(value) },
      { title: '', cell: (each) => (each === best ? 'best' : '') },
    ],
  )
  const { beta1, beta2 } = best
  const betas = beta1 === undefined ? '' : ` -O solver.beta1=${beta1} -O solver.beta2=${beta2}`
  return [
    table,
    '',
    `best:  ${settingTitle(best)}`,
    `use:   --solver ${solver.name} ${rateOptions(solver.learningRate)}${betas}`,
    `runs:  ${folder}`,
  ].join('\n')
}

/** How the command line says a learning rate; one with a decay is two keys of the spec. */
function rateOptions(rate: unknown): string {
  if (typeof rate !== 'object' || rate === null) return `--learning-rate ${rate}`
  return Object.entries(rate)
    .map(([key, value]) => `-O solver.learningRate.${key}=${value}`)
    .join(' ')
}
