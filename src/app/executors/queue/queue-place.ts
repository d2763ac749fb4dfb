import { createHash } from 'node:crypto'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { filledText, refine, type ShapeOf, type Table, table, withDefault } from '../../../optimizer/core/options.ts'
import type { Connection } from './connection.ts'
import { contentKey, type Served } from './served.ts'

const plainName = refine(
  filledText,
  (name) => /^[\w.-]{1,64}$/.test(name),
  'must be of letters, digits, ".", "_" and "-"',
)

const declared = table({
  /** Name of the queue; runs and workers meet where it is the same. Default 'default'. */
  name: withDefault(plainName, 'default'),
  /** What all keys on the server begin with. Default 'zeroth'. */
  prefix: withDefault(plainName, 'zeroth'),
})

export type PlaceShape = ShapeOf<typeof declared>

/** Where on the server jobs are: shared by workers and runs. */
export const placeOptions: Table<PlaceShape> = declared

/** Where the jobs of one content are. */
export interface QueuePlace {
  readonly name: string
  readonly prefix: string
}

/** Kinds of jobs: rows of a run, or images of an attack. Each has queues of its own. */
export type JobKind = 'rows' | 'images'

/** The queue for one kind of jobs and one content: workers with another content never see them. */
export function queueName(kind: JobKind, { name }: QueuePlace, serves: Served): string {
  return `${kind}-${name}-${contentKey(serves)}`
}

/** Where all queues are listed. */
export function queuesKey(prefix: string): string {
  return `${prefix}:queues`
}

/** Where the points of a job are. */
export function pointsKey(prefix: string, id: string): string {
  return `${prefix}:points:${id}`
}

/** Where the spec of an attack is, which all of its jobs share. */
export function specKey(prefix: string, hash: string): string {
  return `${prefix}:spec:${hash}`
}

/** Where a piece of what a worker sends home is. */
export function pieceKey(prefix: string, hash: string, piece: number): string {
  return `${prefix}:parcel:${hash}:${piece}`
}

/** A run as it stands in the addresses of its jobs. */
export function runAddress(run: string): string {
  return createHash('sha256').update(run).digest('hex').slice(0, 12)
}

/** The address of a job: which run asks, where in the run, and the hash of what is asked. Asking again is the same job. */
export function jobId(run: string, where: readonly number[], hash: string, attempt: number): string {
  return `${[run, ...where, hash].join('-')}${attempt === 0 ? '' : `-${attempt}`}`
}

/** Milliseconds after which a job goes to another worker when its own has not been heard of. */
export const lockOption = { standard: 6000, least: 1000 }

/** Refuses a time that BullMQ could not keep. */
export function checkLock(lock: number): void {
  if (lock >= lockOption.least && lock <= 3_600_000) return
  throw new ZerothError('invalid-option', `lock must be from ${lockOption.least} to 3600000 milliseconds, got ${lock}`)
}

/**
 * Lists a queue, so that those who look find it; again should the server come back without its data. Returns how to do it once
 * more.
 */
export async function listQueue(
  { client, onReturn }: Connection,
  prefix: string,
  queue: string,
  serves: Served,
): Promise<() => Promise<unknown>> {
  const list = (): Promise<unknown> => client.hset(queuesKey(prefix), queue, JSON.stringify(serves))
  onReturn(() => void list().catch(() => undefined))
  await list()
  return list
}

/** All queues of an installation, with what they serve. */
export async function listedQueues({ client }: Connection, prefix: string): Promise<[queue: string, serves: Served][]> {
  const known = await client.hgetall(queuesKey(prefix))
  return Object.entries(known).map(([queue, text]) => [queue, JSON.parse(text) as Served])
}

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
