import { notAsked } from '../core/answers.ts'
import { ask } from '../core/ask.ts'
import { ZerothError } from '../core/errors.ts'
import { after, inTurn } from '../core/in-turn.ts'
import type { Input } from '../core/option-type.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { functionThat } from '../core/schema.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, checkObjective } from './around.ts'
import { reasonText } from './back-off.ts'

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

const loggedOptions = table({
  write: option(functionThat<WriteRecord>('must be a function of a record'), 'called with the record of each query'),
  close: optional(
    functionThat<() => void | Promise<void>>('must be a function'),
    'called when the objective is closed, after it',
  ),
})

/** Options of `logged`. */
export type LoggedOptions = Input<typeof loggedOptions>

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
    after(ask(objective, queries, into, signal), () => {
      let next = 0
      const take = () => (next < queries.rows && signal?.aborted !== true ? next++ : undefined)
      return inTurn(take, (row) => (into.dropped?.[row] === notAsked ? undefined : save(queries, into, row)))
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
    failed: into.failed[row] === 1 ? reasonText(into.reasons[row]) : undefined,
    cached: into.cached?.[row] === 1,
  }
}

function refuse(error: unknown): never {
  throw new ZerothError('storage-failed', `logged could not save a query: ${reasonText(error)}`, { cause: error })
}
