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
export { type BatchContext, type BatchFunction, type BatchOptions, batchedObjective } from './objectives/batched.ts'
export {
  type FunctionOptions,
  functionObjective,
  type PointFunction,
  type QueryContext,
} from './objectives/function.ts'
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
// For solvers of one's own.
export { type Trials, trialSearch } from './solvers/trial-search.ts'
export { withinSet } from './solvers/within-set.ts'
export { type CachedOptions, cached } from './wrappers/cached.ts'
export { type LimitedOptions, limited } from './wrappers/limited.ts'
export { type CallRecord, type LoggedOptions, logged, type WriteRecord } from './wrappers/logged.ts'
export { type NoisyOptions, noisy } from './wrappers/noisy.ts'
export { type RateLimitedOptions, rateLimited } from './wrappers/rate-limited.ts'
export { type RetriedOptions, retried } from './wrappers/retried.ts'
export type { Sleep } from './wrappers/sleep.ts'
export { type TimedOptions, timed } from './wrappers/timed.ts'
