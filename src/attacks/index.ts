export type { AttackAccount } from './account.ts'
export { mostChecks } from './attack-image.ts'
export { type AttackProblem, attackProblem, type Victim } from './attack-problem.ts'
export type { AttackControl, AttackEnd, AttackPlace, RunAttack } from './drive-attack.ts'
export {
  type AttackedPicture,
  type AttackProgress,
  evaluateRobustness,
  type RobustnessControl,
} from './evaluate-robustness.ts'
export type { AttackForm, PosedAttack } from './form.ts'
export { imageSeed } from './image-seed.ts'
export { lookedRecord } from './looked-record.ts'
export type { Goal } from './margin.ts'
export type * from './records.ts'
export * from './registry.ts'
export { type RobustnessOptions, robustnessOptions } from './robustness-options.ts'
export { settingsWarnings } from './settings-warnings.ts'
export { storedImage, storedLooks, storedReport } from './stored-records.ts'
export { summarizeAttack } from './summary.ts'
export { type Looked, missingImages, survey } from './survey.ts'
