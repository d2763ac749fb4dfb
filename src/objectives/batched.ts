import { recordFailure, recordValue } from '../core/answers.ts'
import { show, ZerothError } from '../core/errors.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { isPromise, withinTime } from './function.ts'

/** What a batched function is told beside the points. */
export interface BatchContext {
  /** The sample of each point. */
  readonly samples: readonly number[]
  readonly iteration: number
  readonly signal: AbortSignal | undefined
}

/** A function of several points at once, with one number for each. The points are reused by the next call. */
export type BatchFunction = (
  points: readonly Float64Array[],
  context: BatchContext,
) => ArrayLike<number> | Promise<ArrayLike<number>>

/** How a batched function is called. */
export interface BatchOptions {
  readonly dim: number
  /** Points per call at most; all rows of an iteration if left out. */
  readonly batchSize?: number | undefined
  /** Milliseconds per point after which an asynchronous call counts as failed. */
  readonly timeout?: number | undefined
}

/** A function of many points as a black box: one call per batch. */
export function batchedObjective(f: BatchFunction, options: BatchOptions): Objective {
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function of points, got ${show(f)}`)
  }
  const { dim, timeout, batchSize = Infinity } = options
  const room: Float64Array[] = []

  const call = (queries: Queries, first: number, count: number, signal: AbortSignal | undefined): unknown => {
    while (room.length < count) room.push(new Float64Array(dim))
    const points = room.slice(0, count)
    points.forEach((point, i) => {
      queries.write(first + i, point)
    })
    const samples = points.map((_, i) => queries.sample(first + i))
    return f(points, { samples, iteration: queries.key.iteration, signal })
  }

  const evaluateFrom = (
    start: number,
    queries: Queries,
    into: Answers,
    signal: AbortSignal | undefined,
  ): void | Promise<void> => {
    for (let first = start; first < queries.rows; first += batchSize) {
      const count = Math.min(batchSize, queries.rows - first)
      try {
        const values = call(queries, first, count, signal)
        if (isPromise(values)) {
          return withinTime(values, timeout === undefined ? undefined : timeout * count)
            .then((late) => recordBatch(into, first, count, late))
            .catch((error: unknown) => {
              // A call that timed out may still be looking at its points: the next one gets others.
              room.length = 0
              failBatch(into, first, count, error)
            })
            .then(() => (signal?.aborted === true ? undefined : evaluateFrom(first + count, queries, into, signal)))
        }
        recordBatch(into, first, count, values)
      } catch (error) {
        failBatch(into, first, count, error)
      }
    }
    return undefined
  }

  return { dim, evaluate: (queries, into, signal) => evaluateFrom(0, queries, into, signal) }
}

function recordBatch(into: Answers, first: number, count: number, values: unknown): void {
  const length = (values as ArrayLike<unknown> | null | undefined)?.length
  if (length !== count || typeof values === 'string') {
    failBatch(
      into,
      first,
      count,
      `the objective returned ${show(values)} for ${count} points; one number each is needed`,
    )
    return
  }
  for (let i = 0; i < count; i++) recordValue(into, first + i, (values as ArrayLike<unknown>)[i])
}

function failBatch(into: Answers, first: number, count: number, reason: unknown): void {
  for (let i = 0; i < count; i++) recordFailure(into, first + i, reason)
}
