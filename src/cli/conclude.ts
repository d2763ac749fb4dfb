import { resolve } from 'node:path'
import { jsonSafe } from '../core/json-safe.ts'
import type { RunResult } from '../trace/index.ts'
import {
  type AnyWork,
  type Evaluation,
  listWorks,
  type SeriesResult,
  type TuningResult,
  type WorkResults,
} from '../work/index.ts'
import { exitCodes } from './explain-error.ts'
import { print } from './output.ts'
import { resultJson, resultText, seriesJson, seriesText, tuningText } from './print-result.ts'
import { plainReason } from './terminal-text.ts'
import { sayInterrupted, type Watcher, type WatchFlags, watchWork } from './watch.ts'

type Conclude<Result> = (result: Result, folder: string, flags: WatchFlags, watching: Watcher) => number

type PlainWork = Exclude<AnyWork, Evaluation>

const conclusions: { readonly [Kind in PlainWork['kind']]: Conclude<WorkResults[Kind]> } = {
  run: concludeRun,
  series: concludeSeries,
  tuning: concludeTuning,
}

/** Performs a work, prints what it has found, and returns the exit code. */
export async function performWork(work: AnyWork, flags: WatchFlags, watching: Watcher): Promise<number> {
  // What draws its page is loaded where there is one to draw.
  if (work.kind === 'evaluation') return (await import('./attack/run-attack.ts')).runAttack(work, flags, watching)
  const result = await watchWork<unknown>(work, watching)
  if (work.kind === 'tuning') await completePages(work.folder)
  if (result === undefined) return sayInterrupted(work.folder, watching)
  const conclude = conclusions[work.kind] as Conclude<unknown>
  return conclude(result, work.folder, flags, watching)
}

/** Every evaluation that a tuning has finished gets its page. */
async function completePages(folder: string): Promise<void> {
  const evaluations = (await listWorks(folder)).filter(
    (each) => each.kind === 'evaluation' && each.state === 'finished',
  )
  if (evaluations.length === 0) return
  const { completeEvaluationPage } = await import('../report/index.ts')
  for (const each of evaluations) await completeEvaluationPage(each.folder)
}

/** Prints what a run has found and says what exit code it means. */
export function concludeRun(result: RunResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? resultJson(result, folder) : resultText(result, folder))
  const code = sayEnding(result, folder, watching)
  if (code === exitCodes.ok && flags.json !== true) watching.say(`\nzeroth report ${folder} writes its page`)
  return code
}

/** The same for the runs of a series. */
function concludeSeries(result: SeriesResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? seriesJson(result, folder) : seriesText(result, folder))
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
