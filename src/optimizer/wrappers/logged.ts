import { ask, notAsked, originalRow } from '../core/answers.ts'
import { andThen, forEachAsync } from '../core/async.ts'
import { ZerothError } from '../core/errors.ts'
import { functionThat, type Input, optional, parseOptions, table } from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, checkObjective } from './around.ts'
import { reasonMessage } from './retried.ts'

/**
 * Saves every query: `write` gets the record of each row, in the order of rows, after each evaluation. What was cut short
 * by a signal counts nowhere and is not written. A record that cannot be saved ends the run, whatever its failure policy.
 */
export function logged(objective: Objective, options: LoggedOptions): Objective {
  checkObjective('logged', objective)
  const { write, close } = parseOptions('logged', loggedOptions, options)

  const save = (queries: Queries, into: Answers, row: number): void | Promise<void> => {
    try {
      const work: unknown = write(recordOf(queries, into, row))
      return work instanceof Promise ? work.then(() => undefined, refuse) : undefined
    } catch (error) {
      return refuse(error)
    }
  }
  const evaluate: Objective['evaluate'] = (queries, into, signal) =>
    andThen(ask(objective, queries, into, signal), () => {
      let next = 0
      const take = () => (next < queries.rows && signal?.aborted !== true ? next++ : undefined)
      return forEachAsync(take, (row) => (into.dropped?.[row] === notAsked ? undefined : save(queries, into, row)))
    })
  const closeBoth = async (): Promise<void> => {
    try {
      await objective.close?.()
    } finally {
      await close?.()
    }
  }
  return { ...around(objective, evaluate), close: closeBoth }
}

function recordOf(queries: Queries, into: Answers, row: number): CallRecord {
  const point = new Float64Array(queries.dim)
  queries.write(row, point)
  return {
    iteration: queries.key.iteration,
    row: originalRow(queries, row),
    sample: queries.sample(row),
    point,
    value: into.values[row] as number,
    failed: into.failed[row] === 1 ? reasonMessage(into.reasons[row]) : undefined,
    cached: into.cached?.[row] === 1,
  }
}

function refuse(error: unknown): never {
  throw new ZerothError('storage-failed', `logged could not save a query: ${reasonMessage(error)}`, { cause: error })
}

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
  /** Called with the record of each query. */
  write: functionThat<WriteRecord>('must be a function of a record'),
  /** Called when the objective is closed, after it. */
  close: optional(functionThat<() => void | Promise<void>>('must be a function')),
})

/** Options of `logged`. */
export interface LoggedOptions extends Input<typeof loggedOptions> {}
