import type { Queue } from 'bullmq'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { jsonOr } from '../../../optimizer/core/exact-json.ts'
import { type Input, join, type Output, parseOptions, table } from '../../../optimizer/core/options.ts'
import { type Announcement, announced } from './announcements.ts'
import { type Connection, connect, soon } from './connection.ts'
import { dropPayload, payloadIn } from './payload.ts'
import { listedQueues, placeOptions, pointsKey, queuesKey, specKey } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import type { Served } from './served.ts'

/** Which queue is looked at or changed. */
const queueControlOptions = join(
  table({
    /**
     * Address of Redis or Valkey, version 7 or later: redis:// or, with TLS, rediss://; { env: NAME } or { file: PATH } where
     * it holds a password.
     */
    url: redisUrlOption,
  }),
  placeOptions,
)

/** Options of `queueStatus`. */
export interface QueueControlOptions extends Input<typeof queueControlOptions> {}

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
    // Without any queue nobody waits for what jobs had beside them.
    if ((await listedQueues(connection, prefix)).length === 0) {
      for (const beside of [pointsKey(prefix, '*'), specKey(prefix, '*'), `${prefix}:parcel:*`]) {
        await unlinkAll(connection.client, beside)
      }
    }
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

/** Removes all jobs that are not being done, with their points and what was sent home, and all else where nothing is left. */
async function emptied({ client }: Connection, prefix: string, queue: Queue): Promise<number> {
  let removed = 0
  let isBusy = false
  const root = queue.toKey('')
  for await (const keys of client.scanStream({ match: `${root}*`, count: together, type: 'hash' })) {
    // Also those in no list, because a part of the data was lost, and those whose worker is gone.
    const ids = (keys as string[]).map((key) => key.slice(root.length)).filter((id) => id !== 'meta')
    const values = await Promise.all(ids.map((id) => client.hget(queue.toKey(id), 'returnvalue')))
    const gone = await Promise.all(ids.map((id) => queue.remove(id)))
    // A job whose lock is held is being done: it stays.
    if (gone.includes(0)) isBusy = true
    const payloads = values.flatMap((value, i) => (gone[i] === 1 ? (payloadIn(jsonOr(value ?? 'null')) ?? []) : []))
    await Promise.all(payloads.map((each) => dropPayload(client, prefix, each)))
    const points = ids.filter((_, i) => gone[i] === 1).map((id) => pointsKey(prefix, id))
    if (points.length > 0) await client.unlink(...points)
    removed += points.length
  }
  if (isBusy) return removed
  await client.hdel(queuesKey(prefix), queue.name)
  await unlinkAll(client, `${root}*`)
  return removed
}

async function unlinkAll(client: Connection['client'], match: string): Promise<void> {
  for await (const keys of client.scanStream({ match, count: together })) {
    if ((keys as string[]).length > 0) await client.unlink(...(keys as string[]))
  }
}
