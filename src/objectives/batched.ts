import { dropFrom, endsAt, recordFailures, recordValue } from '../core/answers.ts'
import { breatherOf } from '../core/breath.ts'
import { show, ZerothError } from '../core/errors.ts'
import type { Piece } from '../core/in-parallel.ts'
import { inTurn, isPromise } from '../core/in-turn.ts'
import { count, optional, positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { withinTime } from '../core/within-time.ts'
import type { BatchOptions } from './function-options.ts'

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

export const batchOptions = table({
  dim: count('number of variables'),
  batchSize: optional(count('points per call at most; all rows of an iteration if left out')),
  timeout: optional(positive('milliseconds per point after which an asynchronous call counts as failed')),
})

/** A function of many points as a black box: one call per batch. */
export function batchedObjective(f: BatchFunction, options: BatchOptions): Objective {
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function of points, got ${show(f)}`)
  }
  const { dim, timeout, batchSize = Infinity } = parseOptions('batchedObjective', batchOptions, options)
  const ask = batchAsker(f, dim, timeout)

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
        const work = ask(queries, { first, count }, into, signal)
        if (work === undefined) return breathe?.()?.then(() => endIf(isStopped()))
        return work.then(breathe).then(() => endIf(isStopped() || endsAt(into, first, count)))
      })
    },
  }
}

/** Asks one batch and records its answers; returns a promise where they have to be waited for. */
type AskBatch = (queries: Queries, piece: Piece, into: Answers, signal: AbortSignal | undefined) => void | Promise<void>

function batchAsker(f: BatchFunction, dim: number, timeout: number | undefined): AskBatch {
  const room: Float64Array[] = []

  const pointsOf = (queries: Queries, { first, count }: Piece): Float64Array[] => {
    while (room.length < count) room.push(new Float64Array(dim))
    const points = room.slice(0, count)
    points.forEach((point, i) => {
      queries.write(first + i, point)
    })
    return points
  }

  const settle = async (values: PromiseLike<unknown>, piece: Piece, into: Answers): Promise<void> => {
    // A call keeps its points until it has answered: another may begin before. One that failed keeps them for good.
    const points = room.splice(0, piece.count)
    try {
      recordBatch(into, piece, await values)
      for (const point of points) room.push(point)
    } catch (error) {
      recordFailures(into, piece.first, piece.count, error)
    }
  }

  return (queries, piece, into, signal) => {
    const own = timeout === undefined ? undefined : new AbortController()
    try {
      const points = pointsOf(queries, piece)
      const samples = points.map((_, i) => queries.sample(piece.first + i))
      const values = f(points, { samples, iteration: queries.key.iteration, signal: own?.signal ?? signal })
      if (!isPromise(values)) return recordBatch(into, piece, values)
      const inTime = own ? withinTime(values, (timeout ?? Infinity) * piece.count, own, signal) : values
      return settle(inTime, piece, into)
    } catch (error) {
      return recordFailures(into, piece.first, piece.count, error)
    }
  }
}

function recordBatch(into: Answers, { first, count }: Piece, values: unknown): void {
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
