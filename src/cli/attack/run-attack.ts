import { resolve } from 'node:path'
import { rateLine } from '../../report/attack/attack-settings.ts'
import { completeEvaluationPage } from '../../report/index.ts'
import { counted } from '../../report/number-text.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readComparison } from '../../work/evaluation/compare-baseline.ts'
import { isWorthAnother } from '../../work/evaluation/screening.ts'
import {
  incompleteReason,
  measuredNothing,
  type StoredAttack,
  verdictOf,
  voidReason,
} from '../../work/evaluation/status.ts'
import { type Evaluation, readEvaluation } from '../../work/index.ts'
import { exitCodes } from '../explain-error.ts'
import { print } from '../output.ts'
import { plainText } from '../terminal-text.ts'
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

/** What a verdict means to scripts. */
const codes = {
  met: exitCodes.ok,
  below: exitCodes.belowThreshold,
  worse: exitCodes.belowThreshold,
  unjudged: exitCodes.failed,
} as const

/** Prints the result of an attack; returns the exit code. What is wrong with it is said on stderr, always. */
export function concludeAttack(attack: StoredAttack, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? attackJson(attack) : attackText(attack))
  const { report, record, folder } = attack
  sayIfFewer(attack, watching)
  sayOpen(attack, watching)
  const voided = voidReason(report)
  if (voided !== undefined) {
    watching.warn(`zeroth: the result is void: ${voided}; begin anew in another folder`)
    return exitCodes.failed
  }
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
  // What is known to be too low goes before what is not known: nothing that is missing could change it.
  const worst = Math.max(...[verdict, comparison].map((each) => codes[each?.kind ?? 'met']))
  if (worst === exitCodes.belowThreshold) return worst
  const incomplete = incompleteReason(record.spec, report)
  if (incomplete !== undefined) {
    const isOpen = report.images.some(isWorthAnother) || (report.canaries?.unanswered ?? 0) > 0
    const advice = isOpen ? `; zeroth resume ${folder} tries them again` : ''
    watching.warn(`zeroth: the evaluation is not complete: ${incomplete}${advice}`)
    return exitCodes.failed
  }
  return worst
}

/** There may be fewer images that can be attacked than were asked for. */
function sayIfFewer({ record, report }: StoredAttack, watching: Watcher): void {
  const { count } = record.spec
  const { attacked, skipped, failed, unfinished } = report.summary
  if (typeof count !== 'number' || attacked + unfinished >= count) return
  const { available } = record.images
  const why = `of the ${available} there are, ${skipped} were skipped and ${failed} failed`
  watching.warn(`warning: ${attacked + unfinished} of the ${count} images that --count asks for were attacked: ${why}`)
}

/** Images that are named with their reasons. */
const mostNamed = 3

/** Says which images tell nothing about the model, and why, of the first ones. */
function sayOpen({ report: { images } }: StoredAttack, watching: Watcher): void {
  const kinds = [
    ['failed', 'could not be used'],
    ['unfinished', 'did not finish'],
  ] as const
  for (const [status, what] of kinds) {
    const open = images.filter((image) => image.status === status)
    if (open.length === 0) continue
    const named = open.slice(0, mostNamed).map(({ title, reason }) => `${nameOf(title)}: ${reason}`)
    const more = open.length > mostNamed ? [`and ${open.length - mostNamed} more`] : []
    watching.warn(
      `warning: ${plainText(`${counted(open.length, 'image')} ${what}: ${[...named, ...more].join('; ')}`)}`,
    )
  }
}

/** A mere number says what it is the number of. */
function nameOf(title: string): string {
  return /^\d+$/.test(title) ? `image ${title}` : title
}
