import { html, type Markup } from '../markup.ts'
import { readableNumber } from '../number-text.ts'
import type { CurveStyle } from '../palette.ts'

/** Where values lie on the common axis of all strips, from 0 to 1. */
export type StripScale = (value: number) => number

const width = 150
const height = 20
const pad = 5

/** The axis for all values of a table: logarithmic where they are positive and differ much. */
export function stripScale(values: readonly number[]): StripScale {
  const finite = values.filter(Number.isFinite)
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity)
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity)
  const onAxis = low > 0 && high / low >= 10 ? Math.log : (value: number) => value
  const length = onAxis(high) - onAxis(low)
  return (value) => (length > 0 && Number.isFinite(length) ? (onAxis(value) - onAxis(low)) / length : 0.5)
}

/** A dot per value, a bar from quartile to quartile and a stroke at the median. */
export function stripPlot(
  values: readonly number[],
  summary: { readonly lowerQuartile: number; readonly median: number; readonly upperQuartile: number },
  scale: StripScale,
  { color }: CurveStyle,
): Markup {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return html``
  const x = (value: number): string => (pad + scale(value) * (width - 2 * pad)).toFixed(1)
  const dots = [...new Set(finite.map(x))].map((at) => html`<circle cx="${at}" cy="10" r="2.6"/>`)
  const { lowerQuartile, median, upperQuartile } = summary
  const bar = [lowerQuartile, median, upperQuartile].every(Number.isFinite)
    ? html`<line x1="${x(lowerQuartile)}" x2="${x(upperQuartile)}" y1="10" y2="10" stroke-width="9" opacity="0.25"/><line x1="${x(median)}" x2="${x(median)}" y1="3" y2="17" stroke-width="2"/>`
    : undefined
  const label = `${finite.length} values, median ${readableNumber(median)}`
  return html`<svg class="strip" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}"><g fill="${color}" fill-opacity="0.75" stroke="none">${dots}</g><g stroke="${color}">${bar}</g></svg>`
}
