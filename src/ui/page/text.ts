import { millisecondsAt } from '../../provenance/wall-clock.ts'
import { counted, countText, distanceText, percentText, readableNumber, secondsText } from '../../report/number-text.ts'
import { stopReasonText } from '../../report/run/result.ts'
import type { Figure, ItemRow, WorkRow } from '../api.ts'

type Maybe = Figure | undefined

const dash = '–'

function known(value: Maybe): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** A value as people read it; a dash where there is none. */
export function valueText(value: Maybe): string {
  return known(value) ? readableNumber(value) : dash
}

export function wholeText(value: Maybe): string {
  return known(value) ? countText(Math.round(value)) : dash
}

export function shareText(value: Maybe): string {
  return known(value) ? percentText(value) : dash
}

/** From one share to another. */
export function intervalText([low, high]: readonly Maybe[] = []): string {
  return known(low) && known(high) ? `${percentText(low)} to ${percentText(high)}` : dash
}

export function lengthText(value: Maybe): string {
  return known(value) ? distanceText(value) : dash
}

export function timeText(milliseconds: Maybe): string {
  if (!known(milliseconds)) return dash
  return milliseconds < 1000 ? 'under 1 s' : secondsText(Math.round(milliseconds / 1000))
}

export function tookText(seconds: Maybe): string {
  return known(seconds) ? secondsText(seconds) : dash
}

/** A count of things whose plural ends in s. */
export function countedText(count: Maybe, thing: string): string {
  return known(count) ? counted(count, thing) : `${dash} ${thing}s`
}

export function queriesText(queries: Maybe): string {
  return `${wholeText(queries)} ${queries === 1 ? 'query' : 'queries'}`
}

/** Queries per second. */
export function rateText(rate: Maybe): string {
  if (!known(rate) || rate <= 0) return dash
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

/** Why a work ended, in the words of the reports; a message as it is. */
export function stopText(reason: string | undefined): string {
  return reason === undefined ? dash : stopReasonText(reason)
}

const kinds = { run: 'run', series: 'series', tuning: 'tuning', evaluation: 'attack' } as const

/** What a kind of work is called. */
export function kindText(kind: WorkRow['kind']): string {
  return kinds[kind]
}

/** How much of a work is done, from 0 to 1; undefined where that cannot be told. */
export function doneShare({ kind, state, queries = 0, maxQueries, items }: WorkRow): number | undefined {
  if (state === 'finished') return 1
  if (kind !== 'run' && items !== undefined && items.total > 0) return Math.min(1, items.done / items.total)
  return maxQueries === undefined || maxQueries === 0 ? undefined : Math.min(1, queries / maxQueries)
}

/** What matters most about a work: the value it found, or how robust the model is. */
export function resultText({ kind, best, value, robustAccuracy, items }: WorkRow): string {
  if (kind !== 'evaluation') return valueText(value ?? best)
  if (known(robustAccuracy)) return `${percentText(robustAccuracy)} robust`
  return items?.fooled === undefined ? dash : `${countText(items.fooled)} fooled`
}

/** Which value that is, where there are several runs: the luckiest of them would say too much. */
export function resultNote({ kind, best, value, setting, items }: WorkRow): string | undefined {
  if (kind === 'run' || kind === 'evaluation') return undefined
  if (!known(value)) return known(best) ? 'best so far' : undefined
  return kind === 'series'
    ? `median of ${counted(items?.done ?? 0, 'run')}`
    : `mean with ${setting ?? 'its best setting'}`
}

/** How far a work is, in its own units. */
export function amountText({ kind, queries, maxQueries, items }: WorkRow): string {
  if (kind === 'run') return `${wholeText(queries)}${maxQueries === undefined ? '' : ` of ${wholeText(maxQueries)}`}`
  const unit = { series: 'runs', tuning: 'trials', evaluation: 'images' }[kind]
  return items === undefined ? dash : `${wholeText(items.done)} of ${wholeText(items.total)} ${unit}`
}

/** What an image is called; a mere number says what it is the number of. */
export function imageName({ title }: Pick<ItemRow, 'title'>): string {
  return /^\d+$/.test(title) ? `image ${title}` : title
}

/** The number that an image has in addresses and files, where its name is another number. */
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

/** What the result of an image is called. That an attack did not fool the model does not prove it robust. */
export function resultName(status: ItemRow['status']): string {
  return status === 'robust' ? 'not fooled' : status
}

/** How an image fared. Only what fools the model as the file that was saved is called fooled. */
export function itemStatus({ status, holdsInBytes }: Pick<ItemRow, 'status' | 'holdsInBytes'>): {
  readonly word: string
  readonly look: string
} {
  if (status === 'fooled' && holdsInBytes === false) return { word: 'fooled, not as 8-bit file', look: 'warn' }
  const looks = { fooled: 'bad', robust: 'good', skipped: 'plain', failed: 'warn', unfinished: 'warn' } as const
  return { word: resultName(status), look: looks[status] }
}
