export { type QueueObjectiveOptions, type ServeRowsOptions } from './queue-options.ts'
export { queueObjective } from './queue-objective.ts'
export { type Served, servedBy } from './served.ts'
export { type RowWorker, serveRows } from './serve-rows.ts'
