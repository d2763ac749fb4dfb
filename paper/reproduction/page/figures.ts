import { type AttackRun, type ComparedRun, panelsOf, styledRuns } from '../../../src/app/report/attack/attack-run.ts'
import { courseFigures, universalFigures } from '../../../src/app/report/attack/figures.ts'
import { drawingDocument } from '../../../src/app/report/drawing-document.ts'
import type { Figure } from '../../../src/app/report/page/elements.ts'
import { curveStyle } from '../../../src/app/report/palette.ts'
import { gridChart } from './grid-chart.ts'
import { type HeatMap, heatChart } from './heat-chart.ts'
import { type PictureRow, pictureChart } from './picture-chart.ts'

/** A figure of a reproduction, as a page shows it and as a file. */
export type PaperFigure = Figure

/** What a figure is called. */
export interface FigureName {
  readonly file: string
  readonly caption: string
  /** Methods in the order of their colours, so that each has its own in every figure. */
  readonly order?: readonly string[] | undefined
}

/** One of the heat maps of a figure. */
export type HeatPanel = Omit<HeatMap, 'id'>

/** Boxes of loss and distortion over the iterations, a panel for each problem; none where there is nothing to draw. */
export function courseFigure(runs: readonly ComparedRun[], name: FigureName): PaperFigure[] {
  return composed(courseFigures(panelsOf(colored(runs, name)), drawingDocument()), name)
}

/** Lines of loss and distortion of universal attacks over the iterations. */
export function universalFigure(runs: readonly ComparedRun[], name: FigureName): PaperFigure[] {
  return composed(universalFigures(panelsOf(colored(runs, name)), drawingDocument(), 'iterations').reverse(), name)
}

/** Heat maps side by side. */
export function heatFigure(panels: readonly HeatPanel[], { file, caption }: FigureName): PaperFigure[] {
  const drawn = panels.filter(({ values }) => values.some(({ value }) => Number.isFinite(value)))
  if (drawn.length === 0) return []
  const maps = drawn.map((panel, i) => ({ title: panel.title, ...heatChart({ ...panel, id: `${file}-${i}` }) }))
  const description = drawn.map(({ title }) => title).join(', ')
  const chart = gridChart(maps, { id: file, title: caption, description, columns: 3 })
  return [{ file, caption, chart: { ...chart, note: undefined } }]
}

/** Rows of pictures under heads. */
export function pictureFigure(
  rows: readonly PictureRow[],
  { file, caption, heads }: FigureName & { readonly heads: readonly string[] },
): PaperFigure[] {
  if (rows.length === 0) return []
  const description = rows
    .map(({ title, pictures }) => `${title}: ${pictures.map(({ text }) => text).join(', ')}.`)
    .join(' ')
  const chart = pictureChart(rows, heads, { id: file, title: caption, description })
  return [{ file, caption, chart: { ...chart, note: undefined } }]
}

function colored(runs: readonly ComparedRun[], { order }: FigureName): AttackRun[] {
  if (order === undefined) return styledRuns(runs)
  return runs.map((run) => ({ ...run, style: curveStyle(order.indexOf(run.name)) }))
}

function composed(figures: readonly Figure[], { file, caption }: FigureName): PaperFigure[] {
  if (figures.length === 0) return []
  const parts = figures.map((figure) => ({ title: figure.caption, part: figure.chart.part }))
  const description = figures.map((figure) => figure.caption).join(', ')
  const chart = gridChart(parts, { id: file, title: caption, description, columns: 2 })
  const notes = [...new Set(figures.flatMap(({ chart: { note } }) => note ?? []))]
  return [{ file, caption, chart: { ...chart, note: notes.length === 0 ? undefined : notes.join(' ') } }]
}
