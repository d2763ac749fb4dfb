import { notAsked } from '../core/answers.ts'
import { ask } from '../core/ask.ts'
import { ZerothError } from '../core/errors.ts'
import { after, inTurn } from '../core/in-turn.ts'
import { parseOptions } from '../core/parse-options.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, checkObjective } from './around.ts'
import { reasonMessage } from './back-off.ts'
import { type CallRecord, loggedOptions } from './call-record.ts'
import type { LoggedOptions } from './wrapper-options.ts'

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
    failed: into.failed[row] === 1 ? reasonMessage(into.reasons[row]) : undefined,
    cached: into.cached?.[row] === 1,
  }
}

function refuse(error: unknown): never {
  throw new ZerothError('storage-failed', `logged could not save a query: ${reasonMessage(error)}`, { cause: error })
}
