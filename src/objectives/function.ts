import { recordFailure, recordValue } from '../core/answers.ts'
import { show, ZerothError } from '../core/errors.ts'
import { originalRow } from '../core/some-rows.ts'
import { callAfter } from '../core/timer.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'

/** What a function is told beside the point. */
export interface QueryContext {
  /** Which sample xi to use: an index below `population` for a finite sum, otherwise a 32-bit word to seed noise with. */
  readonly sample: number
  readonly iteration: number
  readonly row: number
  readonly signal: AbortSignal | undefined
}

/** A function of one point. A synchronous one must copy the point to keep it: the next call reuses it. */
export type PointFunction = (x: Float64Array, context: QueryContext) => number | Promise<number>

/** How a function is called. */
export interface FunctionOptions {
  readonly dim: number
  /** Calls of an asynchronous function that may be under way at once. */
  readonly concurrency?: number | undefined
  /** Milliseconds after which an asynchronous call counts as failed. */
  readonly timeout?: number | undefined
}

/** A JavaScript function as a black box: called once per row, its exceptions and odd values kept as failures. */
export function functionObjective(f: PointFunction, options: FunctionOptions): Objective {
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function of a point, got ${show(f)}`)
  }
  const { dim, concurrency = 1, timeout } = options
  let scratch = new Float64Array(dim)

  const call = (x: Float64Array, queries: Queries, row: number, signal: AbortSignal | undefined): unknown => {
    queries.write(row, x)
    return f(x, {
      sample: queries.sample(row),
      iteration: queries.key.iteration,
      row: originalRow(queries, row),
      signal,
    })
  }

  /** The rows from `first` on, whose call is under way: it told us that the function is asynchronous. */
  const finishLater = async (
    queries: Queries,
    into: Answers,
    signal: AbortSignal | undefined,
    first: number,
    underWay: PromiseLike<unknown>,
  ): Promise<void> => {
    const started = [underWay]
    let next = first
    const work = async (): Promise<void> => {
      while (next < queries.rows && signal?.aborted !== true) {
        const row = next++
        // A point of its own for each call: one that timed out may still be looking at it.
        await settle(() => started.pop() ?? call(new Float64Array(dim), queries, row, signal), into, row, timeout)
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, queries.rows - first) }, work))
  }

  return {
    dim,
    evaluate(queries, into, signal): void | Promise<void> {
      for (let row = 0; row < queries.rows && signal?.aborted !== true; row++) {
        try {
          const value = call(scratch, queries, row, signal)
          if (isPromise(value)) {
            // The call under way keeps the point it was given, as every later one of this batch does.
            scratch = new Float64Array(dim)
            return finishLater(queries, into, signal, row, value)
          }
          recordValue(into, row, value)
        } catch (error) {
          recordFailure(into, row, error)
        }
      }
      return undefined
    },
  }
}

/** Records what a call comes to, unless it takes too long; a late answer is dropped. */
async function settle(start: () => unknown, into: Answers, row: number, timeout: number | undefined): Promise<void> {
  try {
    recordValue(into, row, await withinTime(start(), timeout))
  } catch (error) {
    recordFailure(into, row, error)
  }
}

/** The work's result, or a rejection once the time is up. */
export async function withinTime(work: unknown, timeout: number | undefined): Promise<unknown> {
  if (timeout === undefined) return work
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = callAfter(timeout, () => reject(new Error(`the objective did not answer within ${timeout} ms`)))
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a value must be waited for. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
