export { type AttackPageData, attackPage } from './attack/attack-page.ts'
export type { ComparedRun, PictureSource, SettingRows, Threshold } from './attack/attack-run.ts'
export {
  completeEvaluationPage,
  type NamedAttack,
  type PagePlace,
  readAttacks,
  writeAttackPage,
  writeEvaluationPage,
  writePageFiles,
} from './attack/write-pages.ts'
export { drawingDocument } from './drawing-document.ts'
export type { ReportPage } from './page/document.ts'
export { type RunPageOptions, runPage } from './run/run-page.ts'
export type { RunData, RunEnd, RunTrace } from './run/runs.ts'
export { type Column, shortNumber, textTable } from './table.ts'
