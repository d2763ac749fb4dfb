import { constrained, unconstrained } from './formulations.ts'

export type { AttackAccount } from './account.ts'
export type { Goal } from './attack-objective.ts'
export type { AttackProblemOptions } from './attack-problem.ts'
export { type AttackProblem, attackProblem, type CleanImage } from './attack-problem.ts'
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
export { mostAlone, mostNoiseCalls, noiseCalls, noiseFloor, noiseWarnings } from './checks.ts'
export { mostConfirmations } from './confirmation.ts'
export {
  type AttackStore,
  attackScreened,
  type Briefing,
  type Executor,
  evaluateRobustness,
  imageSeed,
  inProcessExecutor,
  type RobustnessControl,
} from './evaluate-robustness.ts'
export type { Formulation, FormulationState } from './formulation.ts'
export * from './formulations.ts'
export * from './records.ts'
export type { RobustnessOptions } from './robustness-options.ts'
export { robustnessOptions, settingsWarnings } from './robustness-options.ts'
export { mostChecks } from './saved-picture.ts'
export { isHopeless, missingImages, mostCanaries, type ScreenedImage, screenImages } from './screening.ts'
export { parseStored, storedImage, storedNoise, storedReport, storedScreening } from './stored-records.ts'
export { robustAccuracyBounds, summarizeAttack, withinLimit } from './summary.ts'

/** Every formulation of attacks. */
export const attacks = [constrained, unconstrained]
