import type { Report } from '../core/errors.ts'
import type { HistoryRecord } from '../core/history.ts'
import { isPromise } from '../core/in-turn.ts'
import type { Session } from '../core/session.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import type { BatchFunction } from '../objectives/batched.ts'
import type { PointFunction } from '../objectives/function.ts'
import type { NamedBatchFunction, NamedFunction } from '../objectives/named-points.ts'
import { type BatchedOptions, type MinimizeOptions, minimize, type Result } from './minimize.ts'
import {
  type BatchedVariableOptions,
  type Named,
  type StartAndOptions,
  startAndOptions,
  type VariableOptions,
} from './variable-options.ts'

type Maximized = PointFunction | BatchFunction | NamedFunction | NamedBatchFunction | Objective

/** Maximises a function: `target`, values and history are those of the function itself, not of its negative. */
export function maximize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options?: MinimizeOptions,
): Promise<Result>
export function maximize(f: BatchFunction, start: ArrayLike<number>, options: BatchedOptions): Promise<Result>
export function maximize<Name extends string>(
  f: NamedFunction<Name> | Objective,
  ...given: StartAndOptions<Name, VariableOptions<Name>>
): Promise<Named<Result, Name>>
export function maximize<Name extends string>(
  f: NamedBatchFunction<Name>,
  ...given: StartAndOptions<Name, BatchedVariableOptions<Name>>
): Promise<Named<Result, Name>>
export async function maximize(f: Maximized, second?: unknown, third?: unknown): Promise<Result> {
  const { start, options } = startAndOptions(second, third)
  // What is not of the right kind is left as it is, for `minimize` to refuse.
  const { target, onIteration } = (options ?? {}) as MinimizeOptions
  const negativeOptions = {
    ...(options as MinimizeOptions),
    ...(typeof target === 'number' ? { target: -target } : {}),
    ...(typeof onIteration === 'function'
      ? { onIteration: (record: HistoryRecord, session: Session) => onIteration(turnedRecord(record), session) }
      : {}),
  }
  try {
    return turned(await minimize(negated(f) as PointFunction, start as ArrayLike<number>, negativeOptions))
  } catch (error) {
    const failure = error as { outcome?: Report }
    if (failure.outcome !== undefined) failure.outcome = turned(failure.outcome)
    throw error
  }
}

function turned<T extends Report>(report: T): T {
  const last = { ...report.last, value: -report.last.value }
  return { ...report, value: -report.value, last, history: report.history.map(turnedRecord) }
}

function turnedRecord(record: HistoryRecord): HistoryRecord {
  return { ...record, value: -record.value, best: -record.best }
}

function negated(f: Maximized): unknown {
  if (typeof f === 'object' && f !== null) return negatedObjective(f)
  if (typeof f !== 'function') return f
  return (...query: unknown[]) => {
    const answer = (f as (...query: unknown[]) => unknown)(...query)
    return isPromise(answer) ? answer.then(negative) : negative(answer)
  }
}

/** Leaves what is no finite number as it is, so that the error about it shows what was really returned. */
function negative(answer: unknown): unknown {
  if (typeof answer === 'number') return Number.isFinite(answer) ? -answer : answer
  const isList = Array.isArray(answer) || ArrayBuffer.isView(answer)
  return isList ? Array.from(answer as unknown as ArrayLike<unknown>, negative) : answer
}

function negatedObjective(objective: Objective): Objective {
  const negate = (queries: Queries, into: Answers): void => {
    for (let row = 0; row < queries.rows; row++) into.values[row] = negative(into.values[row]) as number
  }
  return {
    dim: objective.dim,
    evaluate(queries, into, signal) {
      const work = objective.evaluate(queries, into, signal)
      return work === undefined ? negate(queries, into) : work.then(() => negate(queries, into))
    },
  }
}
