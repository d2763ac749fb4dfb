import type { Queue, QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import { onAbort } from '../../../optimizer/core/async.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { jsonOr } from '../../../optimizer/core/exact-json.ts'
import type { QueueCounts } from '../../../optimizer/core/types.ts'
import { type Announced, type Announcement, announce, announced, isMatch, servedText } from './announcements.ts'
import { type Connection, connect, isPassing, type QueuePackages, soon } from './connection.ts'
import { type JobKind, listQueue, pointsKey, queueName, sendJobs, type WantedJob } from './queue-place.ts'
import type { RedisAddress } from './redis-address.ts'
import { missingPoints } from './row-task.ts'
import type { Served } from './served.ts'

/** Where a run hands out its jobs. */
export interface QueueClient {
  readonly connection: Connection
  readonly jobs: JobsUnderWay
  /** Waits until there is a worker that serves what is asked for; refuses where there are only others. */
  untilServed(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What a client is opened with. */
interface QueueClientOptions {
  readonly kind: JobKind
  readonly address: RedisAddress
  readonly name: string
  readonly prefix: string
  readonly serves: Served
  readonly run: string
  readonly patience: number
  /** Says something to the user of the run. */
  readonly notice: (message: string) => void
  /** Told now and then who is there and what is left to do, while jobs are under way. */
  readonly counted: (counts: QueueCounts) => void
  readonly packages?: (() => Promise<QueuePackages>) | undefined
}

/** Milliseconds between two counts. */
const countAgain = 2000

/** Milliseconds between two looks for workers while there are none. */
const lookAgain = 250

/** Connects, says what is asked for, and opens the queue. */
export async function openQueueClient(options: QueueClientOptions): Promise<QueueClient> {
  const connection = await connect(options.address, options.packages)
  try {
    return await setUp(connection, options)
  } catch (error) {
    await connection.close()
    throw connection.failure(error)
  }
}

async function setUp(connection: Connection, options: QueueClientOptions): Promise<QueueClient> {
  const { kind, prefix, name, serves, run, notice, address } = options
  const { client } = connection
  const own = await announce(client, { prefix, name, role: 'runs' }, { id: run, serves })
  let wasServed = false
  const workers = (): Promise<Announcement[]> => announced(client, prefix, name, 'workers')
  const isServing = (each: Announcement): boolean => each.left === undefined && isMatch(each, own.announcement)
  const look = async (): Promise<boolean> => {
    const present = await workers()
    if (present.some(isServing)) return true
    if (!wasServed) refuseOthers(present, own, options)
    return false
  }
  const tell = noticesOf(connection, notice, address)
  const jobs = await jobsUnderWay({
    ...{ kind, connection, prefix, serves, patience: options.patience },
    queue: queueName(kind, options, serves),
    onSilence: () =>
      void workers().then(
        (present) => tell.silence(present, own),
        () => undefined,
      ),
  })
  const count = async (): Promise<void> => {
    const counts = await jobs.counts()
    if (counts !== undefined) options.counted({ workers: (await workers()).filter(isServing).length, ...counts })
  }
  const counting = setInterval(() => void count().catch(() => undefined), countAgain)
  counting.unref()
  return {
    connection,
    jobs,
    async untilServed(signal) {
      while (!wasServed) {
        wasServed = await look()
        if (wasServed) return tell.served()
        tell.silence(await workers(), own)
        await pause(lookAgain, signal)
        signal.throwIfAborted()
      }
    },
    async close() {
      clearInterval(counting)
      await jobs.close()
      if (connection.lostFor() === 0) await soon(own.leave())
      await connection.close()
    },
  }
}

/** Workers that serve something else only: nobody will ever answer. */
function refuseOthers(present: readonly Announcement[], own: Announced, { name, address }: QueueClientOptions): void {
  const others = present.filter(({ left }) => left === undefined)
  const [other] = others
  if (other === undefined) return
  const more = others.length === 1 ? '' : ` and ${others.length - 1} more`
  const there = `${other.id}${more} serves ${servedText(other)}`
  const what = `the run asks for ${servedText(own.announcement)}, but ${there}`
  throw new ZerothError('invalid-objective', `queue ${name} at ${address.shown}: ${what}`)
}

/** Says each thing once until it has changed. */
function noticesOf(connection: Connection, notice: (message: string) => void, { shown }: RedisAddress) {
  let isWaiting = false
  connection.onLoss((reason) => notice(`${shown} is gone (${reason}): waiting for it`))
  connection.onReturn(() => notice(`${shown} is back`))
  return {
    silence(present: readonly Announcement[], own: Announced): void {
      const isServed = present.some((each) => each.left === undefined && isMatch(each, own.announcement))
      if (isServed) isWaiting = false
      if (isServed || isWaiting) return
      isWaiting = true
      const last = present.find((each) => each.left !== undefined && isMatch(each, own.announcement))
      const why = last === undefined ? '' : `; the last one, ${last.id}, left: ${last.left}`
      notice(`no worker at ${shown} serves ${servedText(own.announcement)}: waiting for one${why}`)
    },
    served(): void {
      isWaiting = false
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    const forget = onAbort(signal, done)
    function done(): void {
      clearTimeout(timer)
      forget()
      resolve()
    }
  })
}

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
interface JobsOptions {
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
async function jobsUnderWay(options: JobsOptions): Promise<JobsUnderWay> {
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
      const open = some.filter((_, i) => states[i]?.isThere === true && states[i].end === undefined)
      const unlisted = await unlistedJobs(connection.client, this.#queue, open)
      const lost = [...some.filter((_, i) => states[i]?.isThere === false), ...unlisted]
      some.forEach(({ id }, i) => {
        const end = states[i]?.end
        if (end !== undefined) this.#end(id, end)
      })
      for (const job of lost) if (this.#pending.has(job.id)) await this.#sendAgain(job)
    }
  }
}

/** How a job ended. */
export type JobEnd = { readonly value: unknown } | { readonly failed: string }

/** What the server knows of a job. */
interface JobState {
  readonly isThere: boolean
  /** Undefined while nobody has finished it. */
  readonly end: JobEnd | undefined
}

/** The states of some jobs, in one go: of hundreds of jobs, asking for one at a time would take seconds. */
async function jobStates(client: Redis, queue: Queue, jobs: readonly { readonly id: string }[]): Promise<JobState[]> {
  const pipeline = client.pipeline()
  for (const { id } of jobs) pipeline.hmget(queue.toKey(id), 'timestamp', 'finishedOn', 'returnvalue', 'failedReason')
  return ((await pipeline.exec()) ?? []).map(([error, fields]) => {
    if (error !== null) throw error
    const [timestamp, finished, value, failed] = fields as (string | null)[]
    return { isThere: timestamp != null, end: finished == null ? undefined : endOf(value, failed) }
  })
}

/**
 * Those of some jobs that are on the server, but in none of its lists, so that no worker ever finds them: a part of its data
 * was lost. One whose lock is held is being done; should its answer find no place, its lock runs out.
 */
async function unlistedJobs<Job extends { readonly id: string }>(
  client: Redis,
  queue: Queue,
  jobs: readonly Job[],
): Promise<Job[]> {
  if (jobs.length === 0) return []
  // All at one moment: a job that moves from one list to the next is never in none.
  const asked = client.multi()
  for (const list of ['wait', 'paused', 'active']) asked.lrange(queue.toKey(list), 0, -1)
  for (const list of ['delayed', 'prioritized', 'waiting-children']) asked.zrange(queue.toKey(list), '0', '-1')
  for (const { id } of jobs) asked.exists(`${queue.toKey(id)}:lock`)
  for (const { id } of jobs) asked.hget(queue.toKey(id), 'finishedOn')
  const found = ((await asked.exec()) ?? []).map(([error, value]) => {
    if (error !== null) throw error
    return value
  })
  const listed = new Set(found.slice(0, 6).flat())
  const [locks, ends] = [found.slice(6, 6 + jobs.length), found.slice(6 + jobs.length)]
  return jobs.filter(({ id }, i) => !listed.has(id) && locks[i] === 0 && ends[i] === null)
}

function endOf(value: string | null | undefined, failed: string | null | undefined): JobEnd {
  if (value == null) return { failed: failed ?? 'failed' }
  return { value: jsonOr(value, value) }
}
