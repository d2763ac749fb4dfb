import { EventEmitter } from 'node:events'
import { Link, type RedisServer } from './redis.ts'
import type { SimulatedProcess, World } from './world.ts'

/** What the scripts of the library do at the server, as far as a queue without priorities and delays needs them. */
const scripts = {
  add(redis: RedisServer, queue: string, id: string, data: string): void {
    if (redis.exists(`${queue}:${id}`) === 1) return redis.xadd(`${queue}:events`, { event: 'duplicated', jobId: id })
    redis.hset(`${queue}:${id}`, 'data', data)
    redis.hset(`${queue}:${id}`, 'timestamp', String(redis.world.now))
    redis.push(`${queue}:wait`, 'left', id)
  },

  take(redis: RedisServer, queue: string, token: string, lock: number): HandedOut | null {
    const id = redis.rpoplpush(`${queue}:wait`, `${queue}:active`)
    if (id === null) return null
    redis.set(`${queue}:${id}:lock`, token, 'PX', lock)
    redis.xadd(`${queue}:events`, { event: 'active', jobId: id })
    redis.hset(`${queue}:${id}`, 'processedOn', String(redis.world.now))
    return { id, data: redis.hget(`${queue}:${id}`, 'data'), failure: redis.hget(`${queue}:${id}`, 'defa') }
  },

  /** 0, or why not, as the library numbers it. */
  unlock(redis: RedisServer, queue: string, id: string, token: string): number {
    const key = `${queue}:${id}:lock`
    const held = redis.get(key)
    if (held !== token) return held === null ? -2 : -6
    redis.unlink(key)
    redis.srem(`${queue}:stalled`, id)
    return 0
  },

  finish(redis: RedisServer, queue: string, id: string, token: string, end: End): number {
    if (redis.exists(`${queue}:${id}`) === 0) return -1
    const code = scripts.unlock(redis, queue, id, token)
    if (code < 0) return code
    if (redis.lrem(`${queue}:active`, id) === 0) return -3
    const field = end.kind === 'completed' ? 'returnvalue' : 'failedReason'
    redis.zadd(`${queue}:${end.kind}`, redis.world.now, id)
    redis.hset(`${queue}:${id}`, field, end.text)
    redis.hset(`${queue}:${id}`, 'finishedOn', String(redis.world.now))
    redis.xadd(`${queue}:events`, { event: end.kind, jobId: id, [field]: end.text })
    return 0
  },

  putBack(redis: RedisServer, queue: string, id: string, token: string): number {
    if (redis.exists(`${queue}:${id}`) === 0) return -1
    const code = scripts.unlock(redis, queue, id, token)
    if (code < 0) return code
    if (redis.lrem(`${queue}:active`, id) === 1) redis.push(`${queue}:wait`, 'right', id)
    return 0
  },

  /** Those whose lock is another's by now, or gone. */
  renew(redis: RedisServer, queue: string, held: readonly [id: string, token: string][], lock: number): string[] {
    return held.flatMap(([id, token]) => {
      if (redis.get(`${queue}:${id}:lock`) !== token) return [id]
      redis.set(`${queue}:${id}:lock`, token, 'PX', lock)
      redis.srem(`${queue}:stalled`, id)
      return []
    })
  },

  /** Jobs that were being done at the last look, and whose lock is gone, go to another worker. */
  moveStalled(redis: RedisServer, queue: string, most: number, every: number): void {
    if (redis.exists(`${queue}:stalled-check`) === 1) return
    redis.set(`${queue}:stalled-check`, '1', 'PX', every)
    for (const id of redis.smembers(`${queue}:stalled`)) {
      if (redis.exists(`${queue}:${id}:lock`) === 1 || redis.lrem(`${queue}:active`, id) === 0) continue
      if (redis.hincrby(`${queue}:${id}`, 'stc', 1) > most) {
        redis.hset(`${queue}:${id}`, 'defa', 'job stalled more than allowable limit')
      }
      redis.push(`${queue}:wait`, 'right', id)
    }
    redis.unlink(`${queue}:stalled`)
    redis.sadd(`${queue}:stalled`, ...redis.lrange(`${queue}:active`, 0, -1))
  },

  /** 1, or 0 where a worker does it. */
  remove(redis: RedisServer, queue: string, id: string): number {
    if (redis.exists(`${queue}:${id}:lock`) === 1) return 0
    for (const list of ['wait', 'active']) redis.lrem(`${queue}:${list}`, id)
    for (const set of ['completed', 'failed']) redis.hdel(`${queue}:${set}`, id)
    redis.unlink(`${queue}:${id}`)
    return 1
  },
}

interface HandedOut {
  readonly id: string
  readonly data: string | null
  /** Why it is given up. */
  readonly failure: string | null
}

interface End {
  readonly kind: 'completed' | 'failed'
  readonly text: string
}

class WaitingError extends Error {}

interface Settings {
  readonly connection: { readonly link: Link }
  readonly prefix: string
}

interface WorkerSettings extends Settings {
  readonly concurrency: number
  readonly lockDuration: number
  readonly stalledInterval: number
  readonly maxStalledCount: number
}

/** What the library keeps between two attempts to connect anew. */
const retry = (attempt: number): number => Math.max(Math.min(Math.exp(attempt), 20_000), 1000)

/** The library in one process. */
export function bullmqIn(server: RedisServer, process: SimulatedProcess) {
  const { world } = server
  const ownLink = (): Link => {
    const link = new Link(server, process, retry)
    // A server that is away just now is tried again, as after a loss.
    if (!link.open()) link.connectLater()
    return link
  }

  class Queue extends EventEmitter {
    readonly #key: string
    readonly #link: Link

    constructor(name: string, { connection, prefix }: Settings) {
      super()
      this.#key = `${prefix}:${name}`
      this.#link = connection.link
    }

    async waitUntilReady(): Promise<void> {}
    async close(): Promise<void> {}
    toKey = (key: string): string => `${this.#key}:${key}`
    addBulk(jobs: readonly { readonly data: object; readonly opts: { readonly jobId: string } }[]): Promise<unknown> {
      return this.#link.send((redis, answer) => {
        for (const { data, opts } of jobs) scripts.add(redis, this.#key, opts.jobId, JSON.stringify(data))
        answer(null)
      })
    }
    remove(id: string): Promise<number> {
      return this.#link.send((redis, answer) => answer(scripts.remove(redis, this.#key, id)))
    }
    getJobCounts(): Promise<Record<string, number>> {
      return this.#link.send((redis, answer) => {
        const [waiting, active] = ['wait', 'active'].map((list) => redis.llen(`${this.#key}:${list}`))
        answer({ waiting, active, failed: redis.zrange(`${this.#key}:failed`, '0', '-1').length })
      })
    }
  }

  class QueueEvents extends EventEmitter {
    readonly #key: string
    readonly #link = ownLink()
    #isClosed = false

    constructor(name: string, { prefix }: Settings) {
      super()
      this.#key = `${prefix}:${name}:events`
      void this.#listen()
    }

    async waitUntilReady(): Promise<void> {}
    async close(): Promise<void> {
      this.#isClosed = true
      this.#link.close()
    }

    async #listen(): Promise<void> {
      let last: number | undefined
      while (!this.#isClosed) {
        const found = await this.#link
          .send<ReturnType<RedisServer['xread']> | null>((redis, answer) => {
            // Those of before it began to listen are not told.
            last ??= redis.lastEvent
            const after = last
            const look = () => {
              const there = redis.xread(this.#key, after)
              return there.length === 0 ? undefined : there
            }
            redis.wait(look, 5000, (events) => answer(events))
          })
          .catch(() => null)
        for (const { number, event } of found ?? []) {
          last = number
          deliver(world, server, process, () => this.emit(event.event ?? '', told(event)))
        }
      }
    }
  }

  class Job {
    readonly id: string
    readonly data: unknown
    readonly #key: string
    readonly #link: Link

    constructor(key: string, link: Link, { id, data }: HandedOut) {
      this.#key = key
      this.#link = link
      this.id = id
      this.data = JSON.parse(data ?? '{}')
    }

    moveToWait(token: string): Promise<number> {
      return this.#link.send((redis, answer) => answer(scripts.putBack(redis, this.#key, this.id, token)))
    }
    async updateProgress(): Promise<void> {}
  }

  type Perform = (job: Job, token: string, signal: AbortSignal) => Promise<unknown>

  class Worker extends EventEmitter {
    readonly #key: string
    readonly #perform: Perform
    readonly #settings: WorkerSettings
    readonly #link = ownLink()
    readonly #blocking = ownLink()
    readonly #held = new Map<string, { readonly token: string; readonly controller: AbortController }>()
    readonly #name = `${process.pid}`
    #tokens = 0
    #isPaused = false
    closing: Promise<void> | undefined
    #timers: NodeJS.Timeout[] = []

    constructor(name: string, perform: Perform, settings: WorkerSettings) {
      super()
      this.#key = `${settings.prefix}:${name}`
      this.#perform = perform
      this.#settings = settings
    }

    async waitUntilReady(): Promise<void> {}

    async run(): Promise<void> {
      const { lockDuration, stalledInterval, maxStalledCount, concurrency } = this.#settings
      const every = (milliseconds: number, call: () => Promise<unknown>): void => {
        this.#timers.push(setInterval(() => void call().catch(() => undefined), milliseconds))
      }
      every(lockDuration / 4, () => this.#renew())
      every(stalledInterval, () =>
        this.#link.send((redis, answer) => {
          scripts.moveStalled(redis, this.#key, maxStalledCount, stalledInterval)
          answer(null)
        }),
      )
      await Promise.all(Array.from({ length: concurrency }, () => this.#loop()))
    }

    cancelJob(id: string, reason: string): void {
      this.#held.get(id)?.controller.abort(new Error(reason))
    }

    cancelAllJobs(reason: string): void {
      for (const id of this.#held.keys()) this.cancelJob(id, reason)
    }

    async pause(): Promise<void> {
      this.#isPaused = true
    }

    async resume(): Promise<void> {
      this.#isPaused = false
    }

    async close(isForced = false): Promise<void> {
      this.emit('closing')
      this.closing ??= Promise.resolve()
      for (const timer of this.#timers) clearInterval(timer)
      while (!isForced && this.#held.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
      this.#link.close()
      this.#blocking.close()
    }

    async #loop(): Promise<void> {
      while (this.closing === undefined) {
        try {
          if (this.#isPaused) await new Promise((resolve) => setTimeout(resolve, 100))
          else await this.#turn()
        } catch (error) {
          this.emit('error', error)
          await new Promise((resolve) => setTimeout(resolve, 1000))
        }
      }
    }

    async #turn(): Promise<void> {
      const token = `${this.#name}:${this.#tokens++}`
      const wait = `${this.#key}:wait`
      await this.#blocking.send((redis, answer) =>
        redis.wait(() => (redis.llen(wait) > 0 ? true : undefined), 5000, answer),
      )
      const { lockDuration } = this.#settings
      const handed = await this.#link.send<HandedOut | null>((redis, answer) =>
        answer(scripts.take(redis, this.#key, token, lockDuration)),
      )
      if (handed === null || this.closing !== undefined) return
      const controller = new AbortController()
      this.#held.set(handed.id, { token, controller })
      try {
        if (handed.failure !== null) throw new Error(handed.failure)
        const result = await this.#perform(new Job(this.#key, this.#link, handed), token, controller.signal)
        this.#held.delete(handed.id)
        await this.#finish(handed.id, token, { kind: 'completed', text: JSON.stringify(result) })
        this.emit('completed')
      } catch (error) {
        this.#held.delete(handed.id)
        if (error instanceof WaitingError) return
        await this.#finish(handed.id, token, { kind: 'failed', text: (error as Error).message })
      }
    }

    async #finish(id: string, token: string, end: End): Promise<void> {
      const code = await this.#link.send<number>((redis, answer) =>
        answer(scripts.finish(redis, this.#key, id, token, end)),
      )
      if (code < 0) throw new Error(`Missing lock or job ${id} (${code})`)
    }

    async #renew(): Promise<void> {
      const held = [...this.#held].map(([id, { token }]): [string, string] => [id, token])
      if (held.length === 0) return
      const lost = await this.#link.send<string[]>((redis, answer) =>
        answer(scripts.renew(redis, this.#key, held, this.#settings.lockDuration)),
      )
      if (lost.length === 0) return
      this.emit('lockRenewalFailed', lost)
      for (const id of lost) this.emit('error', new Error(`could not renew lock for job ${id}`))
    }
  }

  return { Queue, QueueEvents, Worker, WaitingError }
}

/** Values travel as JSON. */
function told(event: Record<string, string>): Record<string, unknown> {
  const { returnvalue } = event
  return returnvalue === undefined ? event : { ...event, returnvalue: JSON.parse(returnvalue) }
}

/** Tells an event; in bad times not at all, twice, or behind others. */
function deliver(world: World, server: RedisServer, process: SimulatedProcess, tell: () => void): void {
  if (server.garbledUntil <= world.now) return tell()
  const how = world.random()
  if (how < 0.3) return
  if (how < 0.6) tell()
  world.after(world.between(0, 3000), process, tell)
}
