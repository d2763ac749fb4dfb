export type {
  ClaimEvidence,
  ClaimReading,
  ClaimResult,
  ClaimVerdict,
} from '../../paper/reproduction/page/claims-section.ts'
export { courseTable, universalTable } from '../../paper/reproduction/page/course-tables.ts'
export {
  courseFigure,
  type HeatPanel,
  heatFigure,
  type PaperFigure,
  pictureFigure,
  universalFigure,
} from '../../paper/reproduction/page/figures.ts'
export type { HeatValue } from '../../paper/reproduction/page/heat-chart.ts'
export { type PaperTable, paperTableCsv } from '../../paper/reproduction/page/paper-table.ts'
export type { PictureRow } from '../../paper/reproduction/page/picture-chart.ts'
export { type Provenance, provenanceRows, type Sitting } from '../../paper/reproduction/page/provenance.ts'
export { reproductionMarkdown } from '../../paper/reproduction/page/reproduction-markdown.ts'
export { type PaperSection, reproductionPage } from '../../paper/reproduction/page/reproduction-page.ts'
export type { TradeOffPoint } from '../../paper/reproduction/page/trade-off-chart.ts'
export { type TradeOffPanel, tradeOffFigure } from '../../paper/reproduction/page/trade-off-figure.ts'
export { type AttackPageData, attackPage } from './attack/attack-page.ts'
export type { ComparedRun, PictureSource, SettingRows } from './attack/attack-run.ts'
export type { Background } from './attack/background.ts'
export { type ComparisonPageData, comparisonPage } from './attack/comparison-page.ts'
export type { Threshold } from './attack/headline.ts'
export { type CurvePoint, convergenceFigure, type FigureText } from './figure.ts'
export type { RunData, RunEnd, RunTrace } from './run-data.ts'
export { type RunPage, type RunPageOptions, runPage } from './run-page.ts'
export { type Column, shortNumber, textTable } from './table.ts'
