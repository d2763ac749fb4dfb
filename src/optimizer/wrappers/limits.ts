import { ask, dropFrom, endsAt, putBack, recordFailure, someAnswers } from '../core/answers.ts'
import { andFinally, andThen, follow, forEachAsync, onAbort, withinTime } from '../core/async.ts'
import { isFatal } from '../core/errors.ts'
import {
  count,
  functionThat,
  type Input,
  join,
  parseOptions,
  positive,
  type ShapeOf,
  type Table,
  table,
  withDefault,
} from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { around, askRows, checkObjective, rowsFrom, type Sleep, sleepOption, untilAborted } from './around.ts'

export const limitedOptions = table({
  /** Evaluations of one row each that may be under way at once. At least 1. */
  concurrency: count,
})

/** Options of `limited`. */
export interface LimitedOptions extends Input<typeof limitedOptions> {}

/**
 * Asks row by row, with at most `concurrency` rows under way at once in all: several runs that share the wrapper
 * share its limit. Answers keep their rows, and the result is the same to the bit.
 */
export function limited(objective: Objective, options: LimitedOptions): Objective {
  checkObjective('limited', objective)
  const { concurrency } = parseOptions('limited', limitedOptions, options)
  const places = slots(concurrency)

  return around(objective, (queries, into, signal) => {
    const stopped = (): boolean => signal?.aborted === true
    let next = 0
    const take = (): number | undefined => (next < queries.rows && !stopped() ? next++ : undefined)
    const end = (row: number): void => {
      if (stopped() || !endsAt(into, row)) return
      dropFrom(into, next, queries.rows)
      next = queries.rows
    }
    const askOne = (row: number): void | Promise<void> =>
      andFinally(
        () => (stopped() ? undefined : askRows(objective, queries, [row], into, signal)?.then(() => end(row))),
        places.give,
      )
    const step = (row: number): void | Promise<void> => {
      const place = places.take(signal)
      return place === true ? askOne(row) : place.then((got) => (got ? askOne(row) : undefined))
    }
    // Where nothing has to be waited for, the first lane takes all rows and the others find none.
    const lanes = Array.from({ length: Math.min(concurrency, queries.rows) }, () => forEachAsync(take, step))
    const waiting = lanes.filter((lane) => lane !== undefined)
    if (waiting.length === 0) return undefined
    return Promise.all(waiting).then(
      () => undefined,
      (error: unknown) => {
        // The run is over: the other lanes have nothing more to ask.
        next = queries.rows
        throw error
      },
    )
  })
}

/** Places for a limited number of users at once; who comes later waits in a queue. */
interface Slots {
  /** Takes a place, waiting for one where needed: false where the signal fired first. */
  take(signal: AbortSignal | undefined): true | Promise<boolean>
  /** Gives a place back, to the one that waits longest. */
  give(): void
}

/** So many places. */
function slots(count: number): Slots {
  let free = count
  const queue = new Set<(got: boolean) => void>()
  const wait = (signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (got: boolean): void => {
        queue.delete(end)
        stopListening()
        resolve(got)
      }
      let stopListening: () => void = () => undefined
      queue.add(end)
      stopListening = onAbort(signal, () => end(false))
    })
  return {
    take(signal) {
      if (free === 0) return wait(signal)
      free--
      return true
    },
    give() {
      const [first] = queue
      if (first === undefined) free++
      else first(true)
    },
  }
}

export const timedOptions = table({
  /** Milliseconds for all rows that are asked together. Above 0. */
  timeout: positive,
})

/** Options of `timed`. */
export interface TimedOptions extends Input<typeof timedOptions> {}

/**
 * Gives each evaluation so many milliseconds as a whole: what has no answer then fails, the evaluation is told to stop,
 * and whatever it still says is dropped. Only what waits can be timed: a synchronous objective keeps the thread.
 */
export function timed(objective: Objective, options: TimedOptions): Objective {
  checkObjective('timed', objective)
  const { timeout } = parseOptions('timed', timedOptions, options)
  // An evaluation that was left behind may still write over the rows that a later one says it kept.
  let leftBehind = false

  return around(objective, (queries, into, signal) => {
    const rows = rowsFrom(0, queries.rows)
    // Answers of its own: what comes too late must not get into those of a later iteration.
    const own = someAnswers(rows, into)
    const takeOver = (): void => {
      putBack(own, rows, into)
      into.rowBuffer = leftBehind ? null : (own.rowBuffer ?? null)
    }
    const controller = new AbortController()
    const wait = async (work: Promise<void>): Promise<void> => {
      try {
        await withinTime(untilAborted(work, controller.signal), timeout, controller, signal)
        leftBehind ||= controller.signal.aborted
        takeOver()
      } catch (error) {
        if (isFatal(error)) throw error
        leftBehind = true
        takeOver()
        failUnanswered(into, queries.rows, error)
      }
    }
    return andFinally(
      () => {
        const work = ask(objective, queries, own, controller.signal)
        return work === undefined ? takeOver() : wait(work)
      },
      follow(signal, controller),
    )
  })
}

function failUnanswered(into: Answers, rows: number, reason: unknown): void {
  for (let row = 0; row < rows; row++) {
    const isOpen = Number.isNaN(into.values[row]) && into.failed[row] === 0 && (into.dropped?.[row] ?? 0) === 0
    if (isOpen) recordFailure(into, row, reason)
  }
}

const declared = table({
  /** A monotonic clock in milliseconds. Default () => performance.now(). */
  clock: withDefault(functionThat<() => number>('must be a function'), () => () => performance.now()),
  /** How to wait: a function of milliseconds and a signal that returns a promise; by a timer if left out. */
  sleep: sleepOption,
})

export type PaceShape = ShapeOf<typeof declared>

/** How a pace is kept: by which clock, and how to wait. */
export const paceOptions: Table<PaceShape> = declared

/** How many calls may begin, and when. */
interface Pace {
  readonly perSecond: number
  /** Calls that may begin at once after a pause. */
  readonly burst: number
  readonly clock: () => number
  readonly sleep: Sleep
}

/** Admits so many calls: at once, or when the promise resolves; also when the signal fires. */
export type Admit = (count: number, signal: AbortSignal | undefined) => void | Promise<void>

/** Timers are no finer than this many milliseconds. A shorter wait is left out, and made up for by the next. */
const tick = 1

/** Admits calls at a pace, first come, first served. */
export function keepPace({ perSecond, burst, clock, sleep }: Pace): Admit {
  const tokens = tokenBucket(perSecond, burst, clock)
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  const waitForTokens = async (count: number, signal: AbortSignal | undefined): Promise<void> => {
    while (signal?.aborted !== true) {
      const milliseconds = tokens.wait(count)
      if (milliseconds < tick) return tokens.take(count)
      await untilAborted(sleep(milliseconds, signal), signal)
    }
  }

  return (count, signal) => {
    if (waiting === 0 && tokens.wait(count) < tick) return tokens.take(count)
    waiting++
    const admitted = last.then(() => waitForTokens(count, signal))
    const leave = (): void => void waiting--
    // A caller that stops waiting keeps its place until its turn comes, and then takes nothing.
    last = admitted.then(leave, leave)
    return untilAborted(admitted, signal)
  }
}

/** Tokens that come in at a steady rate and are kept up to a limit. */
interface TokenBucket {
  /** Milliseconds until there are that many tokens; 0 or less where there are. */
  wait(count: number): number
  take(count: number): void
}

/** A full bucket. A clock that jumps back brings no tokens and takes none. */
function tokenBucket(perSecond: number, size: number, clock: () => number): TokenBucket {
  let tokens = size
  let filledAt = clock()
  return {
    wait(count) {
      const now = clock()
      tokens = Math.min(size, tokens + (Math.max(now - filledAt, 0) * perSecond) / 1000)
      filledAt = now
      return ((count - tokens) * 1000) / perSecond
    },
    take(count) {
      tokens -= count
    },
  }
}

/** How fast rows are asked. */
export const rateLimitedOptions = join(
  table({
    /** Rows asked per second at most. Above 0. */
    perSecond: positive,
    /** Rows that may be asked at once after a pause. At least 1; default 1. */
    burst: withDefault(count, 1),
  }),
  paceOptions,
)

/** Options of `rateLimited`. */
export interface RateLimitedOptions extends Input<typeof rateLimitedOptions> {}

/**
 * Asks no faster than `perSecond` rows a second, after a pause `burst` rows at once; more rows than that are asked
 * in pieces, one after the other. All who share the wrapper share its limit, first come, first served.
 */
export function rateLimited(objective: Objective, options: RateLimitedOptions): Objective {
  checkObjective('rateLimited', objective)
  const pace = parseOptions('rateLimited', rateLimitedOptions, options)
  const { burst } = pace
  const admit = keepPace(pace)

  return around(objective, (queries, into, signal) => {
    const stopped = (): boolean => signal?.aborted === true
    let next = 0
    const take = (): number | undefined => {
      const first = next
      next += burst
      return first < queries.rows && !stopped() ? first : undefined
    }
    return forEachAsync(take, (first) => {
      const count = Math.min(burst, queries.rows - first)
      const end = (): void => {
        if (stopped() || !endsAt(into, first, count)) return
        dropFrom(into, next, queries.rows)
        next = queries.rows
      }
      const askNow = () => (stopped() ? undefined : askPiece(objective, queries, first, count, into, signal)?.then(end))
      return andThen(admit(count, signal), askNow)
    })
  })
}

function askPiece(
  objective: Objective,
  queries: Queries,
  first: number,
  count: number,
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  if (count === queries.rows) return ask(objective, queries, into, signal)
  return askRows(objective, queries, rowsFrom(first, count), into, signal)
}
