import { join, resolve } from 'node:path'
import type { AttackReport, AttackSummary, ImageRecord, MeanMedian } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { limitsText, settingsOf } from '../../report/attack/attack-settings.ts'
import { counted, countText } from '../../report/number-text.ts'
import { shortNumber } from '../../report/table.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type AttackRecord, readAttack } from '../../work/evaluation/attack-record.ts'
import {
  type AttackState,
  attackState,
  readEvaluation,
  type StoredAttack,
  type Verdict,
  verdictOf,
  voidReason,
} from '../../work/evaluation/status.ts'
import { output } from '../output.ts'
import { paint, percent, plainText } from '../terminal-text.ts'

/** Images that are named one by one: those that failed may want mending. */
const mostNamed = { skipped: 3, failed: 10, unfinished: 10 } as const

/** An attack as one line of JSON; of one that has not finished, how far it is. */
export function attackJson(
  { folder, record, report }: StoredAttack,
  { status, done }: Pick<AttackState, 'status' | 'done'> = { status: endOf(report) },
): string {
  const { summary, universal, canaries, warnings } = report
  const images = report.images.map(({ curve: _, ...image }) => image)
  const run = resolve(folder)
  const files = { run, report: join(run, layout.page) }
  return JSON.stringify(
    jsonSafe({ status, done, summary, images, universal, canaries, warnings, ...files, settings: settingsOf(record) }),
  )
}

/** How an attack that ended by itself stands. */
function endOf(report: AttackReport): string {
  if (voidReason(report) !== undefined) return 'void'
  return report.summary.unfinished > 0 ? 'unfinished' : 'finished'
}

/** An attack that has finished, for people. */
export function attackText({ folder, record, report }: StoredAttack): string {
  const { summary, images, universal, warnings } = report
  const { bold } = paint(output)
  const rows: [title: string, text: string][] = [
    ['clean accuracy', share(summary.cleanAccuracy, `of ${counted(summary.looked, 'image')}`)],
    ['robust accuracy', bold(share(summary.robustAccuracy, robustText(summary, verdictOf(record.spec, report))))],
    ...(summary.meaning === undefined ? [] : [['', summary.meaning] as [string, string]]),
    ...openRows(summary),
    ['within', limitsText(record.spec)],
    ['attack success', successText(summary)],
    ['8-bit success', share(summary.success8bit, 'of those attacked: their saved pictures fool, too')],
    ['first success', `${spread(summary.firstSuccessQueries)} queries`],
    ['l2', `${spread(summary.bestL2)}, of the best success`],
    ['linf', `${spread(summary.bestLinf)}, of the best success`],
    ['queries', `${countText(summary.queries)}, ${counted(summary.modelCalls, 'image')} classified in all`],
  ]
  const voided = voidReason(report)
  if (voided !== undefined) rows.unshift(['VOID', bold(plainText(voided))])
  if (summary.fooled === 0)
    rows.splice(
      rows.findIndex(([title]) => title === '8-bit success'),
      4,
    )
  if (universal !== null) rows.push(['universal', `one perturbation for ${counted(universal.images, 'image')}`])
  if (summary.failedQueries > 0) rows.push(['failed queries', failedText(summary)])
  rows.push(...leftOut(images, 'skipped'), ...leftOut(images, 'failed'), ...leftOut(images, 'unfinished'))
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['run', folder], ['report', join(folder, layout.page)])
  return rows.map(([title, text]) => `${title.padEnd(17)}${text}`).join('\n')
}

function failedText({ failedQueries, retries }: AttackSummary): string {
  return `${countText(failedQueries)} brought no answer; ${countText(retries)} were asked again`
}

function robustText(summary: AttackSummary, verdict: Verdict | undefined): string {
  const images = `of ${counted(summary.looked, 'image')}`
  if (verdict === undefined) return images
  const demanded = `the ${percent(verdict.failUnder)} demanded`
  if (verdict.kind === 'unjudged') return `${images}, cannot be held against ${demanded}: ${verdict.why}`
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
    .map((image): [string, string] => ['', plainText(`${image.title}: ${image.reason}`)])
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
