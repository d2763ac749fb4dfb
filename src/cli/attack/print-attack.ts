import { join, resolve } from 'node:path'
import type { AttackReport, AttackSummary, ImageRecord, MeanMedian } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { className } from '../../datasets/index.ts'
import { limitName, limitsText, settingsOf } from '../../report/attack/attack-settings.ts'
import { comparisonSentence } from '../../report/attack/baseline-text.ts'
import { counted, countText } from '../../report/number-text.ts'
import { shortNumber } from '../../report/table.ts'
import type { JsonObject } from '../../spec/index.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type AttackRecord, readAttack } from '../../work/evaluation/attack-record.ts'
import { readComparison } from '../../work/evaluation/compare-baseline.ts'
import {
  type AttackState,
  attackState,
  judgementsOf,
  readEvaluation,
  type StoredAttack,
  type Verdict,
  verdictOf,
  voidReason,
} from '../../work/evaluation/status.ts'
import { output } from '../output.ts'
import { millisecondsText, paint, percent, plainText } from '../terminal-text.ts'

/** Images that are named one by one: those that failed may want mending. */
const mostNamed = { skipped: 3, failed: 10, unfinished: 10 } as const

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
  return report.summary.unfinished > 0 ? 'unfinished' : 'finished'
}

/** An attack that has finished, for people. */
export function attackText({ folder, record, report, seconds }: StoredAttack): string {
  const { summary, images, universal, warnings } = report
  const { bold } = paint(output)
  const rows: [title: string, text: string][] = [
    ['clean accuracy', share(summary.cleanAccuracy, `of ${counted(summary.looked, 'image')}`)],
    ['robust accuracy', bold(share(summary.robustAccuracy, robustText(summary, oneJudgement(record.spec, report))))],
    ...(summary.meaning === undefined ? [] : [['', summary.meaning] as [string, string]]),
    ...limitRows(record.spec, report),
    ...openRows(summary),
    ['within', limitsText(record.spec)],
    ['attack success', successText(summary)],
    ...(summary.fooled === 0 ? [] : successRows(summary, images, record.images.classNames)),
    ['queries', `${countText(summary.queries)}, ${counted(summary.modelCalls, 'image')} classified in all`],
    ...(seconds === undefined ? [] : [['time', millisecondsText(seconds * 1000)] as [string, string]]),
  ]
  const voided = voidReason(report)
  if (voided !== undefined) rows.unshift(['VOID', bold(plainText(voided))])
  rows.push(...baselineRows(folder))
  if (universal !== null) rows.push(['universal', `one perturbation for ${counted(universal.images, 'image')}`])
  if (summary.failedQueries > 0) rows.push(['failed queries', failedText(summary)])
  rows.push(...leftOut(images, 'skipped'), ...leftOut(images, 'failed'), ...leftOut(images, 'unfinished'))
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['run', folder], ['report', join(folder, layout.page)])
  return rows.map(([title, text]) => `${title.padEnd(17)}${text}`).join('\n')
}

function failedText({ failedQueries, retries }: AttackSummary): string {
  return `${countText(failedQueries)} brought no answer; ${countText(retries)} ${retries === 1 ? 'was' : 'were'} asked again`
}

/** How far the images that were fooled are from the originals, and what they are taken for. */
function successRows(summary: AttackSummary, images: readonly ImageRecord[], names: ClassNames): [string, string][] {
  const taken = confusions(images, names)
  return [
    ['8-bit success', share(summary.success8bit, 'of those attacked: their saved pictures fool, too')],
    ['first success', `${spread(summary.firstSuccessQueries)} queries`],
    ['l2', `${spread(summary.bestL2)}, of the best success`],
    ['linf', `${spread(summary.bestLinf)}, of the best success`],
    ...(taken === '' ? [] : [['taken for', taken] as [string, string]]),
  ]
}

type ClassNames = readonly string[] | undefined

/** The most frequent confusions by name, where classes have names. */
function confusions(images: readonly ImageRecord[], names: ClassNames): string {
  if (names === undefined) return ''
  const counts = new Map<string, number>()
  for (const { status, label, saved, best } of images) {
    const after = (saved ?? best)?.predicted
    if (status !== 'fooled' || label === null || after === undefined) continue
    const key = plainText(`${className(label, names) ?? label} as ${className(after, names) ?? after}`)
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
  return verdict.kind === 'unjudged' ? `${images}, ${verdictText(verdict)}` : verdictText(verdict)
}

function verdictText(verdict: Verdict): string {
  const demanded = `the ${percent(verdict.failUnder)} demanded`
  if (verdict.kind === 'unjudged') return `cannot be held against ${demanded}: ${verdict.why}`
  return `${verdict.kind === 'met' ? 'not below' : 'below'} ${demanded}`
}

/** What the robust accuracy may still become, where images are unfinished or failed. */
function openRows({ looked, unfinished, failed, robustAccuracyBounds: bounds }: AttackSummary): [string, string][] {
  if (looked === 0 || unfinished + failed === 0 || bounds === undefined) return []
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
