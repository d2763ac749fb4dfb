import { join, resolve } from 'node:path'
import type { AttackSummary, ImageRecord, MeanMedian } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { limitsText, settingsOf } from '../../report/attack/attack-settings.ts'
import { percentText } from '../../report/number-text.ts'
import { shortNumber } from '../../report/table.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { type StoredAttack, type Verdict, verdictOf } from '../../work/evaluation/index.ts'
import type { AttackState } from '../../work/evaluation/status.ts'
import { grouped } from '../live-line.ts'
import { output } from '../output.ts'
import { paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'

/** Images that are named one by one: those that failed may want mending. */
const mostNamed = { skipped: 3, failed: 10 } as const

/** An attack as one line of JSON; of one that has not finished, how far it is. */
export function attackJson(
  { folder, record, report }: StoredAttack,
  { status, done }: Pick<AttackState, 'status' | 'done'> = { status: 'finished' },
): string {
  const { summary, universal, warnings } = report
  const images = report.images.map(({ curve: _, ...image }) => image)
  const run = resolve(folder)
  const files = { run, report: join(run, layout.page) }
  return JSON.stringify(
    jsonSafe({ status, done, summary, images, universal, warnings, ...files, settings: settingsOf(record) }),
  )
}

/** An attack that has finished, for people. */
export function attackText({ folder, record, report }: StoredAttack): string {
  const { summary, images, universal, warnings } = report
  const { bold } = paint(output)
  const rows: [title: string, text: string][] = [
    ['clean accuracy', share(summary.cleanAccuracy, `of ${counted(summary.looked, 'image')}`)],
    ['robust accuracy', bold(share(summary.robustAccuracy, robustText(summary, verdictOf(record.spec, report))))],
    ['within', limitsText(record.spec)],
    ['attack success', successText(summary)],
    ['8-bit success', share(summary.success8bit, 'of those attacked: their saved pictures fool, too')],
    ['first success', `${spread(summary.firstSuccessQueries)} queries`],
    ['l2', `${spread(summary.bestL2)}, of the best success`],
    ['linf', `${spread(summary.bestLinf)}, of the best success`],
    ['queries', `${grouped(summary.queries)}, ${counted(summary.modelCalls, 'image')} classified in all`],
  ]
  if (summary.fooled === 0) rows.splice(4, 4)
  if (universal !== null) rows.push(['universal', `one perturbation for ${counted(universal.images, 'image')}`])
  rows.push(...leftOut(images, 'skipped'), ...leftOut(images, 'failed'))
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['run', folder], ['report', join(folder, layout.page)])
  return rows.map(([title, text]) => `${title.padEnd(17)}${text}`).join('\n')
}

function robustText({ looked }: AttackSummary, verdict: Verdict | undefined): string {
  const images = `of ${counted(looked, 'image')}`
  if (verdict === undefined) return images
  const demanded = `the ${percent(verdict.failUnder)} demanded`
  if (verdict.kind === 'unjudged') return `${images}, cannot be held against ${demanded}: ${verdict.why}`
  return `${verdict.kind === 'met' ? 'not below' : 'below'} ${demanded}`
}

function successText({ attackSuccessRate, attackSuccessInterval, fooled, attacked }: AttackSummary): string {
  if (attacked === 0) return 'no image was attacked'
  const [low, high] = attackSuccessInterval
  const interval = `95 % interval ${percent(low)} to ${percent(high)}`
  return `${percent(attackSuccessRate)}, ${grouped(fooled)} of ${counted(attacked, 'image')} (${interval})`
}

/** Which images were left out, and why. */
function leftOut(images: readonly ImageRecord[], status: 'skipped' | 'failed'): [string, string][] {
  const left = images.filter((image) => image.status === status)
  const named = left
    .slice(0, mostNamed[status])
    .map((image): [string, string] => ['', plainText(`${image.title}: ${image.reason}`)])
  const more = left.length - named.length
  if (left.length === 0) return []
  const rest: [string, string][] = more > 0 ? [['', `and ${grouped(more)} more; images.csv has all of them`]] : []
  return [[status, grouped(left.length)], ...named, ...rest]
}

function spread({ median, mean }: MeanMedian): string {
  return `median ${shortNumber(median)}, mean ${shortNumber(mean)}`
}

function share(fraction: number, of: string): string {
  return Number.isNaN(fraction) ? 'unknown' : `${percent(fraction)} ${of}`
}

/** A fraction in percent, for terminals; what only rounds to all or to nothing is not said to be it. */
export function percent(fraction: number): string {
  return percentText(fraction).replaceAll('\u00a0', ' ')
}

function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}
