import type { Job, Worker } from 'bullmq'
import { messageOf } from '../core/errors.ts'
import type { Connection } from './connection.ts'
import { soon } from './connection.ts'

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
export class HandBack extends Error {}

/** How jobs are done, whatever they hold. */
export interface WorkerLoopOptions<Data> {
  readonly connection: Connection
  /** The queue's full name. */
  readonly queue: string
  readonly prefix: string
  /** The worker's name, as others see it. */
  readonly name: string
  /** Jobs at once. */
  readonly lanes: number
  /** Milliseconds after which a job goes to another worker when this one has not been heard of. */
  readonly lock: number
  readonly log: (line: string) => void
  /** Does a job and returns its result; throws `JobFailed` or `HandBack`. */
  perform(job: HandedJob<Data>): Promise<unknown>
}

/** Jobs being done. */
export interface WorkerLoop {
  /** Hands back what is under way and takes no more. */
  stop(): Promise<void>
}

/** How often a job may be lost with its worker before it counts as one that kills workers. */
const maxLosses = 5

/** Takes jobs from a queue until it is stopped. */
export async function workerLoop<Data>(options: WorkerLoopOptions<Data>): Promise<WorkerLoop> {
  const { connection, queue, prefix, name, lanes, lock, log, perform } = options
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
    isMine: async () => (await connection.client.get(`${prefix}:${queue}:${job.id}:lock`)) === token,
  })
  // Three parameters: for shorter functions the library makes no signal.
  const process = async (job: Job, token: string | undefined, signal: AbortSignal | undefined): Promise<unknown> => {
    if (isStopping || signal === undefined) return handBack(job, token)
    try {
      const result = await perform(handed(job, token, signal))
      return signal.aborted ? await handBack(job, token) : result
    } catch (error) {
      if (signal.aborted || error instanceof HandBack) return handBack(job, token)
      throw error
    }
  }
  const worker = new Worker(queue, process, {
    connection: connection.client,
    prefix,
    name,
    concurrency: lanes,
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
