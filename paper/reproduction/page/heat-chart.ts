import { type Framed, framed } from '../../../src/app/report/chart/plot-chart.ts'
import { html, type Markup } from '../../../src/app/report/markup.ts'
import { shortNumber } from '../../../src/app/report/table.ts'

/** A value of a heat map, and the numbers of its column and row. */
export interface HeatValue {
  readonly x: number
  readonly y: number
  readonly value: number
}

/** A heat map over a square grid. */
export interface HeatMap {
  readonly id: string
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** What the columns, and the rows, are called. */
  readonly ticks: readonly string[]
  readonly values: readonly HeatValue[]
}

const side = 54
const margin = { top: 8, right: 8, bottom: 44, left: 52 }

/** Draws a heat map: the larger a value, the fuller its colour; the least is framed. Every value is written into it. */
export function heatChart({ id, title, xLabel, yLabel, ticks, values }: HeatMap): Framed {
  const known = values.filter(({ value }) => Number.isFinite(value))
  const least = known.reduce<HeatValue | undefined>(
    (low, each) => (low && low.value <= each.value ? low : each),
    undefined,
  )
  const strength = strengthOf(known.map(({ value }) => value))
  const n = ticks.length
  const cells = known.map((each) => cellOf(each, n, strength(each.value), each === least))
  const lines = ticks.map((tick, i) => {
    const middle = margin.left + (i + 0.5) * side
    const height = margin.top + (n - i - 0.5) * side + 4
    return html`<text x="${middle}" y="${margin.top + n * side + 17}">${tick}</text><text x="${margin.left - 10}" y="${height}" text-anchor="end">${tick}</text>`
  })
  const width = margin.left + n * side + margin.right
  const height = margin.top + n * side + margin.bottom
  const names = html`<text x="${margin.left + (n * side) / 2}" y="${height - 8}">${xLabel}</text><text transform="translate(13,${margin.top + (n * side) / 2}) rotate(-90)">${yLabel}</text>`
  const description =
    least === undefined
      ? 'No values.'
      : `Least: ${shortNumber(least.value)} at ${yLabel} ${ticks[least.y]}, ${xLabel} ${ticks[least.x]}.`
  const content = html`${cells}<g fill="var(--muted)">${lines}${names}</g>`
  return framed(content, { id, title, description, width, height })
}

function cellOf({ x, y, value }: HeatValue, n: number, strength: number, isLeast: boolean): Markup {
  const [left, top] = [margin.left + x * side, margin.top + (n - 1 - y) * side]
  const frame = isLeast ? html` stroke="var(--ink)" stroke-width="2.5"` : html` stroke="var(--paper)"`
  return html`<rect x="${left + 1}" y="${top + 1}" width="${side - 2}" height="${side - 2}" rx="3" fill="var(--c2)" fill-opacity="${strength.toFixed(3)}"${frame}/><text x="${left + side / 2}" y="${top + side / 2 + 4}"${isLeast ? html` font-weight="700"` : undefined}>${shortNumber(value)}</text>`
}

/** From hardly any colour for the least value to a good deal of it for the largest; by ratio where all are above 0. */
function strengthOf(values: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const scale = low > 0 ? Math.log : (value: number) => value
  const range = scale(high) - scale(low)
  return (value) => 0.06 + 0.62 * (range > 0 ? (scale(value) - scale(low)) / range : 0)
}
