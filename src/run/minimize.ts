import { engine, runToEnd } from '../core/engine.ts'
import { type Aborted, type Finished, type Outcome, show, ZerothError } from '../core/errors.ts'
import { isPromise } from '../core/in-turn.ts'
import type { NamedVariables, Start } from '../core/named-variables.ts'
import type { Output } from '../core/option-type.ts'
import { parseOptions } from '../core/parse-options.ts'
import { Session } from '../core/session.ts'
import type { Objective } from '../core/types.ts'
import { type BatchFunction, batchedObjective } from '../objectives/batched.ts'
import { functionObjective, type PointFunction } from '../objectives/function.ts'
import { type NamedBatchFunction, type NamedFunction, takingPoint, takingPoints } from '../objectives/named-points.ts'
import { minimizeOptions, type OnIteration } from './minimize-table.ts'
import type { RunOptions } from './run-options.ts'
import {
  type BatchedVariableOptions,
  type Named,
  type StartAndOptions,
  startAndOptions,
  type VariableOptions,
} from './variable-options.ts'

/** Options of `minimize` for a function of one point. */
export interface MinimizeOptions extends Omit<RunOptions, 'variables'> {
  /** Variables with names change what the function is given: see `VariableOptions`. */
  readonly variables?: undefined
  /** Whether the objective takes a list of points: not this one. */
  readonly batched?: false | undefined
}

/** Options of `minimize` for a function that takes a list of points and returns a list of numbers. */
export interface BatchedOptions extends Omit<RunOptions, 'variables'> {
  /** Variables with names change what the function is given: see `BatchedVariableOptions`. */
  readonly variables?: undefined
  /** Says that the objective takes a list of points and returns a list of numbers. */
  readonly batched: true
}

/** Options of `minimize` for an objective: it is asked in own units, as lists, whether variables have names or not. */
export interface ObjectiveOptions extends Omit<MinimizeOptions, 'variables'> {
  /** Variables with names, as a compiled spec has them. */
  readonly variables?: NamedVariables | undefined
}

/** What a run returns: the best evaluated point, its value, and the whole account. */
export type Result = Finished | Aborted

/** What can be minimised. */
type Minimized = PointFunction | BatchFunction | NamedFunction | NamedBatchFunction | Objective

/**
 * Minimises a function that can only be queried. Synchronous functions are called in a plain loop; asynchronous and
 * batched ones are awaited. Rejects when the objective fails under the policy `stop`; whatever error
 * ends a run carries its `outcome` and its `checkpoint`. With `variables` the function is called with an object of their
 * names, and the start may be left out: it is the middle of each.
 */
export function minimize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options?: MinimizeOptions,
): Promise<Result>
export function minimize(f: BatchFunction, start: ArrayLike<number>, options: BatchedOptions): Promise<Result>
export function minimize(f: Objective, start: Start, options: ObjectiveOptions): Promise<Result>
export function minimize<Name extends string>(
  f: NamedFunction<Name> | Objective,
  ...given: StartAndOptions<Name, VariableOptions<Name>>
): Promise<Named<Result, Name>>
export function minimize<Name extends string>(
  f: NamedBatchFunction<Name>,
  ...given: StartAndOptions<Name, BatchedVariableOptions<Name>>
): Promise<Named<Result, Name>>
export async function minimize(f: Minimized, second?: unknown, third?: unknown): Promise<Result> {
  const { start, options: given } = startAndOptions(second, third)
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
export function minimizeSync(f: PointFunction | Objective, start: ArrayLike<number>, options?: MinimizeOptions): Result
export function minimizeSync<Name extends string>(
  f: NamedFunction<Name> | Objective,
  ...given: StartAndOptions<Name, VariableOptions<Name>>
): Named<Result, Name>
export function minimizeSync(f: Minimized, second?: unknown, third?: unknown): Result {
  const { start, options: given } = startAndOptions(second, third)
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
  f: Minimized,
  start: Start | undefined,
  options: Output<typeof minimizeOptions>,
): { session: Session; objective: Objective } {
  const { batched, batchSize, concurrency, timeout, signal: _, onIteration: __, ...rest } = options
  refuseUseless(f, options)
  const names = rest.variables?.names
  const session = new Session(start, rest)
  const how = { dim: names?.length ?? (start as ArrayLike<number>).length, timeout }
  if (typeof f === 'object' && f !== null) {
    if (typeof f.evaluate !== 'function') {
      throw new ZerothError('invalid-objective', 'the objective is an object without evaluate(queries, into, signal)')
    }
    if (f.dim !== how.dim) {
      const found = names === undefined ? `the start ${how.dim}` : `but ${how.dim} are named`
      throw new ZerothError('invalid-objective', `the objective has ${f.dim} variables, ${found}`)
    }
    return { session, objective: f }
  }
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function or an Objective, got ${show(f)}`)
  }
  const objective = batched
    ? batchedObjective(takingPoints(f, names), { ...how, batchSize })
    : functionObjective(takingPoint(f, names), { ...how, concurrency })
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
