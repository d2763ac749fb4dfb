import { type RunFacts, readOverview, type TraceRecord, traceRecords } from '../trace/index.ts'

/** A run to be written, read piece by piece: neither its trace nor other runs' points need fit into memory. */
export interface ExportedRun {
  readonly folder: string
  readonly facts: () => Promise<RunFacts>
  /** Its iterations, each time from the first. */
  readonly records: () => Iterable<TraceRecord>
}

/** The run in a folder. */
export function exportedRun(folder: string): ExportedRun {
  return { folder, facts: () => readOverview(folder), records: () => traceRecords(folder) }
}
