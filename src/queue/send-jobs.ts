import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type JobKind, pointsKey } from './queue-place.ts'

/** A job that is asked for. */
export interface WantedJob {
  readonly id: string
  readonly data: object
  /** What goes beside it, if anything: made when it is sent, and again should the server lose it. */
  readonly payload: (() => Buffer) | undefined
  /** Where that is kept if other jobs need it, too: then it stays when this one is answered. */
  readonly sharedAt?: string | undefined
  /** Told what the worker says of how far it is. */
  readonly onProgress?: ((said: unknown) => void) | undefined
  /** Whether an earlier process of the same run may have asked for it already: its answer may be there. */
  readonly mayBeThere: boolean
}

/** Seconds for which answers that nobody has taken are kept, and for which points wait. */
export const keptFor = 86_400

/** Answers that are kept at most: enough for a run that is resumed, bounded for a server that is never cleaned. */
const keptAnswers = 5000

/** Sends jobs, and what goes beside them first. A job that is there already stays as it is. */
export async function sendJobs(
  client: Redis,
  queue: Queue,
  prefix: string,
  kind: JobKind,
  jobs: readonly WantedJob[],
): Promise<void> {
  const kept = { age: keptFor, count: keptAnswers }
  const settings = { removeOnComplete: kept, removeOnFail: kept, stackTraceLimit: 0 }
  const added = jobs.map(({ id, data }) => ({ name: kind, data, opts: { jobId: id, ...settings } }))
  // Over one connection they arrive in this order.
  await Promise.all([sendPoints(client, prefix, jobs), queue.addBulk(added)])
}

async function sendPoints(client: Redis, prefix: string, jobs: readonly WantedJob[]): Promise<void> {
  const beside = jobs.flatMap(({ id, payload, sharedAt = pointsKey(prefix, id) }) =>
    payload === undefined ? [] : [{ key: sharedAt, payload }],
  )
  if (beside.length === 0) return
  const pipeline = client.pipeline()
  for (const { key, payload } of beside) pipeline.set(key, payload(), 'EX', keptFor)
  const refused = (await pipeline.exec())?.find(([error]) => error !== null)
  if (refused !== undefined) throw refused[0]
}
