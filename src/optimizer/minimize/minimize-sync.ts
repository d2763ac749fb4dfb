import { isPromise } from '../core/async.ts'
import { engine } from '../core/engine.ts'
import { type Outcome, ZerothError } from '../core/errors.ts'
import { join, optional, parseOptions, table, withDefault } from '../core/options.ts'
import { part } from '../core/part.ts'
import type { Objective, Solver } from '../core/types.ts'
import type { Variables } from '../core/variable-types.ts'
import { variablesOption } from '../core/variables.ts'
import { auto } from '../methods/auto-part.ts'
import type { NamedFunction, PointFunction } from '../objectives/function.ts'
import {
  type Minimized,
  type MinimizeOptions,
  type Named,
  type OnIteration,
  plainOptions,
  prepare,
  type Result,
  resultOf,
  type StartAndOptions,
  startAndOptions,
  type VariableOptions,
  withFindings,
} from './minimize.ts'

/** Options of a run that waits for nothing, and so has all at hand that any run may need. */
export const minimizeOptions = join(
  plainOptions,
  table({
    /** Variables by name, and what each may be; not together with set. */
    variables: optional(variablesOption),
    /** The method. Default auto(). */
    solver: withDefault(part<Solver>('solver', 'start'), () => auto()),
  }),
)

/** As `minimize`, for synchronous functions only: returns the result itself and never waits. */
export function minimizeSync(f: PointFunction | Objective, start: ArrayLike<number>, options?: MinimizeOptions): Result
export function minimizeSync<const Of extends Variables>(
  f: NamedFunction<Of> | Objective,
  ...given: StartAndOptions<Of, VariableOptions<Of>>
): Named<Result, Of>
export function minimizeSync(f: Minimized, second?: unknown, third?: unknown): Result {
  const { start, options: given } = startAndOptions(second, third)
  const options = parseOptions('minimizeSync', minimizeOptions, given)
  if (options.out !== undefined) {
    throw new ZerothError('invalid-option', 'minimizeSync.out does nothing, since files are waited for; use minimize')
  }
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
