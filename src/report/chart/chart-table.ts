import { html, type Markup, type Piece } from '../markup.ts'
import { numberMarkup } from '../number-markup.ts'
import { type PageColumn, pageTable } from '../page/elements.ts'
import { axisText } from './axis-text.ts'
import type { ChartAxis, ChartData, ChartSeries } from './chart-data.ts'
import { valueAt } from './curve.ts'
import type { Tick } from './value-scale.ts'

/** The values of a chart at its ticks, as a table: for those who do not see it, and to copy. */
export function chartTable(data: ChartData, caption: string): Markup {
  const places = tablePlaces(data)
  const columns = data.series.map((series) => seriesColumn(series, data.y))
  return pageTable(caption, [{ title: data.x.label, cell: ({ text }) => text }, ...columns], places)
}

/** Where a chart is read: at its own places, or at the ticks of its axis and at the end of its longest line. */
function tablePlaces({ x, series }: ChartData): readonly Tick[] {
  if (x.places !== undefined) return x.places
  const end = Math.max(...series.map((each) => each.x.at(-1) ?? Number.NEGATIVE_INFINITY))
  const ticks = x.ticks.filter(({ at }) => at < end)
  return Number.isFinite(end) ? [...ticks, { at: end, text: axisText(x, end) }] : ticks
}

function seriesColumn(series: ChartSeries, axis: ChartAxis): PageColumn<Tick> {
  const { x, low, high } = series
  return {
    title: series.label,
    numeric: true,
    cell: ({ at }): Piece => {
      const value = valueAt(series, at)
      if (!Number.isFinite(value)) return '–'
      const text = numberMarkup(value, axisText(axis, value))
      if (low === undefined || high === undefined) return text
      const [from, to] = [low, high].map((y) => axisText(axis, valueAt({ x, y }, at)))
      return from === to ? text : html`${text} <small>(${from} to ${to})</small>`
    },
  }
}
