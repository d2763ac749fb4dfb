import { dropFrom, endsAt, recordFailures, recordValue } from '../core/answers.ts'
import { breatherOf } from '../core/breath.ts'
import { show, ZerothError } from '../core/errors.ts'
import { inTurn, isPromise } from '../core/in-turn.ts'
import type { Input } from '../core/option-type.ts'
import { count, optional, positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { withinTime } from '../core/within-time.ts'

/** What a batched function is told beside the points. */
export interface BatchContext {
  /** The sample of each point. */
  readonly samples: readonly number[]
  readonly iteration: number
  /** Fires when the run is stopped; where there is a time-out, each call has its own, which fires then, too. */
  readonly signal: AbortSignal | undefined
}

/** A function of several points at once, with one number for each. Once it has answered, its points are reused. */
export type BatchFunction = (
  points: readonly Float64Array[],
  context: BatchContext,
) => ArrayLike<number> | Promise<ArrayLike<number>>

const batchOptions = table({
  dim: count('number of variables'),
  batchSize: optional(count('points per call at most; all rows of an iteration if left out')),
  timeout: optional(positive('milliseconds per point after which an asynchronous call counts as failed')),
})

/** How a batched function is called. */
export type BatchOptions = Readonly<Input<typeof batchOptions>>

/** A function of many points as a black box: one call per batch. */
export function batchedObjective(f: BatchFunction, options: BatchOptions): Objective {
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function of points, got ${show(f)}`)
  }
  const { dim, timeout, batchSize = Infinity } = parseOptions('batchedObjective', batchOptions, options)
  const timeFor = (count: number): number => (timeout ?? Infinity) * count
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

  const settle = async (
    values: PromiseLike<unknown>,
    first: number,
    count: number,
    into: Answers,
    own: AbortController | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    // A call keeps its points until it has answered: another may begin before. One that failed keeps them for good.
    const points = room.splice(0, count)
    try {
      recordBatch(into, first, count, await (own ? withinTime(values, timeFor(count), own, signal) : values))
      for (const point of points) room.push(point)
    } catch (error) {
      recordFailures(into, first, count, error)
    }
  }

  /** Asks one batch and records its answers; returns a promise where they have to be waited for. */
  const askBatch = (
    queries: Queries,
    first: number,
    count: number,
    into: Answers,
    signal: AbortSignal | undefined,
  ): void | Promise<void> => {
    const own = timeout === undefined ? undefined : new AbortController()
    try {
      const values = call(queries, first, count, own?.signal ?? signal)
      if (isPromise(values)) return settle(values, first, count, into, own, signal)
      recordBatch(into, first, count, values)
    } catch (error) {
      recordFailures(into, first, count, error)
    }
    return undefined
  }

  return {
    dim,
    evaluate(queries, into, signal) {
      const breathe = breatherOf(signal)
      let next = 0
      const endIf = (isOver: boolean): void => {
        if (!isOver) return
        dropFrom(into, next, queries.rows)
        next = queries.rows
      }
      const isStopped = (): boolean => signal?.aborted === true
      const take = (): number | undefined => (next < queries.rows ? next : undefined)
      return inTurn(take, (first) => {
        const count = Math.min(batchSize, queries.rows - first)
        next += count
        const work = askBatch(queries, first, count, into, signal)
        if (work === undefined) return breathe?.()?.then(() => endIf(isStopped()))
        return work.then(breathe).then(() => endIf(isStopped() || endsAt(into, first, count)))
      })
    },
  }
}

function recordBatch(into: Answers, first: number, count: number, values: unknown): void {
  const length = (values as ArrayLike<unknown> | null | undefined)?.length
  if (length !== count || typeof values === 'string') {
    recordFailures(
      into,
      first,
      count,
      `the objective returned ${show(values)} for ${count} points; one number each is needed`,
    )
    return
  }
  for (let i = 0; i < count; i++) recordValue(into, first + i, (values as ArrayLike<unknown>)[i])
}
