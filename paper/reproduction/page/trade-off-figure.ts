import { drawingDocument } from '../../../src/app/report/drawing-document.ts'
import type { FigureName, PaperFigure } from './figures.ts'
import { gridChart } from './grid-chart.ts'
import { isDrawable, type TradeOffPoint, type TradeOffSeries, tradeOffChart } from './trade-off-chart.ts'

/** One drawing of a figure: methods on the same images. */
export interface TradeOffPanel {
  readonly title: string
  readonly series: readonly TradeOffSeries[]
}

/** What success costs in queries against what it costs in distortion, panels side by side; none where there is nothing to draw. */
export function tradeOffFigure(panels: readonly TradeOffPanel[], { file, caption }: FigureName): PaperFigure[] {
  const drawn = panels.filter(({ series }) => series.some(({ points }) => points.some(isDrawable)))
  if (drawn.length === 0) return []
  const document = drawingDocument()
  const parts = drawn.map(({ title, series }, i) => ({
    title,
    part: tradeOffChart(series, {
      document,
      id: `${file}-${i}`,
      title,
      description: '',
      xLabel: 'queries to the first success',
      yLabel: 'squared distortion at the end',
    }).part,
  }))
  const description = drawn.map(({ title, series }) => `${title}: ${series.map(described).join(' ')}`).join(' ')
  const chart = gridChart(parts, { id: file, title: caption, description, columns: 2 })
  return [{ file, caption, chart: { ...chart, note: undefined } }]
}

/** A curve in words, for those who do not see it. */
function described({ points }: TradeOffSeries): string {
  return points
    .filter(isDrawable)
    .map(({ text }: TradeOffPoint) => `${text}.`)
    .join(' ')
}
