import type { HistoryRecord } from '../core/history.ts'
import { count, flag, optional, positive, table } from '../core/options.ts'
import { part } from '../core/part.ts'
import { functionThat, tested } from '../core/schema.ts'
import type { Session } from '../core/session.ts'
import { sessionOptions } from '../core/session-table.ts'
import type { Solver } from '../core/types.ts'
import { auto } from '../solvers/auto.ts'

/** Called after each iteration, with the session for its checkpoint; `'stop'` ends the run. May be asynchronous. */
export type OnIteration = (record: HistoryRecord, session: Session) => unknown

/** Options of `minimize`: those of a session, how to call the objective, and how to watch and stop the run. */
export const minimizeOptions = table({
  ...sessionOptions.shape,
  solver: part<Solver>('solver', 'begin', 'the method', () => auto()),
  batched: flag('the objective takes a list of points and returns a list of numbers', false),
  batchSize: optional(count('points per call of a batched objective at most')),
  concurrency: optional(count('calls of an asynchronous objective under way at once')),
  timeout: optional(positive('milliseconds after which an asynchronous query counts as failed')),
  signal: optional(
    tested<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal'),
    'stops the run, which then returns what it has',
  ),
  onIteration: optional(
    functionThat<OnIteration>('must be a function'),
    'called after each iteration; return "stop" to end the run',
  ),
})
