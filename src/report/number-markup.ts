import { html, type Markup } from './markup.ts'
import {
  countText,
  distanceText,
  effortText,
  exactNumber,
  percentText,
  readableNumber,
  secondsText,
} from './number-text.ts'

/** A number for people that carries its exact self for programs and for the pointer. */
export function numberMarkup(value: number, text: string = readableNumber(value)): Markup {
  if (Number.isNaN(value)) return dash
  const exact = exactNumber(value)
  return exact === text
    ? html`<data value="${exact}">${text}</data>`
    : html`<data value="${exact}" title="${exact}">${text}</data>`
}

const dash = html`<span class="none">–</span>`

/** A number that may be missing, as files may have it. */
export type MaybeNumber = number | null | undefined

/** Numbers as a page shows them: a dash where there is none. */
export const shown = {
  value: orDash(readableNumber, (value) => !Number.isNaN(value)),
  count: orDash(countText),
  duration: orDash(secondsText),
  percent: orDash(percentText),
  effort: orDash(effortText),
  distance: orDash(distanceText),
}

function orDash(text: (value: number) => string, isKnown: (value: number) => boolean = Number.isFinite) {
  return (value: MaybeNumber): Markup =>
    typeof value === 'number' && isKnown(value) ? numberMarkup(value, text(value)) : dash
}
