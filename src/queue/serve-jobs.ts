import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { ZerothError } from '../core/errors.ts'
import { type Announced, announce, announced, isMatch, servedText } from './announcements.ts'
import { type Connection, connect, soon } from './connection.ts'
import { listQueue } from './queue-list.ts'
import { checkLock, type JobKind, type QueuePlace, queueName } from './queue-place.ts'
import type { RedisAddress } from './redis-address.ts'
import type { Served } from './served.ts'
import { type HandedJob, workerLoop } from './worker-loop.ts'

/** Somebody who does jobs of other machines. */
export interface JobWorker {
  /** The name under which it is announced. */
  readonly name: string
  /** Resolves when the worker has stopped by itself, because jobs cannot be done here: with the reason. */
  readonly failed: Promise<ZerothError>
  /** Hands back what is under way and leaves. It may be called twice. What it works with is not closed. */
  stop(): Promise<void>
}

/** What does the jobs. */
export interface JobDoer<Data> {
  /** Why nothing can be done here. */
  readonly unfit: Promise<ZerothError>
  /** Does a job and returns its result; throws `JobFailed` or `HandBack`. */
  perform(job: HandedJob<Data>): Promise<unknown>
}

/** Which jobs are done, and how. */
export interface ServeJobsOptions<Data> extends QueuePlace {
  readonly kind: JobKind
  readonly address: RedisAddress
  readonly serves: Served
  readonly lanes: number
  readonly lock: number
  readonly log: (line: string) => void
  /** Makes what does the jobs, for a worker of this name. */
  begin(connection: Connection, name: string): JobDoer<Data>
}

/** Does jobs of one kind and content until it is stopped. */
export async function serveJobs<Data>(options: ServeJobsOptions<Data>): Promise<JobWorker> {
  checkLock(options.lock)
  const connection = await connect(options.address)
  try {
    return await begin(options, connection)
  } catch (error) {
    await connection.close()
    throw connection.failure(error)
  }
}

async function begin<Data>(options: ServeJobsOptions<Data>, connection: Connection): Promise<JobWorker> {
  const { kind, serves, prefix, name: queue, lanes, lock, log } = options
  const place = { prefix, name: queue }
  const name = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`
  const present = await announce(connection.client, { ...place, role: 'workers' }, { id: name, serves, lanes })
  await refuseOtherRuns(connection, place, present)
  const { shown } = connection.address
  connection.onLoss((reason) => log(`${shown} is gone (${reason}): waiting for it`))
  connection.onReturn(() => log(`${shown} is back`))
  const { perform, unfit } = options.begin(connection, name)
  const full = queueName(kind, place, serves)
  await listQueue(connection, prefix, full, serves)
  const loop = await workerLoop<Data>({ connection, prefix, name, lanes, lock, log, queue: full, perform })
  let stopped: Promise<void> | undefined
  const stop = (reason?: string): Promise<void> => {
    stopped ??= loop
      .stop()
      .then(() => (connection.lostFor() === 0 ? soon(present.leave(reason)) : undefined))
      .then(() => connection.close())
    return stopped
  }
  log(`${name} serves ${servedText(present.announcement)}`)
  log(`queue ${queue} at ${shown}, ${lanes} ${lanes === 1 ? 'job' : 'jobs'} at once`)
  const failed = unfit.then((reason) => stop(reason.message).then(() => reason))
  return { name, failed, stop: () => stop() }
}

/** A worker among runs that all ask for something else would wait in vain. */
async function refuseOtherRuns(connection: Connection, place: QueuePlace, own: Announced): Promise<void> {
  const { prefix, name } = place
  const runs = await announced(connection.client, prefix, name, 'runs')
  const [other] = runs
  if (other === undefined || runs.some((run) => isMatch(run, own.announcement))) return
  const asked = `the run ${other.id} on ${other.host} asks for ${servedText(other)}`
  const what = `${asked}, but this worker serves ${servedText(own.announcement)}`
  await own.leave(what)
  throw new ZerothError('invalid-option', `queue ${name} at ${connection.address.shown}: ${what}`)
}
