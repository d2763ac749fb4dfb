import { appendFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import { className } from '../../robustness/images/index.ts'
import {
  type AttackReport,
  type AttackSummary,
  changeIn,
  type ImageRecord,
  type MeanMedian,
} from '../../robustness/index.ts'
import { isWorthAnother, layout } from '../jobs/evaluation/attack-files.ts'
import { type AttackRecord, readAttack } from '../jobs/evaluation/attack-record.ts'
import {
  baselineOf,
  comparableSettings,
  readBaseline,
  refuseDifferences,
  settingDifferences,
  writeBaseline,
} from '../jobs/evaluation/baseline.ts'
import { compareBaseline, keepComparison, readComparison } from '../jobs/evaluation/compare-baseline.ts'
import {
  type AttackState,
  attackState,
  incompleteReason,
  judgementsOf,
  measuredNothing,
  readEvaluation,
  type StoredAttack,
  type Verdict,
  verdictOf,
  voidReason,
} from '../jobs/evaluation/status.ts'
import { isFolder } from '../jobs/folders.ts'
import type { Evaluation } from '../jobs/index.ts'
import { comparisonSentence, limitName, limitsText, rateLine, settingsOf } from '../report/attack/settings.ts'
import { counted, countText } from '../report/number-text.ts'
import { shortNumber } from '../report/table.ts'
import type { JsonObject } from '../spec/index.ts'
import { writeWholeFile } from '../store/index.ts'
import { fraction } from './option-values.ts'
import { output, print } from './program.ts'
import {
  exitCodes,
  millisecondsText,
  paint,
  percent,
  plainText,
  sayInterrupted,
  type Watcher,
  type WatchFlags,
  watchJob,
} from './terminal.ts'

/**
 * Performs an evaluation and prints its result; returns the exit code. One that has finished asks nothing, unless images
 * failed because the model did not respond: those are tried again.
 */
export async function runAttack(
  evaluation: Evaluation,
  flags: WatchFlags,
  watching: Watcher,
  ci?: CiReports,
): Promise<number> {
  const { folder, record } = evaluation
  const { spec, rateSource } = record
  const rate = evaluation.result() === undefined ? rateLine(spec.solver as JsonObject, rateSource) : undefined
  if (rate !== undefined) watching.say(rate)
  const report = await watchJob(evaluation, watching)
  if (report === undefined) {
    if (flags.json === true) print(JSON.stringify({ status: 'aborted', run: resolve(folder) }))
    return sayInterrupted(folder, watching)
  }
  const attack = readEvaluation(folder)
  ci?.compare(attack)
  // Loaded if there is a page to draw: showing a result must not wait for it.
  const { completeEvaluationPage } = await import('../report/attack/write-pages.ts')
  await completeEvaluationPage(folder)
  await ci?.write(attack)
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
  const { attacked, skipped, failed, unfinished, unconfirmed } = report.summary
  const begun = attacked + unfinished + unconfirmed
  if (typeof count !== 'number' || begun >= count) return
  const { available } = record.images
  const left = available - begun - skipped - failed
  // Where the model errs on nearly all images, the others are not asked for.
  const rest = left > 0 ? `; the other ${countText(left)} were not looked at, as the model errs on nearly all` : ''
  const why = `of the ${countText(available)} there are, ${skipped} were skipped and ${failed} failed${rest}`
  watching.warn(`warning: ${begun} of the ${count} images that --count asks for were attacked: ${why}`)
}

/** Images that are named with their reasons on stderr. */
const mostReasons = 3

/** Says which images tell nothing about the model, and why, of the first ones. */
function sayOpen({ report: { images } }: StoredAttack, watching: Watcher): void {
  const kinds = [
    ['failed', 'could not be used'],
    ['unfinished', 'did not finish'],
    ['unconfirmed', 'could not be confirmed'],
  ] as const
  for (const [status, what] of kinds) {
    const open = images.filter((image) => image.status === status)
    if (open.length === 0) continue
    const named = open.slice(0, mostReasons).map(({ title, reason }) => `${nameOf(title)}: ${reason}`)
    const more = open.length > mostReasons ? [`and ${open.length - mostReasons} more`] : []
    watching.warn(
      `warning: ${plainText(`${counted(open.length, 'image')} ${what}: ${[...named, ...more].join('; ')}`)}`,
    )
  }
}

/** A mere number says what it is the number of. */
function nameOf(title: string): string {
  return /^\d+$/.test(title) ? `image ${title}` : title
}

/** Images that are named one by one: those that failed may want mending. */
const mostNamed = { skipped: 3, failed: 10, unfinished: 10, unconfirmed: 10 } as const

/** Kinds of confusion that are named. */
const mostConfusions = 4

/** An attack as one line of JSON; of one that has not finished, how far it is. */
export function attackJson(
  { folder, record, report }: StoredAttack,
  { status, done }: Pick<AttackState, 'status' | 'done'> = { status: endOf(report) },
): string {
  const { summary, universal, canaries, noise, warnings } = report
  const names = record.images.classNames
  const images = report.images.map(({ curve: _, ...image }) => ({
    ...image,
    labelName: className(image.label, names),
    predictedName: className(image.predicted, names),
    targetName: className(image.target, names),
    savedName: className(image.saved?.predicted, names),
  }))
  const run = resolve(folder)
  const files = { run, report: join(run, layout.page) }
  const baseline = readComparison(folder)
  return JSON.stringify(
    jsonSafe({
      ...{ status, done, summary, images, universal, canaries, noise, warnings, baseline },
      ...files,
      settings: settingsOf(record),
    }),
  )
}

/** How an attack that ended by itself stands. */
function endOf(report: AttackReport): string {
  if (voidReason(report) !== undefined) return 'void'
  const { unfinished, unconfirmed } = report.summary
  return unfinished + unconfirmed > 0 ? 'unfinished' : 'finished'
}

/** An attack that has finished, for people. */
export function attackText({ folder, record, report, seconds }: StoredAttack): string {
  const { summary, images, universal, warnings } = report
  const { bold } = paint(output)
  const rows: [title: string, text: string][] = [
    ...mixRows(record, images),
    ['clean accuracy', share(summary.cleanAccuracy, `of ${counted(summary.looked, 'image')}`)],
    ['robust accuracy', bold(share(summary.robustAccuracy, robustText(summary, oneJudgement(record.spec, report))))],
    ...(summary.meaning === undefined ? [] : [['', summary.meaning] as [string, string]]),
    ...limitRows(record.spec, report),
    ...openRows(summary),
    ['within', limitsText(record.spec)],
    ['attack success', successText(summary)],
    ...(summary.fooled === 0 ? [] : successRows(summary, images, record.images.classNames)),
    ['queries', queriesText(summary)],
    ...(seconds === undefined ? [] : [['time', millisecondsText(seconds * 1000)] as [string, string]]),
  ]
  const voided = voidReason(report)
  if (voided !== undefined) rows.unshift(['VOID', bold(plainText(voided))])
  rows.push(...baselineRows(folder))
  if (universal !== null) rows.push(['universal', `one perturbation for ${counted(universal.images, 'image')}`])
  if (summary.failedQueries > 0) rows.push(['failed queries', failedText(summary)])
  for (const status of Object.keys(mostNamed) as (keyof typeof mostNamed)[]) rows.push(...leftOut(images, status))
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['run', folder], ['report', join(folder, layout.page)])
  return rows.map(([title, text]) => `${title.padEnd(17)}${text}`).join('\n')
}

/** Classes that are counted one by one. */
const mostCounted = 5

/** Which images these are: how many of those there are, and of which classes; nothing if none has a label. */
function mixRows(
  { images: { available, classNames } }: AttackRecord,
  images: readonly ImageRecord[],
): [string, string][] {
  const counts = new Map<number, number>()
  for (const { label } of images) if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1)
  if (counts.size === 0) return []
  const sizes = [...counts.values()]
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  const each = least === most ? `${countText(most)} each` : `${countText(least)} to ${countText(most)} each`
  const named = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([label, count]) => {
      return `${plainText(className(label, classNames) ?? `class ${label}`)} ${countText(count)}`
    })
  const classes = counts.size > mostCounted ? `${countText(counts.size)} classes, ${each}` : named.join(', ')
  return [['images', `${countText(images.length)} of ${countText(available)}: ${classes}`]]
}

function failedText({ failedQueries, retries }: AttackSummary): string {
  return `${countText(failedQueries)} brought no answer; ${countText(retries)} ${retries === 1 ? 'was' : 'were'} asked again`
}

/** How far the images that were fooled are from the originals, and what they are taken for. */
function successRows(summary: AttackSummary, images: readonly ImageRecord[], names: ClassNames): [string, string][] {
  const taken = confusions(images, names)
  return [
    ['saved PNGs', share(summary.success8bit, 'of those attacked still fool the model as saved')],
    ['first success', `${spread(summary.firstSuccessQueries)} queries`],
    ['l2', `${spread(summary.bestL2)}, of the best success`],
    ['linf', `${spread(summary.bestLinf)}, of the best success`],
    ...(taken === '' ? [] : [['misclassified', taken] as [string, string]]),
  ]
}

type ClassNames = readonly string[] | undefined

/** The most frequent confusions by name, where classes have names. */
function confusions(images: readonly ImageRecord[], names: ClassNames): string {
  if (names === undefined) return ''
  const counts = new Map<string, number>()
  for (const image of images) {
    const { status, label } = image
    const after = changeIn(image)?.predicted
    if (status !== 'fooled' || label === null || after === undefined) continue
    const key = plainText(`${className(label, names) ?? label} -> ${className(after, names) ?? after}`)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const more = sorted.length - mostConfusions
  const some = sorted.slice(0, mostConfusions).map(([key, count]) => (count > 1 ? `${key} (${count})` : key))
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Robust accuracy within each of several limits, with what is demanded there. */
function limitRows(spec: JsonObject, report: AttackReport): [string, string][] {
  const judgements = Array.isArray(spec.failUnder) ? judgementsOf(spec, report) : []
  return (report.summary.limits ?? []).map((limit) => {
    const { verdict } = judgements.find((each) => each.limit === limit) ?? {}
    const [low, high] = limit.robustAccuracyInterval
    const accuracy = share(limit.robustAccuracy, `(95 % interval ${percent(low)} to ${percent(high)})`)
    // None of its own: what larger limits showed was enough.
    const effort = limit.queries === 0 ? 'known from larger limits' : `${countText(limit.queries)} queries in all`
    const counts = `${countText(limit.fooled)} fooled, ${effort}`
    return [
      `  ${limitName(limit)}`,
      `${accuracy}, ${counts}${verdict === undefined ? '' : `, ${verdictText(verdict)}`}`,
    ]
  })
}

/** Robust accuracy beside that of a baseline, and the images that were robust in it; nothing where there is none. */
function baselineRows(folder: string): [string, string][] {
  const { limits = [], images } = readComparison(folder) ?? {}
  return limits.flatMap((limit): [string, string][] => {
    const { regressions, improved } = limit
    const named = regressions.slice(0, mostNamed.failed).map(({ title, now }) => `- ${plainText(title)}: ${now}`)
    const more = regressions.length - named.length
    const changes = `${countText(regressions.length)} no longer robust, ${countText(improved)} newly robust`
    const lines = [...named, ...(more > 0 ? [`and ${countText(more)} more`] : [])]
    const sentence = comparisonSentence(limit, images).replaceAll('\u00a0', ' ')
    return [['baseline', `${sentence}; ${changes}`], ...lines.map((line): [string, string] => ['', line])]
  })
}

/** What is demanded where it is one thing; that of several limits stands beside each. */
function oneJudgement(spec: JsonObject, report: AttackReport): Verdict | undefined {
  return Array.isArray(spec.failUnder) ? undefined : verdictOf(spec, report)
}

function robustText({ looked, limits }: AttackSummary, verdict: Verdict | undefined): string {
  const images = `of ${counted(looked, 'image')}${limits === undefined ? '' : ', within the largest limit'}`
  if (verdict === undefined) return images
  return `${images}, ${verdictText(verdict)}`
}

function verdictText(verdict: Verdict): string {
  const required = `the required ${percent(verdict.failUnder)}`
  if (verdict.kind === 'unjudged') return `cannot be held against ${required}: ${verdict.why}`
  return `${verdict.kind === 'met' ? 'meets' : 'FAILS'} ${required}`
}

/** Queries within the budgets, and what was asked beside them. */
function queriesText({ queries, confirmations, modelCalls }: AttackSummary): string {
  const again = confirmations.successes + confirmations.clean
  const confirmed = again === 0 ? '' : `${countText(again)} to confirm; `
  return `${countText(queries)}; ${confirmed}${counted(modelCalls, 'model call')} including screening`
}

/** What the robust accuracy may still become, where images could not be measured. */
function openRows({
  looked,
  unfinished,
  unconfirmed,
  failed,
  robustAccuracyBounds: bounds,
}: AttackSummary): [string, string][] {
  if (looked === 0 || unfinished + unconfirmed + failed === 0 || bounds === undefined) return []
  const [least, most] = bounds.map(percent)
  return [['', `so far: from ${least} to ${most} with the images that are missing`]]
}

function successText({ attackSuccessRate, attackSuccessInterval, fooled, attacked }: AttackSummary): string {
  if (attacked === 0) return 'no image was attacked'
  const [low, high] = attackSuccessInterval
  const interval = `95 % interval ${percent(low)} to ${percent(high)}`
  return `${percent(attackSuccessRate)}, ${countText(fooled)} of ${counted(attacked, 'image')} (${interval})`
}

/** Which images were left out, and why. */
function leftOut(images: readonly ImageRecord[], status: keyof typeof mostNamed): [string, string][] {
  const left = images.filter((image) => image.status === status)
  const named = left
    .slice(0, mostNamed[status])
    // The mark keeps a title such as ::error:: from being a command to the program that keeps the log.
    .map((image): [string, string] => ['', `- ${plainText(`${image.title}: ${image.reason}`)}`])
  const more = left.length - named.length
  if (left.length === 0) return []
  const rest: [string, string][] = more > 0 ? [['', `and ${countText(more)} more; images.csv has all of them`]] : []
  const fooled = status === 'unfinished' ? left.filter(({ first }) => first !== null).length : 0
  const soFar = fooled === 0 ? '' : `, ${countText(fooled)} of them fooled so far`
  return [[status, `${countText(left.length)}${soFar}`], ...named, ...rest]
}

function spread({ median, mean }: MeanMedian): string {
  return `median ${shortNumber(median)}, mean ${shortNumber(mean)}`
}

function share(fraction: number, of: string): string {
  return Number.isNaN(fraction) ? 'unknown' : `${percent(fraction)} ${of}`
}

/** What an attack is and how far; of one that has not finished, the results of the images that are done. */
export function shownAttack(folder: string, json: boolean): string {
  const record = readAttack(folder)
  const state = attackState(folder)
  const isKnown = state.done === undefined || (state.done.images > 0 && record.spec.universal !== true)
  if (json) return isKnown ? attackJson(readEvaluation(folder), state) : unknownJson(folder, record, state)
  const rows = [
    ['status', state.status],
    ['began', `${record.created} with zeroth ${record.zeroth}`],
    ...(state.done === undefined ? [] : [['so far', soFar(record, state.done)]]),
  ]
  const about = rows.map(([title = '', text]) => `${title.padEnd(17)}${text}`).join('\n')
  const results = isKnown ? `\n${attackText(readEvaluation(folder))}` : ''
  return `${about}${results}\n\n${JSON.stringify(record.spec, null, 2)}`
}

function soFar({ spec }: AttackRecord, { images, of }: NonNullable<AttackState['done']>): string {
  if (spec.universal === true) return 'one perturbation for all images: its result is known at the end'
  if (images === 0) return 'no image is done: there is nothing to say about the model yet'
  return `${images} of ${of} images ${images === 1 ? 'is' : 'are'} done; what follows is about ${images === 1 ? 'it' : 'those'} alone`
}

function unknownJson(folder: string, record: AttackRecord, { status, done }: AttackState): string {
  const nothing = { summary: null, images: [], universal: null, warnings: [] }
  return JSON.stringify(jsonSafe({ status, done, ...nothing, run: resolve(folder), settings: settingsOf(record) }))
}

/** Files for other programs, and what an evaluation is compared with. */
export interface CiFlags {
  readonly junit?: string
  readonly sarif?: string
  /** Whether a summary is wanted; where that is not said, one is written where there is a place for it. */
  readonly githubSummary?: boolean
  readonly baseline?: string
  readonly tolerance?: number
  readonly writeBaseline?: string
}

/** Adds the options for continuous integration. */
export function withCiOptions(command: Command): Command {
  return command
    .optionsGroup('For CI:')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--sarif <file>', 'write what was found as SARIF 2.1.0')
    .option('--github-summary', 'append a Markdown summary to $GITHUB_STEP_SUMMARY (default: where that is set)')
    .option('--no-github-summary', 'no summary, also where $GITHUB_STEP_SUMMARY is set')
    .option(
      '--baseline <file>',
      'an earlier evaluation: its folder, its summary.json or a file of --write-baseline; where the robust accuracy is worse the exit code is 3',
    )
    .option('--tolerance <n>', 'by how much it may be lower than that of --baseline (default: 0)', fraction)
    .option('--write-baseline <file>', 'write what later evaluations can be compared with')
}

/** What is done for CI when an evaluation has finished. */
interface CiReports {
  /** Compares it with the baseline; the page and the console show that. */
  compare(attack: StoredAttack): void
  /** Writes the files. */
  write(attack: StoredAttack): Promise<void>
}

/** Checks what can be checked before anything is asked: the baseline, and that files can be written. */
export function ciReports(flags: CiFlags, spec: JsonObject, env = process.env): CiReports {
  const { junit, sarif, baseline: file, tolerance, writeBaseline: target } = flags
  if (tolerance !== undefined && file === undefined) {
    throw new ZerothError('invalid-option', '--tolerance needs --baseline: the file to compare with')
  }
  if (tolerance !== undefined && !(tolerance >= 0 && tolerance <= 1)) {
    throw new ZerothError('invalid-option', `--tolerance must be from 0 to 1, got ${tolerance}`)
  }
  const summary = summaryFile(flags, env)
  checkPlaces({ '--junit': junit, '--sarif': sarif, '--write-baseline': target, $GITHUB_STEP_SUMMARY: summary })
  const before = file === undefined ? undefined : readBaseline(file)
  if (before !== undefined) refuseDifferences(settingDifferences(before, comparableSettings(spec, 'given')), file ?? '')
  return {
    compare(attack) {
      if (before === undefined || file === undefined) return
      keepComparison(attack.folder, compareBaseline(before, attack, { file, tolerance: tolerance ?? 0 }))
    },
    async write(attack) {
      if (target !== undefined) writeBaseline(target, baselineOf(attack))
      if ([junit, sarif, summary].every((each) => each === undefined)) return
      const { githubSummary, junitXml, sarifJson } = await import('../report/ci.ts')
      const checked = { ...attack, comparison: readComparison(attack.folder) }
      if (junit !== undefined) writeWholeFile(junit, junitXml(checked))
      if (sarif !== undefined) writeWholeFile(sarif, sarifJson(checked))
      if (summary !== undefined) appendFileSync(summary, githubSummary(checked))
    },
  }
}

function summaryFile({ githubSummary: wanted }: CiFlags, env: NodeJS.ProcessEnv): string | undefined {
  const file = env.GITHUB_STEP_SUMMARY ?? ''
  if (wanted === false) return undefined
  if (file !== '') return file
  if (wanted !== true) return undefined
  throw new ZerothError('invalid-option', '--github-summary: $GITHUB_STEP_SUMMARY is not set; set it to a file')
}

/** An evaluation of hours must not end with a file that cannot be written. */
function checkPlaces(files: Readonly<Record<string, string | undefined>>): void {
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue
    if (isFolder(file)) throw new ZerothError('invalid-option', `${option} must be a file, ${file} is a folder`)
    if (!isFolder(dirname(file))) {
      throw new ZerothError('invalid-option', `${option} ${file}: there is no folder ${dirname(file)}`)
    }
  }
}
