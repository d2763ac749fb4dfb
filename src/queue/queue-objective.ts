import { createHash, randomUUID } from 'node:crypto'
import { recordFailures } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { askInPieces } from '../core/in-parallel.ts'
import { onAbort } from '../core/on-abort.ts'
import type { Output } from '../core/option-type.ts'
import { count, option, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { numberWithin, wholeFrom } from '../core/schema.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'
import { closable } from '../objectives/closable.ts'
import { type Desk, openDesk } from './desk.ts'
import type { QueueObjectiveOptions } from './queue-options.ts'
import { jobId, placeOptions } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import { answerIn, takeAnswer } from './row-answer.ts'
import { jobBytes, numberBytes, rowJob, sentJob } from './row-job.ts'
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

/** Bytes of points on the server at once. */
const maxBytes = 268_435_456

/**
 * Rows evaluated by workers on any machine, by way of a queue on Redis. Values do not depend on how many workers there are,
 * which of them answers, or how often one is lost.
 */
export function queueObjective(given: QueueObjectiveOptions): ClosableObjective {
  const options = parseOptions('queueObjective', queueObjectiveOptions, given)
  const { dim } = options
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const address = redisAddress(options.url, 'queueObjective.url')
  let run = addressOf(randomUUID())
  let notice: (message: string) => void = () => undefined
  let desk: Promise<Desk> | undefined
  /** The iteration that an earlier process of this run may have asked for already. */
  let firstIteration: number | undefined
  const asked = attempts()

  const open = (): Promise<Desk> => {
    desk ??= openDesk({ ...options, address, serves, run, notice: (message) => notice(message) })
    desk.catch(() => {
      desk = undefined
    })
    return desk
  }

  const evaluate = async (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
    const { jobs, untilServed } = await open()
    await untilServed(stop.signal)
    const { iteration } = queries.key
    firstIteration ??= iteration
    const mayBeThere = iteration === firstIteration
    const mine = new Set<string>()
    const pieces = { rows: queries.rows, size: options.rowsPerJob, width: widthOf(options, queries), stop }
    let broken: unknown
    await askInPieces(pieces, into, async ({ first, count: rows }) => {
      try {
        const job = rowJob(queries, first, rows)
        const id = jobId(run, iteration, job.first, job.hash, asked.count(iteration, `${job.first}-${job.hash}`))
        const { data, beside } = sentJob(job)
        mine.add(id)
        // Not kept: the points of all jobs under way may be more than this process should hold.
        const payload = beside && ((): Buffer => rowJob(queries, first, rows).payload)
        const end = await untilStopped(jobs.ask({ id, data, payload, mayBeThere }), stop.signal)
        mine.delete(id)
        const answer = 'value' in end ? end.value : (answerIn(end.failed) ?? undefined)
        if (answer === undefined && 'failed' in end) recordFailures(into, first, rows, lost(end.failed))
        else takeAnswer(answer, first, rows, 'of an unknown name', into)
      } catch (error) {
        if (!stop.signal.aborted) broken ??= error
        stop.abort(error)
        recordFailures(into, first, rows, error)
      }
    })
    if (mine.size > 0) await jobs.withdraw([...mine])
    if (broken !== undefined) throw broken
  }

  const release = async (): Promise<void> => {
    const closing = desk
    desk = undefined
    await closing?.then(
      (open) => open.close(),
      () => undefined,
    )
  }

  return {
    dim,
    ...closable(evaluate, release),
    attach(to) {
      run = addressOf(to.run)
      notice = to.notice
    },
  }
}

/** Jobs under way at most: by rows, and by what the server has to hold. */
function widthOf({ parallel, rowsPerJob }: Output<typeof queueObjectiveOptions>, queries: Queries): number {
  const bytes = jobBytes(rowsPerJob, queries.dim, numberBytes(queries))
  return Math.max(1, Math.min(Math.floor(parallel / rowsPerJob), Math.floor(maxBytes / bytes)))
}

/** A run as it stands in the addresses of its jobs. */
function addressOf(run: string): string {
  return createHash('sha256').update(run).digest('hex').slice(0, 12)
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

/** A job that ended without an answer: the library gave it up. */
function lost(reason: string): ZerothError {
  const [line = ''] = reason.split('\n')
  const isStalled = line.includes('stalled')
  const what = isStalled ? 'every worker that had the job was lost: the query may be what kills them' : line
  return new ZerothError('query-failed', `queue: ${what}`)
}

async function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let forget: () => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    forget()
    work.catch(() => undefined)
  }
}
