import { EventEmitter } from 'node:events'
import type { SimulatedProcess, World } from './world.ts'

interface StreamEntry {
  readonly number: number
  readonly event: Record<string, string>
}

type Value = string | Buffer | string[] | Map<string, string> | Set<string> | { readonly entries: StreamEntry[] }

/** Who waits for something at the server. */
interface Waiter {
  /** What it waits for; undefined while there is none. */
  readonly look: () => unknown
  readonly answer: (found: unknown) => void
}

/** A server in the simulated network that keeps what Redis keeps, and does one command after the other. */
export class RedisServer {
  readonly world: World
  readonly #values = new Map<string, { value: Value; until: number }>()
  #waiting = new Set<Waiter>()
  isDown = false
  /** Connections to it. */
  readonly links = new Set<Link>()
  /** Until when what is told to those who listen to events is lost, told twice, or late. */
  garbledUntil = 0
  #events = 0

  constructor(world: World) {
    this.world = world
  }

  /** Stops for a while; what it held is there again, or is not. */
  restart(keeps: boolean, downFor: number): void {
    this.isDown = true
    this.#waiting = new Set()
    for (const link of this.links) link.cut('ECONNRESET')
    if (!keeps) this.#values.clear()
    this.world.after(downFor, undefined, () => {
      this.isDown = false
    })
  }

  /** Loses the keys that a test accepts. */
  lose(isLost: (key: string) => boolean): string[] {
    const lost = [...this.#values.keys()].filter(isLost)
    for (const key of lost) this.#values.delete(key)
    return lost
  }

  /** The seconds on its clock. */
  get seconds(): number {
    return Math.floor(this.world.now / 1000)
  }

  wait(look: () => unknown, milliseconds: number, answer: (found: unknown) => void): void {
    const found = look()
    if (found !== undefined) return answer(found)
    const waiter = { look, answer }
    this.#waiting.add(waiter)
    this.world.after(milliseconds, undefined, () => {
      if (this.#waiting.delete(waiter)) answer(null)
    })
  }

  #wake(): void {
    for (const waiter of [...this.#waiting]) {
      const found = waiter.look()
      if (found === undefined || !this.#waiting.delete(waiter)) continue
      waiter.answer(found)
    }
  }

  exists = (key: string): number => (this.#at(key) === undefined ? 0 : 1)
  get = (key: string): string | null => (this.#at(key) as string | undefined) ?? null
  getBuffer = (key: string): Buffer | null => (this.#at(key) as Buffer | undefined) ?? null
  set = (key: string, value: string | Buffer, unit?: 'EX' | 'PX', time?: number): 'OK' => {
    const milliseconds = time === undefined ? Infinity : unit === 'EX' ? 1000 * time : time
    this.#values.set(key, { value, until: this.world.now + milliseconds })
    return 'OK'
  }
  unlink = (...keys: string[]): number => keys.filter((key) => this.#values.delete(key)).length
  hset = (key: string, field: string, value: string): number => Number(this.#hash(key).set(field, value) === undefined)
  hget = (key: string, field: string): string | null => this.#hashAt(key)?.get(field) ?? null
  hmget = (key: string, ...fields: string[]): (string | null)[] => fields.map((field) => this.hget(key, field))
  hgetall = (key: string): Record<string, string> => Object.fromEntries(this.#hashAt(key) ?? [])
  hdel = (key: string, field: string): number => Number(this.#hashAt(key)?.delete(field) ?? false)
  hincrby = (key: string, field: string, by: number): number => {
    const sum = Number(this.hget(key, field) ?? 0) + by
    this.#hash(key).set(field, String(sum))
    return sum
  }
  sadd = (key: string, ...members: string[]): void => {
    for (const each of members) this.#made(key, () => new Set<string>()).add(each)
  }
  srem = (key: string, member: string): void => void (this.#at(key) as Set<string> | undefined)?.delete(member)
  smembers = (key: string): string[] => [...((this.#at(key) as Set<string> | undefined) ?? [])]
  lrange = (key: string, _from: number, _to: number): string[] => [...this.#list(key)]
  zrange = (key: string, _from: string, _to: string): string[] => [...(this.#hashAt(key)?.keys() ?? [])]
  llen = (key: string): number => this.#list(key).length
  zadd = (key: string, score: number, member: string): void => void this.#hash(key).set(member, String(score))
  /** The left end is where new jobs come, the right end where they are taken. */
  push = (key: string, end: 'left' | 'right', member: string): void => {
    const list = this.#made(key, (): string[] => [])
    if (end === 'left') list.unshift(member)
    else list.push(member)
    this.#wake()
  }
  lrem = (key: string, member: string): number => {
    const list = this.#list(key)
    const at = list.indexOf(member)
    if (at >= 0) list.splice(at, 1)
    if (list.length === 0) this.#values.delete(key)
    return Number(at >= 0)
  }
  rpoplpush = (from: string, to: string): string | null => {
    const list = this.#list(from)
    const member = list.pop()
    if (member === undefined) return null
    if (list.length === 0) this.#values.delete(from)
    this.#made(to, (): string[] => []).unshift(member)
    return member
  }
  xadd = (key: string, event: Record<string, string>): void => {
    this.#made(key, () => ({ entries: [] as StreamEntry[] })).entries.push({ number: ++this.#events, event })
    this.#wake()
  }
  xread = (key: string, after: number): StreamEntry[] => {
    const { entries = [] } = (this.#at(key) as { entries: StreamEntry[] } | undefined) ?? {}
    return entries.slice(entries.findLastIndex(({ number }) => number <= after) + 1)
  }
  get lastEvent(): number {
    return this.#events
  }

  /** The two scripts that zeroth itself brings along: who is there. */
  eval = (script: string, _keys: number, until: string, who: string, ...given: (string | number)[]): unknown => {
    for (const [id, end] of Object.entries(this.hgetall(until))) {
      if (Number(end) > this.seconds) continue
      this.hdel(until, id)
      this.hdel(who, id)
    }
    if (script.includes('HVALS')) return Object.values(this.hgetall(who))
    const [id, seconds, text] = given as [string, number, string]
    if (text === '') {
      this.hdel(until, id)
      this.hdel(who, id)
    } else {
      this.zadd(until, this.seconds + Number(seconds), id)
      this.hset(who, id, text)
    }
    return null
  }

  #at(key: string): Value | undefined {
    const found = this.#values.get(key)
    if (found === undefined || found.until > this.world.now) return found?.value
    this.#values.delete(key)
    return undefined
  }

  #made<V extends Value>(key: string, make: () => V): V {
    const there = this.#at(key)
    if (there !== undefined) return there as V
    const value = make()
    this.#values.set(key, { value, until: Infinity })
    return value
  }

  #hash(key: string): Map<string, string> {
    return this.#made(key, () => new Map<string, string>())
  }

  #hashAt(key: string): Map<string, string> | undefined {
    return this.#at(key) as Map<string, string> | undefined
  }

  #list(key: string): string[] {
    return (this.#at(key) as string[] | undefined) ?? []
  }
}

/** What a server is told: answers at once, or later. */
type Act = (server: RedisServer, answer: (value: unknown) => void) => void

interface Command {
  readonly act: Act
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Milliseconds of a message on its way. */
const [quickest, slowest] = [0.2, 3]

/**
 * A connection as a client of Redis has it: in order while it stands. When it is lost it is made anew, and everything without an
 * answer is said once more: what the server had done already is then done twice.
 */
export class Link {
  readonly #server: RedisServer
  readonly #process: SimulatedProcess
  readonly #retry: (attempt: number) => number | null
  readonly #told: (what: 'close' | 'ready', why?: string) => void
  #unanswered: Command[] = []
  /** Counts connections. */
  #epoch = 0
  isUp = false
  isClosed = false
  #blockedUntil = 0
  #sent = 0
  #received = 0

  constructor(
    server: RedisServer,
    process: SimulatedProcess,
    retry: (attempt: number) => number | null,
    told: (what: 'close' | 'ready', why?: string) => void = () => undefined,
  ) {
    this.#server = server
    this.#process = process
    this.#retry = retry
    this.#told = told
    server.links.add(this)
    process.onDeath.add(() => this.close())
  }

  get owner(): SimulatedProcess {
    return this.#process
  }

  /** Connects, if the server can be reached. */
  open(): boolean {
    const { world, isDown } = this.#server
    if (isDown || this.#blockedUntil > world.now) return false
    this.isUp = true
    this.#epoch++
    this.#sent = world.now
    this.#received = world.now
    for (const command of this.#unanswered) this.#transmit(command)
    return true
  }

  /** Connects as soon as the server can be reached. */
  connectLater(): void {
    this.#again(1)
  }

  close(): void {
    this.isClosed = true
    this.isUp = false
    this.#epoch++
    const left = this.#unanswered
    this.#unanswered = []
    this.#server.links.delete(this)
    if (!this.#process.isDead) for (const { reject } of left) reject(new Error('Connection is closed.'))
  }

  /** The connection is lost. Both sides hear of it some time later, and it cannot be made anew for so long. */
  cut(why: string, blocked = 0): void {
    const { world } = this.#server
    this.#blockedUntil = Math.max(this.#blockedUntil, world.now + blocked)
    if (!this.isUp) return
    this.isUp = false
    const epoch = ++this.#epoch
    world.after(world.between(0, 5), this.#process, () => {
      if (epoch !== this.#epoch) return
      this.#told('close', why)
      this.#again(1)
    })
  }

  #again(attempt: number): void {
    const wait = this.#retry(attempt)
    if (wait === null || this.isClosed) return
    this.#server.world.after(wait, this.#process, () => {
      if (this.isUp || this.isClosed) return
      if (this.open()) this.#told('ready')
      else this.#again(attempt + 1)
    })
  }

  /** Messages stop for a while, and nobody is told. */
  freeze(milliseconds: number): void {
    const until = this.#server.world.now + milliseconds
    this.#sent = Math.max(this.#sent, until)
    this.#received = Math.max(this.#received, until)
  }

  /** Says something to the server; resolves with its answer. */
  send<T>(act: Act): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#process.isDead) return
      if (this.isClosed) return reject(new Error('Connection is closed.'))
      try {
        this.#server.world.effect(this.#process)
      } catch {
        // Nobody is left who could wait for an answer.
        return
      }
      const command = { act, resolve: resolve as Command['resolve'], reject }
      this.#unanswered.push(command)
      if (this.isUp) this.#transmit(command)
    })
  }

  #transmit(command: Command): void {
    const { world } = this.#server
    const epoch = this.#epoch
    this.#sent = Math.max(this.#sent, world.now) + world.between(quickest, slowest)
    const end = (tell: () => void): void => {
      if (epoch !== this.#epoch) return
      this.#received = Math.max(this.#received, world.now) + world.between(quickest, slowest)
      world.after(this.#received - world.now, this.#process, () => {
        if (epoch !== this.#epoch) return
        this.#unanswered = this.#unanswered.filter((each) => each !== command)
        tell()
      })
    }
    world.after(this.#sent - world.now, undefined, () => {
      if (epoch !== this.#epoch) return
      try {
        command.act(this.#server, (value) => end(() => command.resolve(value)))
      } catch (error) {
        end(() => command.reject(error))
      }
    })
    // As the clients are set up: one that hears nothing for so long begins anew.
    world.after(20_000, this.#process, () => {
      if (epoch === this.#epoch && this.#unanswered.includes(command)) this.cut('Socket timeout')
    })
  }
}

/** Commands of the client that are used, each of one answer. */
const commands = [
  ...['get', 'getBuffer', 'set', 'unlink', 'exists', 'hget', 'hset', 'hmget', 'hgetall', 'lrange', 'zrange', 'eval'],
] as const

type Named = Record<string, (...given: never[]) => unknown>
type Options = { retryStrategy: (attempt: number) => number | null }

/** The class of clients in one process: what ioredis would be there. */
export function redisClass(server: RedisServer, process: SimulatedProcess) {
  return class extends EventEmitter {
    status = 'wait'
    readonly link: Link

    constructor(options: Options) {
      super()
      this.link = new Link(server, process, options.retryStrategy, (what, why) => {
        if (why !== undefined) this.emit('error', Object.assign(new Error(why), { code: why }))
        this.status = what === 'ready' ? 'ready' : 'reconnecting'
        this.emit(what)
      })
      for (const name of commands) {
        Object.assign(this, {
          [name]: (...given: never[]) => this.link.send((at, answer) => answer(doing(at, name, given))),
        })
      }
    }

    async connect(): Promise<void> {
      const { world } = server
      await new Promise<void>((resolve) => world.after(world.between(quickest, slowest), process, resolve))
      if (!this.link.open()) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      this.status = 'ready'
    }

    async info(section: string): Promise<string> {
      return section === 'server' ? 'redis_version:7.4.0\r\n' : 'maxmemory_policy:noeviction\r\n'
    }

    async quit(): Promise<void> {
      this.disconnect()
    }

    disconnect(): void {
      this.status = 'end'
      this.link.close()
    }

    /** Commands sent together, and done together: more than Redis promises of a pipeline, and what it does. */
    pipeline() {
      const asked: [name: string, given: never[]][] = []
      const together = {
        exec: () =>
          this.link.send<[null, unknown][]>((at, answer) =>
            answer(asked.map(([name, given]) => [null, doing(at, name, given)])),
          ),
      }
      for (const name of commands) {
        Object.assign(together, {
          [name]: (...given: never[]) => {
            asked.push([name, given])
            return together
          },
        })
      }
      return together
    }

    multi() {
      return this.pipeline()
    }
  }
}

function doing(server: RedisServer, name: string, given: never[]): unknown {
  return (server as unknown as Named)[name]?.(...given)
}
