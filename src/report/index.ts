export { type AttackPageData, attackPage } from './attack/attack-page.ts'
export type { ComparedRun, PictureSource, SettingRows, Threshold } from './attack/attack-run.ts'
export { type CurvePoint, convergenceFigure, type FigureText } from './chart/convergence-figure.ts'
export type { HeatValue } from './chart/heat-chart.ts'
export type { PictureRow } from './chart/picture-chart.ts'
export type { TradeOffPoint } from './chart/trade-off-chart.ts'
export { drawingDocument } from './drawing-document.ts'
export type { ReportPage } from './page/document.ts'
export type { ClaimEvidence, ClaimReading, ClaimResult, ClaimVerdict } from './reproduction/claims-section.ts'
export { courseTable, universalTable } from './reproduction/course-tables.ts'
export {
  courseFigure,
  type HeatPanel,
  heatFigure,
  type PaperFigure,
  pictureFigure,
  universalFigure,
} from './reproduction/figures.ts'
export { type PaperTable, paperTableCsv } from './reproduction/paper-table.ts'
export { type Provenance, provenanceRows, type Sitting } from './reproduction/provenance.ts'
export { reproductionMarkdown } from './reproduction/reproduction-markdown.ts'
export { type PaperSection, reproductionPage } from './reproduction/reproduction-page.ts'
export { type TradeOffPanel, tradeOffFigure } from './reproduction/trade-off-figure.ts'
export type { RunData, RunEnd, RunTrace } from './run/run-data.ts'
export { type RunPageOptions, runPage } from './run/run-page.ts'
export { type Column, shortNumber, textTable } from './table.ts'
