import { html, type Markup } from '../markup.ts'
import { countText, exactNumber, numberMarkup, readableNumber } from '../number-text.ts'

const dash = html`<span class="none">–</span>`

/** A fraction in percent. What only rounds to all or to nothing is not said to be it. */
export function percentText(fraction: number): string {
  if (!Number.isFinite(fraction)) return '–'
  const text = (100 * fraction).toFixed(1).replace(/\.0$/, '')
  if (text === '100' && fraction < 1) return 'over 99.9\u00a0%'
  if (text === '0' && fraction > 0) return 'under 0.1\u00a0%'
  return `${text}\u00a0%`
}

/** A mean or median of counts: whole where it is large. */
export function effortText(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100 || Number.isInteger(value) ? countText(Math.round(value)) : exactNumber(Number(value.toFixed(1)))
}

/** A distance for people. */
export function distanceText(value: number): string {
  return Number.isFinite(value) ? readableNumber(Number(value.toPrecision(4))) : '–'
}

/** Numbers as a table shows them: a dash where there is none. */
export const dashed = {
  percent: (fraction: number): Markup => numberOrDash(fraction, percentText),
  effort: (value: number): Markup => numberOrDash(value, effortText),
  distance: (value: number): Markup => numberOrDash(value, distanceText),
}

/** A number that may be missing altogether. */
export type MaybeNumber = number | null | undefined

/** A number in its form, or a dash where it is missing. */
export function maybe(value: MaybeNumber, as: (value: number) => Markup): Markup {
  return typeof value === 'number' ? as(value) : dash
}

function numberOrDash(value: number, text: (value: number) => string): Markup {
  return Number.isFinite(value) ? numberMarkup(value, text(value)) : dash
}
