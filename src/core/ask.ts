import { recordFailures } from './answers.ts'
import { endsRun } from './errors.ts'
import type { Answers, Objective, Queries } from './types.ts'

/** Asks the objective. What it throws is why all its rows failed, unless it is an error that ends the run. */
export function ask(
  objective: Objective,
  queries: Queries,
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  const failAll = (error: unknown): void => {
    if (endsRun(error)) throw error
    recordFailures(into, 0, queries.rows, error)
  }
  try {
    const work = objective.evaluate(queries, into, signal)
    return work === undefined ? undefined : work.then(undefined, failAll)
  } catch (error) {
    return failAll(error)
  }
}
