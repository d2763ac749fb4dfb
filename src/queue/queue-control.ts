import type { Queue } from 'bullmq'
import { ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { type Announcement, announced } from './announcements.ts'
import { type Connection, connect, soon } from './connection.ts'
import { dropParcel, parcelIn } from './parcel.ts'
import { listedQueues } from './queue-list.ts'
import type { QueueControlOptions } from './queue-options.ts'
import { placeOptions, pointsKey, queuesKey } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import type { Served } from './served.ts'

/** Which queue is looked at or changed. */
export const queueControlOptions = table({ url: redisUrlOption, ...placeOptions })

/** A job that failed, and why. */
export interface FailedJob {
  readonly id: string
  readonly reason: string
}

/** The jobs of one content. */
export interface ContentStatus {
  readonly serves: Served
  readonly waiting: number
  readonly active: number
  readonly failed: number
  /** Answers that are kept for a while: a run that is resumed finds them. */
  readonly answered: number
  /** The latest failures, twenty at most. */
  readonly failures: readonly FailedJob[]
}

/** What there is at a queue. */
export interface QueueStatus {
  readonly server: string
  readonly name: string
  readonly contents: readonly ContentStatus[]
  readonly workers: readonly Announcement[]
  readonly runs: readonly Announcement[]
}

/** Failures that are shown. */
const shown = 20

/** Jobs that are removed together. */
const together = 1000

/** Who and what is at a queue. */
export function queueStatus(given: QueueControlOptions): Promise<QueueStatus> {
  return withQueues(given, async ({ connection, options, queues }) => {
    const { prefix, name } = options
    const contents = await Promise.all(queues.map(contentStatus))
    const [workers, runs] = await Promise.all([
      announced(connection.client, prefix, name, 'workers'),
      announced(connection.client, prefix, name, 'runs'),
    ])
    return { server: connection.address.shown, name, contents, workers, runs }
  })
}

/** Removes jobs that nobody is doing, and old answers; returns how many. Refuses while a run is waiting for them. */
export function drainQueue(given: QueueControlOptions): Promise<number> {
  return withQueues(given, async ({ connection, options, queues }) => {
    const { prefix, name } = options
    const [run] = await announced(connection.client, prefix, name, 'runs')
    if (run !== undefined) {
      const what = `the run ${run.id} on ${run.host} (process ${run.pid}) is waiting for its jobs: stop it first`
      throw new ZerothError('invalid-option', `queue ${name} at ${connection.address.shown}: ${what}`)
    }
    const removed = await Promise.all(queues.map(({ queue }) => emptied(connection, prefix, queue)))
    return removed.reduce((sum, each) => sum + each, 0)
  })
}

/** Lets workers do failed jobs again; returns how many. A run that is resumed takes their answers. */
export function retryQueue(given: QueueControlOptions): Promise<number> {
  return withQueues(given, async ({ queues }) => {
    const counts = await Promise.all(queues.map(({ queue }) => queue.getJobCounts('failed')))
    await Promise.all(queues.map(({ queue }) => queue.retryJobs({ state: 'failed', count: together })))
    return counts.reduce((sum, { failed = 0 }) => sum + failed, 0)
  })
}

interface OpenQueue {
  readonly queue: Queue
  readonly serves: Served
}

interface Opened {
  readonly connection: Connection
  readonly options: Output<typeof queueControlOptions>
  readonly queues: readonly OpenQueue[]
}

async function withQueues<T>(given: QueueControlOptions, use: (opened: Opened) => Promise<T>): Promise<T> {
  const options = parseOptions('queue', queueControlOptions, given)
  const connection = await connect(redisAddress(options.url))
  const queues: OpenQueue[] = []
  try {
    const known = await listedQueues(connection, options.prefix)
    const own = known.filter(([full]) => full.replace(/^[a-z]+-|-[^-]*$/g, '') === options.name)
    for (const [full, serves] of own) {
      const settings = { connection: connection.client, prefix: options.prefix, skipVersionCheck: true }
      const queue = new connection.bullmq.Queue(full, settings)
      queue.on('error', () => undefined)
      queues.push({ queue, serves })
    }
    return await use({ connection, options, queues })
  } catch (error) {
    throw connection.failure(error)
  } finally {
    await soon(Promise.all(queues.map(({ queue }) => queue.close())))
    await connection.close()
  }
}

async function contentStatus({ queue, serves }: OpenQueue): Promise<ContentStatus> {
  const counts = await queue.getJobCounts('waiting', 'active', 'failed', 'completed')
  const failures = await queue.getFailed(0, shown - 1)
  return {
    serves,
    waiting: counts.waiting ?? 0,
    active: counts.active ?? 0,
    failed: counts.failed ?? 0,
    answered: counts.completed ?? 0,
    failures: failures.map(({ id, failedReason }) => ({ id: `${id}`, reason: `${failedReason}`.split('\n')[0] ?? '' })),
  }
}

/** Removes all jobs that are not being done, with their points and what was sent home; the queue's name too where nothing is left. */
async function emptied({ client }: Connection, prefix: string, queue: Queue): Promise<number> {
  let removed = 0
  for (;;) {
    const jobs = await queue.getJobs(['waiting', 'failed', 'completed'], 0, together - 1)
    const gone = await Promise.all(jobs.map(({ id }) => queue.remove(`${id}`)))
    const count = gone.reduce((sum, each) => sum + each, 0)
    if (jobs.length > 0) await client.unlink(...jobs.map(({ id }) => pointsKey(prefix, `${id}`)))
    await Promise.all(
      jobs.flatMap(({ returnvalue }) => parcelIn(returnvalue) ?? []).map((each) => dropParcel(client, prefix, each)),
    )
    removed += count
    if (count === 0) break
  }
  const { active = 0 } = await queue.getJobCounts('active')
  if (active === 0) {
    await client.hdel(queuesKey(prefix), queue.name)
    // What happened to ten thousand jobs, which nobody hears any more.
    await client.unlink(queue.toKey('events'))
  }
  return removed
}
