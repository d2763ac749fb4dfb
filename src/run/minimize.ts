import { engine, runToEnd } from '../core/engine.ts'
import { type Aborted, type Finished, type Outcome, show, ZerothError } from '../core/errors.ts'
import { isPromise } from '../core/in-turn.ts'
import type { Output } from '../core/option-type.ts'
import { parseOptions } from '../core/parse-options.ts'
import { Session } from '../core/session.ts'
import type { Objective } from '../core/types.ts'
import { type BatchFunction, batchedObjective } from '../objectives/batched.ts'
import { functionObjective, type PointFunction } from '../objectives/function.ts'
import { minimizeOptions, type OnIteration } from './minimize-table.ts'
import type { RunOptions } from './run-options.ts'

/** Options of `minimize` for a function of one point. */
export interface MinimizeOptions extends RunOptions {
  /** Whether the objective takes a list of points: not this one. */
  readonly batched?: false | undefined
}

/** Options of `minimize` for a function that takes a list of points and returns a list of numbers. */
export interface BatchedOptions extends RunOptions {
  /** Says that the objective takes a list of points and returns a list of numbers. */
  readonly batched: true
}

/** What a run returns: the best evaluated point, its value, and the whole account. */
export type Result = Finished | Aborted

/**
 * Minimises a function that can only be queried. Synchronous functions are called in a plain loop; asynchronous and
 * batched ones are awaited. Rejects when the objective fails under the policy `stop`; whatever error
 * ends a run carries its `outcome` and its `checkpoint`.
 */
export function minimize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options?: MinimizeOptions,
): Promise<Result>
export function minimize(f: BatchFunction, start: ArrayLike<number>, options: BatchedOptions): Promise<Result>
export async function minimize(
  f: PointFunction | BatchFunction | Objective,
  start: ArrayLike<number>,
  given: MinimizeOptions | BatchedOptions = {},
): Promise<Result> {
  const options = parseOptions('minimize', minimizeOptions, given)
  const { session, objective } = prepare(f, start, options)
  const { signal, onIteration, clock } = options
  try {
    return resultOf(await runToEnd(session, objective, { signal, onIteration }, clock))
  } catch (error) {
    throw withFindings(error, session)
  }
}

/** As `minimize`, for synchronous functions only: returns the result itself and never waits. */
export function minimizeSync(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  given: MinimizeOptions = {},
): Result {
  const options = parseOptions('minimizeSync', minimizeOptions, given)
  const { session, objective } = prepare(f, start, options)
  const { signal, onIteration } = options
  try {
    for (const _ of engine(session, objective, { signal, onIteration: onIteration && refusingPromises(onIteration) })) {
      throw new ZerothError('invalid-objective', 'minimizeSync: the objective returned a promise; use minimize')
    }
    return resultOf(session.outcome as Outcome)
  } catch (error) {
    throw withFindings(error, session)
  }
}

function refusingPromises(onIteration: OnIteration): OnIteration {
  return (record, session) => {
    const said = onIteration(record, session)
    if (!isPromise(said)) return said
    throw new ZerothError('invalid-option', 'minimizeSync.onIteration returned a promise; use minimize')
  }
}

function prepare(
  f: PointFunction | BatchFunction | Objective,
  start: ArrayLike<number>,
  options: Output<typeof minimizeOptions>,
): { session: Session; objective: Objective } {
  const { batched, batchSize, concurrency, timeout, signal: _, onIteration: __, ...rest } = options
  refuseUseless(f, options)
  const session = new Session(start, rest)
  const how = { dim: start.length, timeout }
  if (typeof f === 'object' && f !== null) {
    if (typeof f.evaluate !== 'function') {
      throw new ZerothError('invalid-objective', 'the objective is an object without evaluate(queries, into, signal)')
    }
    if (f.dim !== start.length) {
      throw new ZerothError('invalid-objective', `the objective has ${f.dim} variables, the start ${start.length}`)
    }
    return { session, objective: f }
  }
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function or an Objective, got ${show(f)}`)
  }
  const objective = batched
    ? batchedObjective(f as BatchFunction, { ...how, batchSize })
    : functionObjective(f as PointFunction, { ...how, concurrency })
  return { session, objective }
}

/** Puts what a run had found, and where it stood, on an error that ends it: hours of queries must not be lost. */
function withFindings(error: unknown, session: Session): unknown {
  if (!(error instanceof Error)) return error
  session.stop('aborted')
  // Not for loops over its keys: the outcome holds the error again, and JSON cannot hold a cycle.
  const hidden = { configurable: true, writable: true, enumerable: false }
  Object.defineProperty(error, 'outcome', { ...hidden, value: session.outcome })
  return Object.defineProperty(error, 'checkpoint', { ...hidden, value: session.checkpoint() })
}

/** Options that would do nothing are mistakes worth saying. */
function refuseUseless(f: unknown, options: Output<typeof minimizeOptions>): void {
  const { batched, batchSize, concurrency, timeout } = options
  const useless = Object.entries({ batched: batched || undefined, batchSize, concurrency, timeout })
  const [name] = useless.find(([, value]) => typeof f === 'object' && value !== undefined) ?? []
  if (name !== undefined) {
    const advice = 'give it to the objective itself, or wrap it with timed or limited'
    throw new ZerothError(
      'invalid-option',
      `minimize.${name} is for functions; with an objective it does nothing: ${advice}`,
    )
  }
  if (!batched && batchSize !== undefined) {
    throw new ZerothError('invalid-option', 'minimize.batchSize does nothing without batched: true')
  }
  if (batched && concurrency !== undefined) {
    throw new ZerothError(
      'invalid-option',
      'minimize.concurrency does nothing with batched: true: batches follow each other',
    )
  }
}

/** An outcome that is no failure; a failure is thrown. */
function resultOf(outcome: Outcome): Result {
  if (outcome.status === 'failed') throw outcome.error
  return outcome
}
