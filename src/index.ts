export { points } from './optimizer/core/answers.ts'
export { decodeCheckpoint, encodeCheckpoint } from './optimizer/core/checkpoint.ts'
export { type Control, type Driver, drive, driver } from './optimizer/core/engine.ts'
export type { Aborted, Failed, Finished, Outcome, Report, StopReason } from './optimizer/core/errors.ts'
export { type ErrorCode, ZerothError } from './optimizer/core/errors.ts'
export { constant, inverse, inverseSqrt, smoothingForHorizon, smoothingForNoise } from './optimizer/core/iteration.ts'
export { openKernels } from './optimizer/core/open-kernels.ts'
export type { ScheduleOption } from './optimizer/core/options.ts'
export {
  definePart,
  type Made,
  type OptionsOf,
  type Origin,
  type Part,
  type PartKind,
  resumeSearch,
  savedPart,
} from './optimizer/core/part.ts'
export { createSession, Session } from './optimizer/core/session.ts'
export type { FailurePolicy, SessionOptions } from './optimizer/core/session-options.ts'
export { type Summary, summarize } from './optimizer/core/statistics.ts'
export type * from './optimizer/core/types.ts'
export type { Checkpoint, HistoryRecord } from './optimizer/core/types.ts'
export type * from './optimizer/core/variable-types.ts'
export type { NamedPoint, NamedVariables, Start, Variable } from './optimizer/core/variable-types.ts'
export { namedVariables } from './optimizer/core/variables.ts'
export type { Kernels } from './optimizer/kernels/kernels.ts'
// Random numbers by address, for objectives and checks that must come out the same everywhere.
export { type RandomRow, randomUniform } from './optimizer/kernels/random.ts'
export { type Explanation, explainAuto } from './optimizer/methods/auto-rule.ts'
export { withinSet } from './optimizer/methods/points.ts'
export { type Batch, type Stage, type StagedMethod, stagedSearch } from './optimizer/methods/staged/staged-search.ts'
export type {
  BatchedVariableOptions,
  Named,
  OnIteration,
  RunOptions,
  StartAndOptions,
  VariableOptions,
} from './optimizer/minimize/minimize.ts'
export {
  type BatchedOptions,
  type MinimizeOptions,
  maximize,
  minimize,
  type ObjectiveOptions,
  type Result,
} from './optimizer/minimize/minimize.ts'
export {
  type ManyOptions,
  type ManyResult,
  type ManyVariableOptions,
  minimizeMany,
} from './optimizer/minimize/minimize-many.ts'
export { minimizeSync } from './optimizer/minimize/minimize-sync.ts'
export type {
  BatchOptions,
  FunctionOptions,
  NamedBatchFunction,
  NamedFunction,
} from './optimizer/objectives/function.ts'
export {
  type BatchContext,
  type BatchFunction,
  batchedObjective,
  functionObjective,
  type PointFunction,
  type QueryContext,
} from './optimizer/objectives/function.ts'
export type {
  FiniteSum,
  ProblemConstants,
  TestProblem,
} from './optimizer/objectives/problems/test-problem.ts'
export type { Sleep } from './optimizer/wrappers/around.ts'
export type { CachedOptions } from './optimizer/wrappers/cached.ts'
export { cached } from './optimizer/wrappers/cached.ts'
export type { LimitedOptions, RateLimitedOptions, TimedOptions } from './optimizer/wrappers/limits.ts'
export { limited, rateLimited, timed } from './optimizer/wrappers/limits.ts'
export type { CallRecord, LoggedOptions, WriteRecord } from './optimizer/wrappers/logged.ts'
export { logged } from './optimizer/wrappers/logged.ts'
export type { NoisyOptions } from './optimizer/wrappers/noisy.ts'
export { noisy } from './optimizer/wrappers/noisy.ts'
export type { RetriedOptions } from './optimizer/wrappers/retried.ts'
export { retried } from './optimizer/wrappers/retried.ts'
export * from './parts.ts'
export { parts } from './registry.ts'
// For solvers of one's own.
export { type Trials, trialSearch } from './robustness/methods/trial-search.ts'
