export type { Checkpoint } from './core/checkpoint.ts'
export { decodeCheckpoint, encodeCheckpoint } from './core/checkpoint-json.ts'
export { type Control, type Driver, drive, driver } from './core/engine.ts'
export type { Aborted, Failed, Finished, Outcome, Report, StopReason } from './core/errors.ts'
export { type ErrorCode, ZerothError } from './core/errors.ts'
export type { HistoryRecord } from './core/history.ts'
export { resumeSearch, savedPart } from './core/memory.ts'
export type { NamedPoint, NamedVariables, Start, Variable } from './core/named-variables.ts'
export { openKernels } from './core/open-kernels.ts'
export type { ScheduleOption } from './core/options.ts'
export { definePart, type Made, type Origin, type Part, type PartKind } from './core/part.ts'
export { points } from './core/points.ts'
export { constant, inverse, inverseSqrt, smoothingForHorizon, smoothingForNoise } from './core/schedule.ts'
export { createSession, Session } from './core/session.ts'
export type { SessionOptions } from './core/session-options.ts'
export type { FailurePolicy } from './core/session-table.ts'
export { type Summary, summarize } from './core/statistics.ts'
export type * from './core/types.ts'
export { namedVariables } from './core/variables-option.ts'
export type { Kernels } from './kernels/kernels.ts'
// Random numbers by address, for objectives and checks that must come out the same everywhere.
export { type RandomRow, randomUniform } from './kernels/random.ts'
export { type BatchContext, type BatchFunction, batchedObjective } from './objectives/batched.ts'
export {
  functionObjective,
  type PointFunction,
  type QueryContext,
} from './objectives/function.ts'
export type { BatchOptions, FunctionOptions } from './objectives/function-options.ts'
export type { NamedBatchFunction, NamedFunction } from './objectives/named-points.ts'
export type {
  FiniteSum,
  ProblemConstants,
  Smoothed,
  TestProblem,
} from './objectives/problems/test-problem.ts'
export * from './parts.ts'
export { maximize } from './run/maximize.ts'
export {
  type BatchedOptions,
  type MinimizeOptions,
  minimize,
  minimizeSync,
  type ObjectiveOptions,
  type Result,
} from './run/minimize.ts'
export { type ManyOptions, type ManyResult, type ManyVariableOptions, minimizeMany } from './run/minimize-many.ts'
export type { OnIteration } from './run/minimize-table.ts'
export type { RunOptions } from './run/run-options.ts'
export type { BatchedVariableOptions, Named, StartAndOptions, VariableOptions } from './run/variable-options.ts'
export { type Explanation, explainAuto } from './solvers/auto-explain.ts'
// For solvers of one's own.
export { type Trials, trialSearch } from './solvers/trial-search.ts'
export { withinSet } from './solvers/within-set.ts'
export { type Batch, type Stage, type StagedMethod, stagedSearch } from './staged/staged-search.ts'
export { cached } from './wrappers/cached.ts'
export type { CallRecord, WriteRecord } from './wrappers/call-record.ts'
export { limited } from './wrappers/limited.ts'
export { logged } from './wrappers/logged.ts'
export { noisy } from './wrappers/noisy.ts'
export { rateLimited } from './wrappers/rate-limited.ts'
export { retried } from './wrappers/retried.ts'
export type { Sleep } from './wrappers/sleep.ts'
export { timed } from './wrappers/timed.ts'
export type * from './wrappers/wrapper-options.ts'
