export { CheckpointPace } from './checkpoints.ts'
export { driveRun, type RunControl } from './drive-run.ts'
export type { JournalRecord } from './journal-record.ts'
export { type Lock, lockWaits } from './lock.ts'
export type { NewRun, RunMeta } from './meta-file.ts'
export { replaceSpec } from './meta-file.ts'
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
  type SavedBest,
  savedBest,
} from './read-run.ts'
export {
  type RunProgress,
  runProgress,
  type SampleOptions,
  sampleTrace,
  type TraceColumns,
  type TraceTail,
  traceRecords,
  traceTail,
} from './read-trace.ts'
export { hashOf, type RunResult, resultJson, resultOf } from './result-file.ts'
export type { StoreFiles } from './run-file.ts'
export { openOrdinary, readOrdinary, writeWholeFile } from './run-file.ts'
export { checkpointFiles, folderHolder, freeLocks, lockFolder, runFolder } from './run-folder.ts'
export type { RunStore } from './run-store.ts'
export { journalRecords } from './scan-journal.ts'
export { digest, sealedJson, unsealFields } from './sealed-json.ts'
export type { TraceRecord } from './trace-file.ts'
