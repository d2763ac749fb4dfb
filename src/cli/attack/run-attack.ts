import { resolve } from 'node:path'
import { rateLine } from '../../report/attack/attack-settings.ts'
import { completeEvaluationPage } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { type Evaluation, readEvaluation } from '../../work/index.ts'
import { print } from '../output.ts'
import { sayInterrupted, type Watcher, type WatchFlags, watchWork } from '../watch.ts'
import { concludeAttack } from './conclude-attack.ts'

/**
 * Performs an evaluation and prints its result; returns the exit code. One that has finished asks nothing, unless images
 * failed because the model did not respond: those are tried again.
 */
export async function runAttack(evaluation: Evaluation, flags: WatchFlags, watching: Watcher): Promise<number> {
  const { folder, record } = evaluation
  const { spec, rateSource } = record
  const rate = evaluation.result() === undefined ? rateLine(spec.solver as JsonObject, rateSource) : undefined
  if (rate !== undefined) watching.say(rate)
  const report = await watchWork(evaluation, watching)
  if (report === undefined) {
    if (flags.json === true) print(JSON.stringify({ status: 'aborted', run: resolve(folder) }))
    return sayInterrupted(folder, watching)
  }
  await completeEvaluationPage(folder)
  return concludeAttack(readEvaluation(folder), flags, watching)
}
