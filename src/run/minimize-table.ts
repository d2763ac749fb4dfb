import type { HistoryRecord } from '../core/history.ts'
import { optional, standing, table } from '../core/options.ts'
import { partType } from '../core/part.ts'
import { functionThat, positiveNumber, tested, wholeFrom, yesOrNo } from '../core/schema.ts'
import type { Session } from '../core/session.ts'
import { sessionOptions } from '../core/session-table.ts'
import type { Solver } from '../core/types.ts'
import { variablesOption } from '../core/variables-option.ts'
import { auto } from '../solvers/auto.ts'

/** Called after each iteration, with the session for its checkpoint; `'stop'` ends the run. May be asynchronous. */
export type OnIteration = (record: HistoryRecord, session: Session) => unknown

/**
 * Options of `minimize`: those of a session, how to call the objective, and how to watch and stop the run. What each means is
 * said in minimize-sentences.ts.
 */
export const minimizeOptions = table({
  ...sessionOptions.shape,
  variables: optional(variablesOption),
  solver: standing(partType<Solver>('solver', 'begin'), () => auto()),
  batched: standing(yesOrNo, () => false),
  batchSize: optional(wholeFrom(1)),
  concurrency: optional(wholeFrom(1)),
  timeout: optional(positiveNumber),
  signal: optional(tested<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
  onIteration: optional(functionThat<OnIteration>('must be a function')),
})
