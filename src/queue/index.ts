export type { Announcement } from './announcements.ts'
export {
  type ContentStatus,
  drainQueue,
  type FailedJob,
  type QueueStatus,
  queueStatus,
  retryQueue,
} from './queue-control.ts'
export { handingOut, queueObjective } from './queue-objective.ts'
export type { QueueControlOptions, QueueObjectiveOptions, ServeRowsOptions } from './queue-options.ts'
export type { JobWorker } from './serve-jobs.ts'
export { type RowWorker, serveRows } from './serve-rows.ts'
export { type Served, servedBy } from './served.ts'
