export type { Budget } from '../../optimizer/core/types.ts'
export { exportMlflow, type MlflowExport, type MlflowOptions } from '../trackers/mlflow.ts'
export { exportTensorBoard } from '../trackers/tensorboard.ts'
export { type AnyJob, type FollowOptions, follow, type JobResults, listJobs, openJob, viewJob } from './any-job.ts'
export { imagesCsv } from './evaluation/attack-files.ts'
export type { AttackRecord } from './evaluation/attack-record.ts'
export {
  type Evaluation,
  type EvaluationOptions,
  type EvaluationTrials,
  evaluationTrials,
  openEvaluation,
} from './evaluation/evaluation.ts'
export { type ArrayOptions, attackArrays, pixelTypes } from './evaluation/export-attack.ts'
export { readSnapshot } from './evaluation/image-runs.ts'
export {
  evaluationStatus,
  measuredNothing,
  readEvaluation,
  type StoredAttack,
  type Verdict,
  verdictOf,
} from './evaluation/status.ts'
export type {
  Finished,
  ItemCounts,
  ItemDone,
  JobEnd,
  JobEvent,
  PerformControl,
  Progress,
  Started,
  TimedRecord,
  Warning,
} from './events.ts'
export { requestStop } from './events.ts'
export { type ExportFormat, type ExportOptions, exportFormats, exportJob } from './export.ts'
export { type JobKind, kindOf } from './folders.ts'
export type { Job, JobState, JobView, Limits } from './job.ts'
export { openRepeats, type Repeat, type RepeatsResult } from './repeats.ts'
export { openRun } from './run.ts'
export type { Found, Setting, Trial, Trials, Tried } from './tuning.ts'
export { openTuning, type TuningOptions, type TuningResult, type TuningSearch } from './tuning.ts'
