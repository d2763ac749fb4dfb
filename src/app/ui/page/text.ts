import type { Value } from '../../../optimizer/core/variable-types.ts'
import { millisecondsAt } from '../../provenance/wall-clock.ts'
import { imageLooks, imageTitle } from '../../report/attack/attack-run.ts'
import { comparedModel, differences, normNames } from '../../report/attack/settings.ts'
import {
  counted,
  countText,
  distanceText,
  intervalText,
  isKnown,
  limitText,
  type MaybeNumber,
  percentText,
  readableNumber,
  secondsText,
  variableValue,
} from '../../report/number-text.ts'
import { stopReasonText } from '../../report/run/result.ts'
import type { ItemRow, JobDetail, JobView } from '../api.ts'

const dash = '–'

/** The same text for a number that may be missing: a dash if it is. */
function orDash(text: (value: number) => string): (value: MaybeNumber) => string {
  return (value) => (isKnown(value) ? text(value) : dash)
}

/** A value as people read it. */
export const valueText = orDash(readableNumber)
/** The value of a variable, which may be a choice. */
export function anyText(value: Value | null): string {
  return value === null ? valueText(value) : variableValue(value)
}

/** A count. */
export const wholeText = orDash((value) => countText(Math.round(value)))
/** A fraction in percent. */
export const shareText = orDash(percentText)
/** A distance between pictures. */
export const lengthText = orDash(distanceText)
/** A duration in seconds. */
export const tookText = orDash(secondsText)

/** From one share to another. */
export function shareInterval([low, high]: readonly MaybeNumber[] = []): string {
  return isKnown(low) && isKnown(high) ? intervalText([low, high]) : dash
}

/** A duration in milliseconds, in whole seconds. */
export function timeText(milliseconds: MaybeNumber): string {
  if (!isKnown(milliseconds)) return dash
  return milliseconds < 1000 ? 'under 1 s' : secondsText(Math.round(milliseconds / 1000))
}

/** A count of things whose plural ends in s. */
export function countedText(count: MaybeNumber, thing: string): string {
  return isKnown(count) ? counted(count, thing) : `${dash} ${thing}s`
}

export function queriesText(queries: MaybeNumber): string {
  return `${wholeText(queries)} ${queries === 1 ? 'query' : 'queries'}`
}

/** Queries per second. */
export function rateText(rate: MaybeNumber): string {
  if (!isKnown(rate) || rate <= 0) return dash
  return `${rate >= 100 ? countText(Math.round(rate)) : Number(rate.toPrecision(2))}/s`
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1e6) return `${Number((bytes / 1e3).toPrecision(3))} kB`
  return `${Number((bytes / 1e6).toPrecision(3))} MB`
}

/** When it began, in the reader's own time zone. */
export function dateText(created: string | undefined): string {
  const at = created === undefined ? Number.NaN : millisecondsAt(created)
  return Number.isNaN(at)
    ? dash
    : new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

/** Why a job ended, in the words of the reports; a message as it is. */
export function stopText(reason: string | undefined): string {
  return reason === undefined ? dash : stopReasonText(reason)
}

const kinds = { run: 'run', series: 'series', tuning: 'tuning', evaluation: 'attack' } as const

/** What a kind of job is called. */
export function kindText(kind: JobView['kind']): string {
  return kinds[kind]
}

/** How much of a job is done, from 0 to 1; undefined if that cannot be told. */
export function doneShare({ kind, state, queries = 0, maxQueries, items }: JobView): number | undefined {
  if (state === 'finished') return 1
  if (kind !== 'run' && items !== undefined && items.total > 0) return Math.min(1, items.done / items.total)
  return maxQueries === undefined || maxQueries === 0 ? undefined : Math.min(1, queries / maxQueries)
}

/** What matters most about a job: the value it found, or how robust the model is. */
export function resultText({ kind, best, value, robustAccuracy, items }: JobView): string {
  if (kind !== 'evaluation') return valueText(value ?? best)
  if (isKnown(robustAccuracy)) return `${percentText(robustAccuracy)} robust`
  return items?.fooled === undefined ? dash : `${countText(items.fooled)} fooled`
}

/** Which value that is, if there are several runs: the luckiest of them would say too much. */
export function resultNote({ kind, best, value, setting, items }: JobView): string | undefined {
  if (kind === 'run' || kind === 'evaluation') return undefined
  if (!isKnown(value)) return isKnown(best) ? 'best so far' : undefined
  return kind === 'series'
    ? `median of ${counted(items?.done ?? 0, 'run')}`
    : `mean with ${setting ?? 'its best setting'}`
}

/** How far a job is, in its own units. */
export function amountText({ kind, queries, maxQueries, items }: JobView): string {
  if (kind === 'run') return `${wholeText(queries)}${maxQueries === undefined ? '' : ` of ${wholeText(maxQueries)}`}`
  const unit = { series: 'runs', tuning: 'trials', evaluation: 'images' }[kind]
  return items === undefined ? dash : `${wholeText(items.done)} of ${wholeText(items.total)} ${unit}`
}

/** What an image is; of one without a label, what the model sees in it. */
export function trueClass({ labelName, label, before }: Pick<ItemRow, 'labelName' | 'label' | 'before'>): string {
  return String(labelName ?? label ?? before ?? '–')
}

/** What an image is called, in full. */
export function imageName(item: Pick<ItemRow, 'title'>): string {
  return imageTitle(item, Infinity)
}

/** The number that an image has in addresses and files, if its name is another number. */
export function numberText({ title, index }: Pick<ItemRow, 'title' | 'index'>): string {
  return /^\d+$/.test(title) && title !== String(index) ? `It is number ${index} of this attack, counted from 0.` : ''
}

/** What the model sees in the changed picture. */
export function afterText({ predicted, predictedName }: ItemRow): string {
  return predictedName ?? (predicted === undefined ? dash : String(predicted))
}

/** Which picture a change was measured on: files have 256 steps per pixel value, attacks have more. */
export function measuredOn({ holdsInBytes }: Pick<ItemRow, 'holdsInBytes'>): string {
  return holdsInBytes === undefined ? 'as found, not as a saved file' : 'of the saved 8-bit file'
}

/** How an image fared. Only what fools the model as the file that was saved is called fooled. */
export function itemStatus({ status, holdsInBytes }: Pick<ItemRow, 'status' | 'holdsInBytes'>): {
  readonly word: string
  readonly look: string
} {
  if (status === 'fooled' && holdsInBytes === false) return { word: 'fooled, not as 8-bit file', look: 'warn' }
  return { word: status, look: imageLooks[status] }
}

type Spec = JobDetail['spec']

/** A norm as the page writes it. */
export function normText(norm: string): string {
  return norm === 'l2' ? normNames.l2 : normNames.linf
}

/** How much an attack may change a picture; of several limits the largest, which its numbers are about. */
export function attackLimit({ problem, linf, l2 }: Spec): string {
  if (problem === undefined) return '–'
  const largest = problem as Spec
  const sizes = (['linf', 'l2'] as const)
    .filter((norm) => largest[norm] !== undefined)
    .map((norm) => `${normNames[norm]} ${limitText(largest[norm])}`)
  const several = [linf, l2].find(Array.isArray)
  const which = several === undefined ? '' : ` (largest of ${several.length})`
  return sizes.length === 0 ? 'any size' : `${sizes.join(', ')}${which}`
}

/** Why attacks cannot be ranked, in words; nothing if they differ in their methods alone. */
export function whyUnranked(all: readonly JobDetail[]): string[] {
  // Of one that cannot be read, nothing is known to differ.
  const details = all.filter(({ evaluation }) => evaluation !== undefined)
  const areSame = (of: (detail: JobDetail) => unknown): boolean =>
    new Set(details.map((detail) => JSON.stringify(of(detail)))).size < 2
  return [
    ...(areSame(({ spec }) => comparedModel(spec)) ? [] : ['not all of them attacked the same model']),
    ...(areSame(imagesOf) ? [] : ['not all of them attacked the same images']),
    ...differences(details.map(({ job, spec }) => ({ name: job.name, record: { spec } }))),
  ]
}

function imagesOf({ spec, evaluation }: JobDetail): unknown {
  const { screened, cleanAccuracy, success } = evaluation ?? {}
  return [spec.images, spec.class, screened, cleanAccuracy, success?.images]
}
