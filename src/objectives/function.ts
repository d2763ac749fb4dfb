import { recordFailure, recordValue } from '../core/answers.ts'
import { breatherOf } from '../core/breath.ts'
import { show, ZerothError } from '../core/errors.ts'
import { askInPieces } from '../core/in-parallel.ts'
import { inTurn, isPromise } from '../core/in-turn.ts'
import type { Output } from '../core/option-type.ts'
import { count, optional, positive, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { withinTime } from '../core/within-time.ts'
import type { FunctionOptions } from './function-options.ts'

/** What a function is told beside the point. */
export interface QueryContext {
  /** Which sample xi to use: an index below `population` for a finite sum, otherwise a 32-bit word to seed noise with. */
  readonly sample: number
  readonly iteration: number
  readonly row: number
  /** Fires when the run is stopped; where there is a time-out, each call has its own, which fires then, too. */
  readonly signal: AbortSignal | undefined
}

/** A function of one point. A synchronous one must copy the point to keep it: the next call reuses it. */
export type PointFunction = (x: Float64Array, context: QueryContext) => number | Promise<number>

export const functionOptions = table({
  dim: count('number of variables'),
  concurrency: count('calls of an asynchronous function that may be under way at once', 1),
  timeout: optional(positive('milliseconds after which an asynchronous call counts as failed')),
})

/** A call under way, and what it was told. */
interface Call {
  readonly work: unknown
  readonly context: QueryContext
}

/** Rows that are asked, and where their answers go. */
interface Asked {
  readonly queries: Queries
  readonly into: Answers
  readonly signal: AbortSignal | undefined
}

/** A JavaScript function as a black box: called once per row, its exceptions and odd values kept as failures. */
export function functionObjective(f: PointFunction, options: FunctionOptions): Objective {
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function of a point, got ${show(f)}`)
  }
  const how = parseOptions('functionObjective', functionOptions, options)
  const { dim, timeout } = how
  let scratch = new Float64Array(dim)

  return {
    dim,
    evaluate(queries, into, signal): void | Promise<void> {
      const breathe = breatherOf(signal)
      let next = 0
      const take = (): number | undefined => (next < queries.rows && signal?.aborted !== true ? next++ : undefined)
      return inTurn(take, (row) => {
        try {
          queries.write(row, scratch)
          const context = contextOf(queries, row, timeout, signal)
          const value = f(scratch, context)
          if (isPromise(value)) {
            // The call under way keeps the point it was given, as every later one of this batch does.
            scratch = new Float64Array(dim)
            next = queries.rows
            return finishLater(f, how, { queries, into, signal }, row, { context, work: value })
          }
          recordValue(into, row, value)
        } catch (error) {
          recordFailure(into, row, error)
        }
        return breathe?.()
      })
    },
  }
}

/** The rows from `first` on, whose call is under way: it told us that the function is asynchronous. */
async function finishLater(
  f: PointFunction,
  { dim, concurrency, timeout }: Output<typeof functionOptions>,
  { queries, into, signal }: Asked,
  first: number,
  underWay: Call,
): Promise<void> {
  const begin = (row: number): Call => {
    // A point of its own for each call: one that timed out may still be looking at it.
    const x = new Float64Array(dim)
    queries.write(row, x)
    const context = contextOf(queries, row, timeout, signal)
    return { context, work: f(x, context) }
  }
  const started = [underWay]
  const breathe = breatherOf(signal)
  const pieces = { from: first, rows: queries.rows, size: 1, width: concurrency }
  await askInPieces(pieces, into, async ({ first: row }) => {
    if (started.length === 0 && signal?.aborted === true) return
    await settle(() => resultOf(started.pop() ?? begin(row), timeout, signal), into, row)
    const breath = breathe?.()
    if (breath !== undefined) await breath
  })
}

function contextOf(
  queries: Queries,
  row: number,
  timeout: number | undefined,
  signal: AbortSignal | undefined,
): QueryContext {
  const { iteration } = queries.key
  const [sample, original] = [queries.sample(row), originalRow(queries, row)]
  if (timeout !== undefined) return new TimedContext(sample, iteration, original)
  return { sample, iteration, row: original, signal }
}

/** The context of a call that can time out. Its signal is made on demand: that takes longer than many a function. */
class TimedContext implements QueryContext {
  readonly sample: number
  readonly iteration: number
  readonly row: number
  #controller: AbortController | undefined

  constructor(sample: number, iteration: number, row: number) {
    this.sample = sample
    this.iteration = iteration
    this.row = row
  }

  get controller(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }
}

/** The result of a call, unless it takes too long; a late answer is dropped. */
function resultOf({ work, context }: Call, timeout: number | undefined, signal: AbortSignal | undefined): unknown {
  if (timeout === undefined || !(context instanceof TimedContext)) return work
  return withinTime(work, timeout, context.controller, signal)
}

async function settle(result: () => unknown, into: Answers, row: number): Promise<void> {
  try {
    recordValue(into, row, await result())
  } catch (error) {
    recordFailure(into, row, error)
  }
}
