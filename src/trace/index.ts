export { CheckpointPace } from './checkpoint-pace.ts'
export { driveRun, type RunControl } from './drive-run.ts'
export type { Lock } from './lock.ts'
export type { NewRun, RunMeta } from './meta-file.ts'
export { createRun, openRun, type StoreOptions } from './open-run.ts'
export {
  type DamagedRun,
  listRuns,
  type ReadableRun,
  type ReadOptions,
  type RunFacts,
  type RunRecord,
  type RunStatus,
  type RunSummary,
  readOverview,
  readRun,
} from './read-run.ts'
export { type RunProgress, type TraceColumns, type TraceTail, traceRecords, traceTail } from './read-trace.ts'
export { repairRun } from './repair-run.ts'
export { replaceSpec } from './replace-spec.ts'
export { hashOf, type RunResult, resultJson } from './result-file.ts'
export { writeWholeFile } from './run-file.ts'
export { checkpointFiles, folderHolder, lockFolder, runFolder } from './run-folder.ts'
export type { RunStore } from './run-store.ts'
export { type SampleOptions, sampleTrace } from './sample-trace.ts'
export { type SavedBest, savedBest } from './saved-best.ts'
export type { StoreFiles } from './store-files.ts'
export type { TraceRecord } from './trace-lines.ts'
