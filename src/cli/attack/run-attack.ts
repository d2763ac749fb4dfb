import { resolve } from 'node:path'
import { rateLine } from '../../report/attack/attack-settings.ts'
import { completeEvaluationPage } from '../../report/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readComparison } from '../../work/evaluation/compare-baseline.ts'
import { measuredNothing, type StoredAttack, verdictOf } from '../../work/evaluation/status.ts'
import { type Evaluation, readEvaluation } from '../../work/index.ts'
import { exitCodes } from '../explain-error.ts'
import { print } from '../output.ts'
import { sayInterrupted, type Watcher, type WatchFlags, watchWork } from '../watch.ts'
import type { CiWork } from './ci-options.ts'
import { attackJson, attackText } from './print-attack.ts'

/**
 * Performs an evaluation and prints its result; returns the exit code. One that has finished asks nothing, unless images
 * failed because the model did not respond: those are tried again.
 */
export async function runAttack(
  evaluation: Evaluation,
  flags: WatchFlags,
  watching: Watcher,
  ci?: CiWork,
): Promise<number> {
  const { folder, record } = evaluation
  const { spec, rateSource } = record
  const rate = evaluation.result() === undefined ? rateLine(spec.solver as JsonObject, rateSource) : undefined
  if (rate !== undefined) watching.say(rate)
  const report = await watchWork(evaluation, watching)
  if (report === undefined) {
    if (flags.json === true) print(JSON.stringify({ status: 'aborted', run: resolve(folder) }))
    return sayInterrupted(folder, watching)
  }
  const attack = readEvaluation(folder)
  ci?.compare(attack)
  await completeEvaluationPage(folder)
  ci?.write(attack)
  return concludeAttack(attack, flags, watching)
}

const codes = {
  met: exitCodes.ok,
  below: exitCodes.belowThreshold,
  worse: exitCodes.belowThreshold,
  unjudged: exitCodes.failed,
} as const

/** Prints the result of an attack; returns the exit code. */
export function concludeAttack(attack: StoredAttack, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? attackJson(attack) : attackText(attack))
  const { report, record } = attack
  sayIfFewer(attack, watching)
  const verdict = verdictOf(record.spec, report)
  if (verdict?.kind === 'unjudged') watching.warn(`--fail-under cannot be judged: ${verdict.why}`)
  if (measuredNothing(report.images)) {
    watching.warn(
      `zeroth: ${report.images.length === 0 ? 'there are no images' : 'every image failed'}: nothing was measured`,
    )
    return exitCodes.failed
  }
  const comparison = readComparison(attack.folder)
  if (comparison?.kind === 'unjudged') {
    watching.warn('--baseline cannot be judged: too few of its images could be measured')
  }
  // What is known to be too low goes before what is not known.
  return Math.max(...[verdict, comparison].map((each) => codes[each?.kind ?? 'met']))
}

/** There may be fewer images that can be attacked than were asked for. */
function sayIfFewer({ record, report }: StoredAttack, watching: Watcher): void {
  const { count } = record.spec
  const { attacked } = report.summary
  if (typeof count !== 'number' || attacked >= count) return
  watching.say(`notice: ${attacked} of the ${count} images that --count asks for were attacked`)
}
