import { randomUUID } from 'node:crypto'
import { count, option, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { numberWithin, wholeFrom } from '../core/schema.ts'
import type { Answers, ClosableObjective, Queries, QueueCounts } from '../core/types.ts'
import { closable } from '../objectives/closable.ts'
import { type Desk, openDesk } from './desk.ts'
import { handOut } from './hand-out.ts'
import type { QueueObjectiveOptions } from './queue-options.ts'
import { placeOptions, runAddress } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import { servedAs, servesOption } from './served.ts'

/** How the rows of a run are handed out, beside what they are. */
export const handingOut = {
  url: redisUrlOption,
  ...placeOptions,
  rowsPerJob: option(wholeFrom(1, 100_000), 'rows that one worker evaluates together, as one job', 1),
  parallel: option(wholeFrom(1, 1_000_000), 'rows on the server at once, however many workers there are', 1000),
  patience: option(
    numberWithin({ above: 0, most: 2_000_000_000 }),
    'milliseconds for which the server may be gone before the run ends, saved',
    600_000,
  ),
}

/** Options of `queueObjective`. */
export const queueObjectiveOptions = table({
  dim: count('number of variables'),
  ...handingOut,
  serves: servesOption,
})

/**
 * Rows evaluated by workers on any machine, by way of a queue on Redis. Values do not depend on how many workers there are,
 * which of them answers, or how often one is lost.
 */
export function queueObjective(given: QueueObjectiveOptions): ClosableObjective {
  const options = parseOptions('queueObjective', queueObjectiveOptions, given)
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const address = redisAddress(options.url, 'queueObjective.url')
  const asked = attempts()
  let run = runAddress(randomUUID())
  let notice: (message: string) => void = () => undefined
  let counted: (counts: QueueCounts) => void = () => undefined
  let desk: Promise<Desk> | undefined
  /** The first iteration that a stored run asks for here: an earlier process may have asked for it, too. */
  let firstIteration: number | undefined
  let isStored = false
  let latest = 0

  const open = (): Promise<Desk> => {
    const tell = { notice: (message: string) => notice(message), counted: (counts: QueueCounts) => counted(counts) }
    desk ??= openDesk({ ...options, kind: 'rows', address, serves, run, ...tell })
    desk.catch(() => {
      desk = undefined
    })
    return desk
  }
  const evaluate = async (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
    const { jobs, untilServed } = await open()
    await untilServed(stop.signal)
    const { iteration } = queries.key
    // Another run of this program, which wants answers of its own.
    if (!isStored && iteration < latest) run = runAddress(randomUUID())
    latest = iteration
    firstIteration ??= iteration
    const mayBeThere = isStored && iteration === firstIteration
    const attempt = (job: string): number => asked.count(iteration, job)
    await handOut({ ...options, jobs, run, attempt, mayBeThere }, queries, into, stop)
  }
  const release = async (): Promise<void> => {
    const closing = desk
    desk = undefined
    await closing?.then(
      (opened) => opened.close(),
      () => undefined,
    )
  }
  return {
    dim: options.dim,
    ...closable(evaluate, release),
    attach(to) {
      run = runAddress(to.run)
      isStored = true
      firstIteration = undefined
      notice = to.notice
      counted = to.counted ?? (() => undefined)
    },
  }
}

/**
 * How often each job was asked for before. Only a wrapper that retries asks for the same rows of the same iteration twice: then
 * it wants them evaluated again, not the answer that it had.
 */
function attempts(): { count(iteration: number, job: string): number } {
  const made = new Map<string, number>()
  let current = Number.NaN
  return {
    count(iteration, job) {
      if (iteration !== current) made.clear()
      current = iteration
      const before = made.get(job) ?? 0
      made.set(job, before + 1)
      return before
    },
  }
}
