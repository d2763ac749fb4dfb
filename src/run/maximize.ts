import type { Answers, Objective, Queries } from '../core/types.ts'
import type { PointFunction } from '../objectives/function.ts'
import { minimize, type MinimizeOptions, type Result } from './minimize.ts'

/** Maximises a function: `target`, values and history are those of the function itself, not of its negative. */
export async function maximize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options: MinimizeOptions = {},
): Promise<Result> {
  const { target, onIteration, ...rest } = options
  const result = await minimize(negated(f), start, {
    ...rest,
    ...(target === undefined ? {} : { target: -target }),
    ...(onIteration === undefined ? {} : { onIteration: (record) => onIteration(turned(record)) }),
  })
  return {
    ...turned(result),
    last: turned(result.last),
    history: result.history.map((record) => ({ ...turned(record), best: -record.best })),
  }
}

function turned<T extends { readonly value: number }>(record: T): T {
  return { ...record, value: -record.value }
}

function negated(f: PointFunction | Objective): PointFunction | Objective {
  if (typeof f !== 'function') return negatedObjective(f)
  return (x, context) => {
    const value = f(x, context)
    return typeof value === 'number' ? -value : value instanceof Promise ? value.then(negative) : value
  }
}

/** Leaves what is no number as it is, so that the error about it shows what was really returned. */
function negative(value: unknown): number {
  return (typeof value === 'number' ? -value : value) as number
}

function negatedObjective(objective: Objective): Objective {
  const negate = (queries: Queries, into: Answers): void => {
    for (let row = 0; row < queries.rows; row++) into.values[row] = -(into.values[row] as number)
  }
  return {
    dim: objective.dim,
    evaluate(queries, into, signal) {
      const work = objective.evaluate(queries, into, signal)
      return work === undefined ? negate(queries, into) : work.then(() => negate(queries, into))
    },
  }
}
