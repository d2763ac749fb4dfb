export type { Budget } from '../core/types.ts'
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
  Progress,
  Started,
  TimedRecord,
  Warning,
  WorkEnd,
  WorkEvent,
  WorkKind,
} from './events.ts'
export { type ExportFormat, type ExportOptions, exportFormats, exportWork } from './export.ts'
export { kindOf } from './folders.ts'
export { type FollowOptions, follow } from './follow.ts'
export type { Limits } from './limits.ts'
export { exportMlflow, type MlflowExport, type MlflowOptions } from './mlflow/export-mlflow.ts'
export { type AnyWork, openWork, type WorkResults } from './open-work.ts'
export type { PerformControl } from './performing.ts'
export { requestStop } from './performing.ts'
export { openRun } from './run.ts'
export { openSeries, type SeriesMember, type SeriesResult } from './series.ts'
export { listWorks, workStatus } from './status.ts'
export { exportTensorBoard } from './tensorboard/export-tensorboard.ts'
export type { Trial, Trials } from './tuning.ts'
export { openTuning, type TuningOptions, type TuningResult, type TuningSearch } from './tuning.ts'
export type { Found, Setting, Tried } from './tuning-search.ts'
export type { Work, WorkState, WorkStatus } from './work.ts'
