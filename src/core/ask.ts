import { recordFailures } from './answers.ts'
import { endsRun } from './errors.ts'
import type { Answers, Objective, Queries } from './types.ts'

/** Asks the objective. What it throws is why all its rows failed; an error that ends the run is thrown, of a row, too. */
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
    if (work !== undefined) return work.then(() => throwFatal(into, queries.rows), failAll)
  } catch (error) {
    failAll(error)
  }
  throwFatal(into, queries.rows)
}

/** A mistake in how an objective was set up is no failed query: nothing was asked, and asking again cannot help. */
function throwFatal({ failed, reasons }: Answers, rows: number): void {
  for (let row = 0; row < rows; row++) if (failed[row] === 1 && endsRun(reasons[row])) throw reasons[row]
}
