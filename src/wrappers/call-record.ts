import { option, optional, table } from '../core/options.ts'
import { functionThat } from '../core/schema.ts'

/** One query and what came of it. */
export interface CallRecord {
  readonly iteration: number
  /** Its row in the iteration. */
  readonly row: number
  readonly sample: number
  /** A copy of its own. */
  readonly point: Float64Array
  /** NaN where it failed. */
  readonly value: number
  /** Why it failed; undefined where it did not. */
  readonly failed: string | undefined
  /** True where the answer was known and the objective was not asked. */
  readonly cached: boolean
}

/** Saves a record. May return a promise, which is then waited for. */
export type WriteRecord = (record: CallRecord) => void | Promise<void>

/** Where the records go. */
export const loggedOptions = table({
  write: option(functionThat<WriteRecord>('must be a function of a record'), 'called with the record of each query'),
  close: optional(
    functionThat<() => void | Promise<void>>('must be a function'),
    'called when the objective is closed, after it',
  ),
})
