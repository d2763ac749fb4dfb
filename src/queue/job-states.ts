import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/** How a job ended. */
export type JobEnd = { readonly value: unknown } | { readonly failed: string }

/** What the server knows of a job. */
export interface JobState {
  readonly isThere: boolean
  /** Undefined while nobody has finished it. */
  readonly end: JobEnd | undefined
}

/** The states of some jobs, in one go: of hundreds of jobs, asking for one at a time would take seconds. */
export async function jobStates(
  client: Redis,
  queue: Queue,
  jobs: readonly { readonly id: string }[],
): Promise<JobState[]> {
  const pipeline = client.pipeline()
  for (const { id } of jobs) pipeline.hmget(queue.toKey(id), 'timestamp', 'finishedOn', 'returnvalue', 'failedReason')
  return ((await pipeline.exec()) ?? []).map(([error, fields]) => {
    if (error !== null) throw error
    const [timestamp, finished, value, failed] = fields as (string | null)[]
    return { isThere: timestamp != null, end: finished == null ? undefined : endOf(value, failed) }
  })
}

function endOf(value: string | null | undefined, failed: string | null | undefined): JobEnd {
  if (value == null) return { failed: failed ?? 'failed' }
  try {
    return { value: JSON.parse(value) }
  } catch {
    return { value }
  }
}
