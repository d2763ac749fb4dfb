export type { AttackAccount } from './account.ts'
export type { Goal } from './attack-objective.ts'
export { type AttackProblem, attackProblem, type Victim } from './attack-problem.ts'
export type {
  AttackControl,
  AttackEnd,
  Attacked,
  AttackedPicture,
  AttackPlace,
  AttackProgress,
  RunAttack,
} from './attack-task.ts'
export { screenedRecord } from './attack-task.ts'
export {
  type AttackImage,
  type AttackStore,
  attackScreened,
  type Briefing,
  evaluateRobustness,
  imageAttacker,
  imageSeed,
  type RobustnessControl,
} from './evaluate-robustness.ts'
export type { AttackProblemOptions, RobustnessOptions } from './evaluation-options.ts'
export type { AttackForm, PosedAttack } from './form.ts'
export { withinLimit } from './limit-summary.ts'
export { mostNoiseCalls, noiseFloor, noiseWarnings } from './noise-floor.ts'
export type * from './records.ts'
export * from './registry.ts'
export { robustnessOptions, settingsWarnings } from './robustness-options.ts'
export { mostChecks } from './saved-picture.ts'
export { missingImages, mostCanaries, type Screened, screenImages } from './screening.ts'
export { screeningJson, storedImage, storedNoise, storedReport, storedScreening } from './stored-records.ts'
export { robustAccuracyBounds, summarizeAttack } from './summary.ts'
