import {
  askInPieces,
  dropFrom,
  endsAt,
  originalRow,
  type Piece,
  recordFailure,
  recordFailures,
  recordValue,
} from '../core/answers.ts'
import { forEachAsync, isPromise, withinTime, yielderOf } from '../core/async.ts'
import { show, ZerothError } from '../core/errors.ts'
import {
  count,
  type Input,
  type Output,
  optional,
  parseOptions,
  positive,
  table,
  withDefault,
} from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import type { NamedVariables, PointOf, Variables } from '../core/variable-types.ts'

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
  /** Number of variables. */
  dim: count,
  /** Calls of an asynchronous function that may be under way at once. At least 1; default 1. */
  concurrency: withDefault(count, 1),
  /** Milliseconds after which an asynchronous call counts as failed. Above 0. */
  timeout: optional(positive),
})

/** Options of `functionObjective`. */
export interface FunctionOptions extends Input<typeof functionOptions> {}

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
      const breathe = yielderOf(signal)
      let next = 0
      const take = (): number | undefined => (next < queries.rows && signal?.aborted !== true ? next++ : undefined)
      return forEachAsync(take, (row) => {
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
  const breathe = yielderOf(signal)
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
  /** Number of variables. */
  dim: count,
  /** Points per call at most; all rows of an iteration if left out. At least 1. */
  batchSize: optional(count),
  /** Milliseconds per point after which an asynchronous call counts as failed. Above 0. */
  timeout: optional(positive),
})

/** Options of `batchedObjective`. */
export interface BatchOptions extends Input<typeof batchOptions> {}

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
      const breathe = yielderOf(signal)
      let next = 0
      const endIf = (isOver: boolean): void => {
        if (!isOver) return
        dropFrom(into, next, queries.rows)
        next = queries.rows
      }
      const isStopped = (): boolean => signal?.aborted === true
      const take = (): number | undefined => (next < queries.rows ? next : undefined)
      return forEachAsync(take, (first) => {
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

/** A function of one point whose variables have names, in their own units. Each call gets an object of its own. */
export type NamedFunction<Of = Variables> = (x: PointOf<Of>, context: QueryContext) => number | Promise<number>

/** A function of several points at once whose variables have names, with one number for each. */
export type NamedBatchFunction<Of = Variables> = (
  points: readonly PointOf<Of>[],
  context: BatchContext,
) => ArrayLike<number> | Promise<ArrayLike<number>>

/** A function as one that is called with lists, whatever it is called with itself: names, where there are some. */
export function takingPoint(f: unknown, variables: NamedVariables | undefined): PointFunction {
  if (variables === undefined || typeof f !== 'function') return f as PointFunction
  return (x, context) => f(variables.named(x), context)
}

/** The same for a batched function. */
export function takingPoints(f: unknown, variables: NamedVariables | undefined): BatchFunction {
  if (variables === undefined || typeof f !== 'function') return f as BatchFunction
  return (points, context) => {
    const named = points.map((x) => variables.named(x))
    return f(named, context)
  }
}

/** Refuses variables that are too many or too few. */
export function checkVariables(owner: string, variables: NamedVariables | undefined, dim: number): void {
  if (variables === undefined || variables.names.length === dim) return
  throw new ZerothError(
    'invalid-option',
    `${owner}.variables must be ${dim}, as dim says, got ${variables.names.length}`,
  )
}
