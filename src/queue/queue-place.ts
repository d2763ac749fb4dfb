import { createHash } from 'node:crypto'
import { ZerothError } from '../core/errors.ts'
import { option } from '../core/options.ts'
import { filledText, that } from '../core/schema.ts'
import { contentKey, type Served } from './served.ts'

const plainName = that(
  filledText,
  (name) => /^[\w.-]{1,64}$/.test(name),
  'must be of letters, digits, ".", "_" and "-"',
)

/** Where on the server jobs are: shared by workers and runs. */
export const placeOptions = {
  name: option(plainName, 'name of the queue; runs and workers meet where it is the same', 'default'),
  prefix: option(plainName, 'what all keys on the server begin with', 'zeroth'),
}

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
