import { randomUUID } from 'node:crypto'
import { askInPieces, type Piece, recordFailures } from '../../../optimizer/core/answers.ts'
import { untilAborted } from '../../../optimizer/core/async.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import {
  count,
  type Input,
  integerFrom,
  join,
  numberWithin,
  parseOptions,
  type ShapeOf,
  type Table,
  table,
  withDefault,
} from '../../../optimizer/core/options.ts'
import type { Answers, ClosableObjective, Queries, QueueCounts } from '../../../optimizer/core/types.ts'
import { closable } from '../../../optimizer/objectives/closable.ts'
import type { QueuePackages } from './connection.ts'
import type { JobEnd, JobsUnderWay, QueueClient } from './queue-client.ts'
import { jobId, placeOptions, runAddress } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import { answerIn, jobBytes, numberBytes, rowJob, sentJob, takeAnswer } from './row-task.ts'
import { servedAs, servesOption } from './served.ts'

const declared = join(
  table({
    /**
     * Address of Redis or Valkey, version 7 or later: redis:// or, with TLS, rediss://; { env: NAME } or { file: PATH } where
     * it holds a password.
     */
    url: redisUrlOption,
  }),
  placeOptions,
  table({
    /** Rows that one worker evaluates together, as one job. At least 1 and at most 100000; default 1. */
    rowsPerJob: withDefault(integerFrom(1, 100_000), 1),
    /** Rows on the server at once, however many workers there are. At least 1 and at most 1000000; default 1000. */
    parallel: withDefault(integerFrom(1, 1_000_000), 1000),
    /**
     * Milliseconds for which the server may be gone before the run ends, saved. Above 0 and at most 2000000000; default
     * 600000.
     */
    patience: withDefault(numberWithin({ above: 0, most: 2_000_000_000 }), 600_000),
  }),
)

export type DispatchShape = ShapeOf<typeof declared>

/** How the rows of a run are handed out, beside what they are. */
export const dispatchOptions: Table<DispatchShape> = declared

const queueObjectiveOptions = join(
  table({
    /** Number of variables. At least 1. */
    dim: count,
  }),
  dispatchOptions,
  table({
    /** What workers evaluate: a name that they and the run agree on, or what servedBy says of an objective. */
    serves: servesOption,
  }),
)

/** Options of `queueObjective`. */
export interface QueueObjectiveOptions extends Input<typeof queueObjectiveOptions> {}

/**
 * Rows evaluated by workers on any machine, by way of a queue on Redis. Values do not depend on how many workers there are,
 * which of them answers, or how often one is lost.
 */
export function queueObjective(
  given: QueueObjectiveOptions,
  packages?: () => Promise<QueuePackages>,
): ClosableObjective {
  const options = parseOptions('queueObjective', queueObjectiveOptions, given)
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const address = redisAddress(options.url, 'queueObjective.url')
  const asked = attempts()
  let run = runAddress(randomUUID())
  let notice: (message: string) => void = () => undefined
  let counted: (counts: QueueCounts) => void = () => undefined
  let client: Promise<QueueClient> | undefined
  /** The first iteration that a stored run asks for here: an earlier process may have asked for it and the next ones, too. */
  let firstIteration: number | undefined
  let isStored = false
  let latest = 0

  const open = (): Promise<QueueClient> => {
    const tell = { notice: (message: string) => notice(message), counted: (counts: QueueCounts) => counted(counts) }
    const wanted = { ...options, kind: 'rows', address, serves, run, packages, ...tell } as const
    client ??= import('./queue-client.ts').then(({ openQueueClient }) => openQueueClient(wanted))
    client.catch(() => {
      client = undefined
    })
    return client
  }
  const evaluate = async (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
    const { jobs, untilServed } = await open()
    await untilServed(stop.signal)
    const { iteration } = queries.key
    // Another run of this program, which wants answers of its own.
    if (!isStored && iteration < latest) run = runAddress(randomUUID())
    latest = iteration
    firstIteration ??= iteration
    const mayBeThere = isStored && iteration < firstIteration + mostUnderWay
    const attempt = (job: string): number => asked.count(iteration, job)
    await dispatch({ ...options, jobs, run, attempt, mayBeThere }, queries, into, stop)
  }
  const release = async (): Promise<void> => {
    const closing = client
    client = undefined
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

/** Iterations that a run may have under way together. */
const mostUnderWay = 1024

/**
 * How often each job was asked for before. Only a wrapper that retries asks for the same rows of the same iteration twice: then
 * it wants them evaluated again, not the answer that it had.
 */
function attempts(): { count(iteration: number, job: string): number } {
  const made = new Map<number, Map<string, number>>()
  return {
    count(iteration, job) {
      const jobs = made.get(iteration) ?? new Map<string, number>()
      if (jobs.size === 0) {
        for (const old of made.keys()) if (Math.abs(iteration - old) >= mostUnderWay) made.delete(old)
        made.set(iteration, jobs)
      }
      const before = jobs.get(job) ?? 0
      jobs.set(job, before + 1)
      return before
    },
  }
}

/** How the rows of a run become jobs. */
interface Dispatching {
  readonly jobs: JobsUnderWay
  /** The run, as it stands in the addresses of its jobs. */
  readonly run: string
  readonly rowsPerJob: number
  /** Rows on the server at most. */
  readonly parallel: number
  /** How often a job of this iteration was asked for before. */
  readonly attempt: (job: string) => number
  /** Whether an earlier process of the run may have asked for these rows already. */
  readonly mayBeThere: boolean
}

/** Bytes of points on the server at once. */
const maxBytes = 268_435_456

/** Has the rows of an iteration evaluated elsewhere. What ends the run is thrown; jobs that nobody has begun are taken back. */
async function dispatch(how: Dispatching, queries: Queries, into: Answers, stop: AbortController): Promise<void> {
  const open = new Set<string>()
  let broken: unknown
  const ask = async (piece: Piece): Promise<void> => {
    try {
      const end = await askFor(how, queries, piece, open, stop.signal)
      record(end, piece, into)
    } catch (error) {
      if (!stop.signal.aborted) broken ??= error
      stop.abort(error)
      recordFailures(into, piece.first, piece.count, error)
    }
  }
  await askInPieces({ rows: queries.rows, size: how.rowsPerJob, width: widthOf(how, queries), stop }, into, ask)
  if (open.size > 0) await how.jobs.withdraw([...open])
  if (broken !== undefined) throw broken
}

/** The end of the job of some rows; its address is in `open` until then. */
async function askFor(
  { jobs, run, attempt, mayBeThere }: Dispatching,
  queries: Queries,
  { first, count }: Piece,
  open: Set<string>,
  signal: AbortSignal,
): Promise<JobEnd> {
  const job = rowJob(queries, first, count)
  const id = jobId(run, [queries.key.iteration, job.first], job.hash, attempt(`${job.first}-${job.hash}`))
  const { data, beside } = sentJob(job)
  open.add(id)
  // Not kept: the points of all jobs under way may be more than this process should hold.
  const payload = beside && ((): Buffer => rowJob(queries, first, count).payload)
  const end = await untilAborted(jobs.ask({ id, data, payload, mayBeThere }), signal)
  open.delete(id)
  return end
}

function record(end: JobEnd, { first, count }: Piece, into: Answers): void {
  const answer = 'value' in end ? end.value : answerIn(end.failed)
  if ('failed' in end && answer === undefined) recordFailures(into, first, count, lost(end.failed))
  else takeAnswer(answer, first, count, 'of an unknown name', into)
}

/** Jobs under way at most: by rows, and by what the server has to hold. */
function widthOf({ parallel, rowsPerJob }: Dispatching, queries: Queries): number {
  const bytes = jobBytes(rowsPerJob, queries.dim, numberBytes(queries))
  return Math.max(1, Math.min(Math.floor(parallel / rowsPerJob), Math.floor(maxBytes / bytes)))
}

/** A job that ended without an answer: the library gave it up. */
function lost(reason: string): ZerothError {
  const [line = ''] = reason.split('\n')
  const isStalled = line.includes('stalled')
  const what = isStalled ? 'every worker that had the job was lost: the query may be what kills them' : line
  return new ZerothError('query-failed', `queue: ${what}`)
}
