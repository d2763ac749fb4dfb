export type { Announcement } from './announcements.ts'
export {
  type ContentStatus,
  drainQueue,
  type FailedJob,
  type QueueControlOptions,
  type QueueStatus,
  queueStatus,
  retryQueue,
} from './queue-control.ts'
export { dispatchOptions, type QueueObjectiveOptions, queueObjective } from './queue-objective.ts'
export type { JobWorker } from './serve-jobs.ts'
export { type RowWorker, type ServeRowsOptions, serveRows } from './serve-rows.ts'
export { type Served, servedBy } from './served.ts'
