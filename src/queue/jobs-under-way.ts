import type { Queue, QueueEvents } from 'bullmq'
import { ZerothError } from '../core/errors.ts'
import type { QueueCounts } from '../core/types.ts'
import { type Connection, isPassing, soon } from './connection.ts'
import { type JobEnd, jobStates } from './job-states.ts'
import { listQueue } from './queue-list.ts'
import { type JobKind, pointsKey } from './queue-place.ts'
import { missingPoints } from './row-answer.ts'
import { sendJobs, type WantedJob } from './send-jobs.ts'
import type { Served } from './served.ts'

/** Jobs on the server, from when they are asked for to their end. */
export interface JobsUnderWay {
  /** Resolves with the end of a job; rejects where the server is full or gone for too long. */
  ask(job: WantedJob): Promise<JobEnd>
  /** Takes jobs back that no worker has begun. */
  withdraw(ids: readonly string[]): Promise<void>
  /** How many jobs are where, of all runs that ask for the same; undefined while this one waits for nothing. */
  counts(): Promise<Omit<QueueCounts, 'workers'> | undefined>
  close(): Promise<void>
}

/** How jobs are kept. */
export interface JobsOptions {
  readonly kind: JobKind
  readonly connection: Connection
  /** The queue's full name. */
  readonly queue: string
  readonly prefix: string
  readonly serves: Served
  /** Milliseconds that the server may be gone before the run ends, saved. */
  readonly patience: number
  /** Called when nothing has been heard for a while. */
  readonly onSilence: () => void
}

interface Pending extends WantedJob {
  readonly end: (end: JobEnd) => void
  readonly fail: (error: ZerothError) => void
  /** Times it had to be sent again because the server had lost it. */
  losses: number
}

/** Jobs looked up or sent together. */
const together = 500

/** Milliseconds of silence after which the state of jobs is looked at, at first and at most: events can be lost. */
const [firstLook, longestLook] = [2000, 15_000]

/** Milliseconds after which it is looked at when the server is back: it may still be reading its data. */
const soonAfter = 200

/** A job that the server loses so often is given up. */
const maxLosses = 20

/** Opens a queue for jobs of one content. */
export async function jobsUnderWay(options: JobsOptions): Promise<JobsUnderWay> {
  const { connection, prefix } = options
  const { bullmq, client } = connection
  const settings = { connection: client, prefix, skipVersionCheck: true }
  const queue = new bullmq.Queue(options.queue, settings)
  const events = new bullmq.QueueEvents(options.queue, { ...settings, blockingTimeout: 5000 })
  // What goes wrong with the connection is told by those who wait for an answer.
  queue.on('error', () => undefined)
  events.on('error', () => undefined)
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()])
  const list = await listQueue(connection, prefix, options.queue, options.serves)
  return new Jobs(options, queue, events, list)
}

class Jobs implements JobsUnderWay {
  readonly #pending = new Map<string, Pending>()
  readonly #options: JobsOptions
  readonly #queue: Queue
  readonly #events: QueueEvents
  readonly #list: () => Promise<unknown>
  #unsent: Pending[] = []
  #answered: string[] = []
  #look: ReturnType<typeof setTimeout> | undefined
  #wait = firstLook
  #isClosed = false

  constructor(options: JobsOptions, queue: Queue, events: QueueEvents, list: () => Promise<unknown>) {
    this.#options = options
    this.#queue = queue
    this.#events = events
    this.#list = list
    events.on('completed', ({ jobId, returnvalue }) => this.#end(jobId, { value: returnvalue }))
    events.on('failed', ({ jobId, failedReason }) => this.#end(jobId, { failed: failedReason }))
    events.on('progress', ({ jobId, data }) => this.#pending.get(jobId)?.onProgress?.(data))
    options.connection.onReturn(() => this.#lookSoon(soonAfter))
    options.connection.onLoss(() => {
      this.#wait = firstLook
      this.#lookSoon(firstLook)
    })
    this.#lookSoon(firstLook)
  }

  ask(job: WantedJob): Promise<JobEnd> {
    return new Promise((end, fail) => {
      const pending = { ...job, end, fail, losses: 0 }
      this.#pending.set(job.id, pending)
      // All that are asked for in this turn are sent together.
      if (this.#unsent.push(pending) === 1) setImmediate(() => void this.#flush())
    })
  }

  async withdraw(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#pending.delete(id)
    if (this.#options.connection.lostFor() > 0) return
    // A job that is being done is locked and stays: its answer is kept for a run that is resumed.
    const removed = await Promise.allSettled(ids.map((id) => this.#queue.remove(id)))
    const gone = ids.filter((_, i) => removed[i]?.status === 'fulfilled' && removed[i].value === 1)
    this.#answered.push(...gone.map((id) => pointsKey(this.#options.prefix, id)))
  }

  async counts(): Promise<Omit<QueueCounts, 'workers'> | undefined> {
    if (this.#pending.size === 0 || this.#options.connection.lostFor() > 0) return undefined
    const { waiting = 0, active = 0, failed = 0 } = await this.#queue.getJobCounts('waiting', 'active', 'failed')
    return { waiting, active, failed }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#look)
    const { connection } = this.#options
    if (connection.lostFor() === 0) await soon(this.#unlinkAnswered())
    await soon(Promise.allSettled([this.#events.close(), this.#queue.close()]))
  }

  async #flush(): Promise<void> {
    const jobs = this.#unsent.filter(({ id }) => this.#pending.has(id))
    this.#unsent = []
    for (let first = 0; first < jobs.length; first += together) {
      const some = jobs.slice(first, first + together)
      await this.#send(some).catch((error: unknown) => this.#notSent(some, error))
    }
    void this.#unlinkAnswered().catch(() => undefined)
  }

  async #send(jobs: readonly Pending[]): Promise<void> {
    const old = jobs.filter(({ mayBeThere }) => mayBeThere)
    if (old.length > 0) await this.#takeEarlier(old)
    const wanted = jobs.filter(({ id }) => this.#pending.has(id))
    if (wanted.length === 0) return
    const { connection, prefix, kind } = this.#options
    await sendJobs(connection.client, this.#queue, prefix, kind, wanted)
  }

  /** Answers that an earlier process of this run did not hear; one that failed is asked for again. */
  async #takeEarlier(jobs: readonly Pending[]): Promise<void> {
    const states = await jobStates(this.#options.connection.client, this.#queue, jobs)
    await Promise.all(
      jobs.map((job, i) => {
        const state = states[i]
        if (state?.end === undefined) return undefined
        if ('value' in state.end) return this.#end(job.id, state.end)
        return this.#queue.remove(job.id)
      }),
    )
  }

  #end(id: string, end: JobEnd): void {
    const job = this.#pending.get(id)
    // Second and late answers find nobody who waits.
    if (job === undefined) return
    this.#wait = firstLook
    if ('failed' in end && end.failed === missingPoints) return void this.#sendAgain(job)
    this.#pending.delete(id)
    if (job.payload !== undefined && job.sharedAt === undefined)
      this.#answered.push(pointsKey(this.#options.prefix, id))
    job.end(end)
  }

  async #sendAgain(job: Pending): Promise<void> {
    if (++job.losses > maxLosses) return this.#giveUp([job], new Error(`job ${job.id} was lost ${maxLosses} times`))
    await this.#queue.remove(job.id).catch(() => undefined)
    if (this.#pending.has(job.id)) await this.#send([job]).catch((error: unknown) => this.#notSent([job], error))
  }

  /** A connection that was lost meanwhile comes back: what did not arrive is found missing then, and sent again. */
  #notSent(jobs: readonly Pending[], error: unknown): void {
    if (isPassing(error) && !this.#isClosed) this.#lookSoon(firstLook)
    else this.#giveUp(jobs, error)
  }

  #giveUp(jobs: readonly Pending[], error: unknown): void {
    const failure = this.#options.connection.failure(error)
    for (const { id, fail } of jobs) if (this.#pending.delete(id)) fail(failure)
  }

  /** Points are deleted once their job is answered. */
  async #unlinkAnswered(): Promise<void> {
    const keys = this.#answered
    this.#answered = []
    if (keys.length > 0) await this.#options.connection.client.unlink(...keys)
  }

  #lookSoon(milliseconds: number): void {
    clearTimeout(this.#look)
    if (this.#isClosed) return
    this.#look = setTimeout(() => void this.#lookAtAll(), milliseconds)
    this.#look.unref()
  }

  /** Where nothing is heard the events may be lost, or the server has lost the jobs: their state tells. */
  async #lookAtAll(): Promise<void> {
    const { connection, patience } = this.#options
    if (connection.lostFor() > patience) {
      const what = `${connection.address.shown} was gone for ${Math.round(patience / 1000)} s`
      this.#giveUp([...this.#pending.values()], new ZerothError('unreachable', `${what}: the run is saved`))
    } else if (connection.lostFor() === 0 && this.#pending.size > 0) {
      const before = this.#pending.size
      await this.#review().catch(() => undefined)
      if (this.#pending.size === before) await this.#hearNothing()
    }
    this.#wait = Math.min(this.#wait * 2, longestLook)
    this.#lookSoon(this.#wait)
  }

  /** A server that takes nothing takes no answers either, and workers cannot say so. */
  async #hearNothing(): Promise<void> {
    try {
      await this.#list()
      this.#options.onSilence()
    } catch (error) {
      if (!isPassing(error)) this.#giveUp([...this.#pending.values()], error)
    }
  }

  async #review(): Promise<void> {
    const { connection } = this.#options
    const sent = [...this.#pending.values()].filter((job) => !this.#unsent.includes(job))
    for (let first = 0; first < sent.length; first += together) {
      const some = sent.slice(first, first + together)
      const states = await jobStates(connection.client, this.#queue, some)
      const lost = some.filter((_, i) => states[i]?.isThere === false)
      some.forEach(({ id }, i) => {
        const end = states[i]?.end
        if (end !== undefined) this.#end(id, end)
      })
      for (const job of lost) if (this.#pending.has(job.id)) await this.#sendAgain(job)
    }
  }
}
