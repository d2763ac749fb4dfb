import { type ChartLine, convergenceChart, type LineText } from '../src/report/chart/convergence-chart.ts'
import { textOf } from '../src/report/markup.ts'
import { type ChartOverlay, chartOverlay } from '../src/report/overlay/chart-overlay.ts'

/** The same chart as in reports, drawn anew as often as needed. */
export function lineChart(plot: HTMLElement) {
  let overlay: ChartOverlay | undefined
  return (lines: readonly ChartLine[], text: Omit<LineText, 'document'>): void => {
    if (overlay?.isDragged() || lines.every(({ curve }) => curve.x.length === 0)) return
    const { inline, data } = convergenceChart(lines, { ...text, document })
    const drawing = plot.firstElementChild
    if (drawing === null || data === undefined) return
    drawing.innerHTML = textOf(inline)
    if (overlay === undefined) overlay = chartOverlay(plot, data)
    else overlay.update(data)
  }
}
