import { html, type Markup, type Piece } from '../markup.ts'
import { numberMarkup } from '../number-markup.ts'
import { type PageColumn, pageTable } from '../page/elements.ts'
import { axisText } from './axis-text.ts'
import type { ChartAxis, ChartData, ChartSeries } from './chart-data.ts'
import { valueAt } from './curve.ts'
import type { Tick } from './value-scale.ts'

const mostColumns = 3

/** The values of a chart at its ticks, as a table: for those who do not see it, and to copy. */
export function chartTable(data: ChartData, caption: string): Markup {
  const { x, y, series } = data
  const places = tablePlaces(data)
  if (series.length <= mostColumns) {
    const columns = series.map((each): PageColumn<Tick> => {
      return {
        title: each.label,
        numeric: true,
        cell: ({ at }) => html`${valueCell(each, at, y)}${bandCell(each, at, y)}`,
      }
    })
    return pageTable(caption, [{ title: x.label, cell: ({ text }) => text }, ...columns], places)
  }
  // Many lines stand below each other, or there would be no room for them.
  const columns = places.map(({ at, text }): PageColumn<ChartSeries> => {
    return { title: text, numeric: true, cell: (each) => valueCell(each, at, y) }
  })
  return pageTable(caption, [{ title: x.label, cell: ({ label }) => label }, ...columns], series)
}

/** Where a chart is read: at its own places, or at the ticks of its axis and at the end of its longest line. */
function tablePlaces({ x, series }: ChartData): readonly Tick[] {
  if (x.places !== undefined) return x.places
  const ends = series.map((each) => each.x.at(-1) ?? Number.NEGATIVE_INFINITY)
  const end = Math.min(x.domain[1], Math.max(...ends))
  const ticks = x.ticks.filter(({ at }) => at < end)
  return Number.isFinite(end) ? [...ticks, { at: end, text: axisText(x, end) }] : ticks
}

function valueCell(series: ChartSeries, at: number, axis: ChartAxis): Piece {
  const value = valueAt(series, at)
  return Number.isFinite(value) ? numberMarkup(value, axisText(axis, value)) : '–'
}

function bandCell({ x, low, high }: ChartSeries, at: number, axis: ChartAxis): Markup | undefined {
  if (low === undefined || high === undefined || !Number.isFinite(valueAt({ x, y: low }, at))) return undefined
  const [from, to] = [low, high].map((y) => axisText(axis, valueAt({ x, y }, at)))
  return from === to ? undefined : html` <small>(${from} to ${to})</small>`
}
