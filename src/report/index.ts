export { type AttackPageData, attackPage } from './attack/attack-page.ts'
export {
  completeEvaluationPage,
  type NamedAttack,
  type PagePlace,
  readAttacks,
  writeAttackPage,
  writeEvaluationPage,
} from './attack/attack-pages.ts'
export type { ComparedRun, PictureSource, SettingRows, Threshold } from './attack/attack-run.ts'
export { type CurvePoint, convergenceFigure, type FigureText } from './chart/convergence-figure.ts'
export { drawingDocument } from './drawing-document.ts'
export type { ReportPage } from './page/document.ts'
export { writePageFiles } from './page/page-files.ts'
export type { RunData, RunEnd, RunTrace } from './run/run-data.ts'
export { type RunPageOptions, runPage } from './run/run-page.ts'
export { type Column, shortNumber, textTable } from './table.ts'
