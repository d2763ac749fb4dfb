import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Job, Worker } from 'bullmq'
import { messageOf, ZerothError } from '../../../optimizer/core/errors.ts'
import { type Announced, announce, announced, isMatch, servedText } from './announcements.ts'
import { type Connection, connect, type QueuePackages, soon } from './connection.ts'
import { checkLock, type JobKind, listQueue, type QueuePlace, queueName } from './queue-place.ts'
import type { RedisAddress } from './redis-address.ts'
import type { Served } from './served.ts'

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
  readonly misconfigured: Promise<ZerothError>
  /** Does a job and returns its result; throws `JobFailed` or `HandBack`. */
  perform(job: HandedJob<Data>): Promise<unknown>
}

/** Which jobs are done, and how. */
interface ServeJobsOptions<Data> extends QueuePlace {
  readonly kind: JobKind
  readonly address: RedisAddress
  readonly serves: Served
  readonly concurrency: number
  readonly lock: number
  readonly log: (line: string) => void
  /** Makes what does the jobs, for a worker of this name. */
  begin(connection: Connection, name: string): JobDoer<Data>
  readonly packages?: (() => Promise<QueuePackages>) | undefined
}

/** Does jobs of one kind and content until it is stopped. */
export async function serveJobs<Data>(options: ServeJobsOptions<Data>): Promise<JobWorker> {
  checkLock(options.lock)
  const connection = await connect(options.address, options.packages)
  try {
    return await begin(options, connection)
  } catch (error) {
    await connection.close()
    throw connection.failure(error)
  }
}

async function begin<Data>(options: ServeJobsOptions<Data>, connection: Connection): Promise<JobWorker> {
  const { kind, serves, prefix, name: queue, concurrency, lock, log } = options
  const place = { prefix, name: queue }
  const name = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`
  const present = await announce(connection.client, { ...place, role: 'workers' }, { id: name, serves, concurrency })
  await refuseOtherRuns(connection, place, present)
  const { shown } = connection.address
  connection.onLoss((reason) => log(`${shown} is gone (${reason}): waiting for it`))
  connection.onReturn(() => log(`${shown} is back`))
  const { perform, misconfigured } = options.begin(connection, name)
  const full = queueName(kind, place, serves)
  await listQueue(connection, prefix, full, serves)
  const loop = await workerLoop<Data>({ connection, prefix, name, concurrency, lock, log, queue: full, perform })
  let stopped: Promise<void> | undefined
  const stop = (reason?: string): Promise<void> => {
    stopped ??= loop
      .stop()
      .then(() => (connection.lostFor() === 0 ? soon(present.leave(reason)) : undefined))
      .then(() => connection.close())
    return stopped
  }
  log(`${name} serves ${servedText(present.announcement)}`)
  log(`queue ${queue} at ${shown}, ${concurrency} ${concurrency === 1 ? 'job' : 'jobs'} at once`)
  const failed = misconfigured.then((reason) => stop(reason.message).then(() => reason))
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

/** A job as those see it who do it. */
export interface HandedJob<Data> {
  readonly id: string
  readonly data: Data
  /** Fires when the job is to be handed back, or has gone to another worker. */
  readonly signal: AbortSignal
  /** Tells the run how far it is; nothing where the server is away. */
  progress(said: object): void
  /** Whether the job is still this worker's; what it would say is not heard otherwise. */
  isMine(): Promise<boolean>
}

/** A job that ends as failed, with a reason. */
export class JobFailed extends Error {}

/** A job that this worker must not answer: it goes back, and another worker does it. */
export class RequeueError extends Error {}

/** How jobs are done, whatever they hold. */
interface WorkerLoopOptions<Data> {
  readonly connection: Connection
  /** The queue's full name. */
  readonly queue: string
  readonly prefix: string
  /** The worker's name, as others see it. */
  readonly name: string
  /** Jobs at once. */
  readonly concurrency: number
  /** Milliseconds after which a job goes to another worker when this one has not been heard of. */
  readonly lock: number
  readonly log: (line: string) => void
  /** Does a job and returns its result; throws `JobFailed` or `HandBack`. */
  perform(job: HandedJob<Data>): Promise<unknown>
}

/** Jobs being done. */
interface WorkerLoop {
  /** Hands back what is under way and takes no more. */
  stop(): Promise<void>
}

/** How often a job may be lost with its worker before it counts as one that kills workers. */
const maxLosses = 5

/** Takes jobs from a queue until it is stopped. */
async function workerLoop<Data>(options: WorkerLoopOptions<Data>): Promise<WorkerLoop> {
  const { connection, queue, prefix, name, concurrency, lock, log, perform } = options
  const { Worker, WaitingError } = connection.bullmq
  let isStopping = false

  const handBack = async (job: Job, token: string | undefined): Promise<never> => {
    // A job that is another's by now, or nobody's, cannot be handed back.
    await job.moveToWait(token).catch(() => undefined)
    throw new WaitingError()
  }
  const handed = (job: Job, token: string | undefined, signal: AbortSignal): HandedJob<Data> => ({
    id: `${job.id}`,
    data: job.data as Data,
    signal,
    progress(said) {
      if (connection.lostFor() === 0) job.updateProgress(said).catch(() => undefined)
    },
    isMine: () => isHeld(connection, `${prefix}:${queue}`, job, token),
  })
  // Three parameters: for shorter functions the library makes no signal.
  const process = async (job: Job, token: string | undefined, signal: AbortSignal | undefined): Promise<unknown> => {
    if (isStopping || signal === undefined) return handBack(job, token)
    try {
      const result = await perform(handed(job, token, signal))
      return signal.aborted ? await handBack(job, token) : result
    } catch (error) {
      if (signal.aborted || error instanceof RequeueError) return handBack(job, token)
      throw error
    }
  }
  const worker = new Worker(queue, process, {
    connection: connection.client,
    prefix,
    name,
    concurrency,
    lockDuration: lock,
    stalledInterval: Math.ceil(lock / 2),
    maxStalledCount: maxLosses,
    skipVersionCheck: true,
    autorun: false,
  })
  watch(worker, connection, log)
  await worker.waitUntilReady()
  const ended = worker.run()
  ended.catch((error: unknown) => log(`stopped: ${connection.address.redact(messageOf(error))}`))
  return {
    async stop() {
      isStopping = true
      worker.cancelAllJobs('the worker is being stopped')
      // Nothing can be handed back to a server that is gone.
      if (connection.lostFor() === 0) await soon(worker.close(), 5000)
      await soon(worker.close(true))
    },
  }
}

/** Whether a job is held with this token and listed as being done: one that the server has lost from its list takes no answer. */
async function isHeld({ client }: Connection, queue: string, { id }: Job, token: string | undefined): Promise<boolean> {
  const [holder, place] = await Promise.all([
    client.get(`${queue}:${id}:lock`),
    client.lpos(`${queue}:active`, `${id}`),
  ])
  return holder === token && place !== null
}

/** Milliseconds without a new job where the server refuses something: the library would ask again at once, without end. */
const rest = 1000

/** A job whose lock could not be renewed is another worker's by now: whatever this one would say is not heard. */
function watch(worker: Worker, connection: Connection, log: (line: string) => void): void {
  let resting: ReturnType<typeof setTimeout> | undefined
  let last = ''
  worker.on('error', (error) => {
    if (/could not renew lock|Connection is closed|ECONN|Socket/.test(error.message)) return
    const { message } = connection.failure(error)
    if (message !== last) log(message)
    last = message
    if (resting !== undefined || worker.closing !== undefined) return
    void worker.pause(true)
    resting = setTimeout(() => {
      resting = undefined
      void worker.resume()
    }, rest)
  })
  worker.on('closing', () => clearTimeout(resting))
  worker.on('completed', () => {
    last = ''
  })
  worker.on('lockRenewalFailed', (ids: string[]) => {
    for (const id of ids) {
      worker.cancelJob(id, 'the job went to another worker')
      log(`job ${id} went to another worker: this one was not heard of for too long`)
    }
  })
}
