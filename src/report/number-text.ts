import { html, type Markup } from './markup.ts'

/** A number with all its digits, so that reading it back gives the same bits. */
export function exactNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** A number with five significant digits, in exponents only where it is very small or large. */
export function readableNumber(value: number): string {
  if (!Number.isFinite(value) || value === 0) return exactNumber(value)
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return String(Number(value.toPrecision(size < 1e5 ? 5 : 7)))
  return value.toExponential(4).replace(/\.?0+e/, 'e')
}

/** A count with its thousands set apart. */
export function countText(count: number): string {
  return Number.isFinite(count) ? String(count).replace(/(?<=^-?\d+)(?=(\d{3})+$)/g, ',') : '–'
}

/** A duration in the two largest units that say something; a unit ends where rounding would reach the next. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  if (seconds > 0 && seconds < 0.9995e-3) return `${Number((seconds * 1e6).toPrecision(3))} µs`
  if (seconds > 0 && seconds < 0.9995) return `${Number((seconds * 1000).toPrecision(3))} ms`
  if (seconds < 59.95) return `${Number(seconds.toPrecision(3))} s`
  const [size, unit, part, rest] = seconds < 3599.5 ? minutes : seconds < 86370 ? hours : days
  const parts = Math.round(seconds / part)
  return `${Math.floor(parts / (size / part))} ${unit} ${parts % (size / part)} ${rest}`
}

const minutes = [60, 'min', 1, 's'] as const
const hours = [3600, 'h', 60, 'min'] as const
const days = [86400, 'd', 3600, 'h'] as const

/** A number for people that carries its exact self for programs and for the pointer. */
export function numberMarkup(value: number, text: string = readableNumber(value)): Markup {
  if (Number.isNaN(value)) return html`<span class="none">none</span>`
  const exact = exactNumber(value)
  return exact === text
    ? html`<data value="${exact}">${text}</data>`
    : html`<data value="${exact}" title="${exact}">${text}</data>`
}

/** A count, a value or a duration as a table shows it. */
export const shown = {
  value: (value: number): Markup => numberMarkup(value),
  count: (value: number): Markup => numberMarkup(value, countText(value)),
  duration: (seconds: number): Markup => numberMarkup(seconds, durationText(seconds)),
}
