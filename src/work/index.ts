export * from './evaluation/index.ts'
export type {
  Finished,
  ItemCounts,
  ItemDone,
  Progress,
  Started,
  Warning,
  WorkEnd,
  WorkEvent,
  WorkKind,
} from './events.ts'
export type { PerformControl } from './performing.ts'
export type { Work, WorkState, WorkStatus } from './work.ts'
