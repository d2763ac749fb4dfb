import type * as bullmq from 'bullmq'
import type { Redis } from 'ioredis'
import type { QueuePackages } from '../../src/app/executors/queue/connection.ts'
import { queueObjective } from '../../src/app/executors/queue/queue-objective.ts'
import { serveRows } from '../../src/app/executors/queue/serve-rows.ts'
import { performRun } from '../../src/app/jobs/run.ts'
import type { LockTiming, Processes } from '../../src/app/store/lock.ts'
import { requireMeta } from '../../src/app/store/meta-file.ts'
import { readTrace } from '../../src/app/store/read-trace.ts'
import { type RunResult, readResult } from '../../src/app/store/result-file.ts'
import { openToRead, type RunFile } from '../../src/app/store/run-file.ts'
import { scanJournal } from '../../src/app/store/scan-journal.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { functionObjective } from '../../src/optimizer/objectives/function.ts'
import { openOrCreate, settings, start } from '../run-store/stored-run.ts'
import { bullmqIn } from './bullmq.ts'
import { type ChangingCall, Disk } from './disk.ts'
import { type Link, RedisServer, redisClass } from './redis.ts'
import { type SimulatedProcess, World } from './world.ts'

/** How a history is set up: all of it follows from its seed, unless a test says otherwise. */
export interface Setting {
  /** Workers on other machines; 0: the run evaluates by itself. */
  readonly workers: number
  readonly rowsPerJob: number
  /** Milliseconds after which a job goes to another worker. */
  readonly lock: number
  readonly isLater: boolean
  readonly hasLinks: boolean
  readonly journalLimit: number
  /** How many things go wrong. */
  readonly faults: number
  /** The first process of the run dies instead of having its effect number so. */
  readonly diesAt: number
}

/** What a history came to. */
export interface History {
  readonly seed: number
  readonly setting: Setting
  /** What must hold and did not; undefined where all is well. */
  readonly wrong: string | undefined
  readonly faults: readonly string[]
  readonly log: readonly string[]
  /** Effects of the first process of the run. */
  readonly effects: number
  /** Milliseconds of the simulated clock. */
  readonly time: number
  /** Processes that died. */
  readonly deaths: number
}

const folder = 'run'
const dim = start.length
const bowl = (x: Float64Array): number => x.reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
const queue = { url: 'redis://server:6379', name: 'simulated', prefix: 'zeroth' }
const session = { ...settings, maxQueries: 60 }
const compiled = { dim, start: Float64Array.from(start), session, log: false, resolved: {} }

/** Milliseconds that five queries take: a checkpoint is due after as many batches. */
const perBatch = 400

/** Milliseconds of the simulated clock after which a history counts as stuck: hours, where a run takes seconds. */
const patience = 6 * 3_600_000
/** Processes of a run that are begun at most: each fault costs a few. */
const mostProcesses = 60

/** A person would have to act on these: none may ever be seen. */
const needsPerson =
  /put the folder back|delete (it|\/|the lock)|choose another folder|is damaged|repair|begin a new run/

let histories = 0

/** Plays the history of a seed, or of a seed in a given setting. */
export async function playHistory(seed: number, given: Partial<Setting> = {}): Promise<History> {
  const world = new World(seed)
  const setting = { ...settingOf(world), ...given }
  const stage = new Stage(world, setting)
  stage.begin()
  await world.run(() => stage.isOver, patience)
  // Whoever stood still comes back, and must leave what is there as it is.
  const { now } = world
  if (stage.isOver) await world.run(() => world.now > now + 120_000, now + 120_000)
  const wrong = world.violation ?? (await stage.verdict())
  // Locks have random names, of the same length.
  const log = world.log.map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*'))
  return {
    seed,
    setting,
    wrong,
    faults: stage.faults,
    log,
    effects: world.processes.find(({ name }) => name.startsWith('run'))?.effects ?? 0,
    time: now,
    deaths: world.processes.filter(({ isDead }) => isDead).length,
  }
}

function settingOf({ random }: World): Setting {
  const isQueued = random() < 0.5
  return {
    workers: isQueued ? 1 + Math.floor(random() * 3) : 0,
    rowsPerJob: 1 + Math.floor(random() * 3),
    lock: Math.round(1000 + random() * 4000),
    isLater: random() < 0.6,
    hasLinks: random() < 0.85,
    journalLimit: random() < 0.4 ? 1 : Infinity,
    faults: 1 + Math.floor(random() * 5),
    diesAt: Infinity,
  }
}

/** Everybody who takes part in a history. */
class Stage {
  readonly #world: World
  readonly #setting: Setting
  readonly #disk: Disk
  readonly #redis: RedisServer
  readonly #runs = new Set<SimulatedProcess>()
  readonly #workers = new Set<SimulatedProcess>()
  readonly #machine = `boot-${String(histories++).padStart(12, '0')}`
  #boots = 0
  #begun = 0
  #result: RunResult | undefined
  readonly faults: string[] = []

  constructor(world: World, setting: Setting) {
    this.#world = world
    this.#setting = setting
    this.#disk = new Disk(world, setting)
    this.#redis = new RedisServer(world)
  }

  get isOver(): boolean {
    return this.#result !== undefined
  }

  begin(): void {
    for (let i = 0; i < this.#setting.workers; i++) this.#beginWorker()
    this.#beginRun('host-a')
    const duration = 6000
    for (let i = 0; i < this.#setting.faults; i++) {
      this.#world.after(this.#world.random() * duration, undefined, () => this.#goWrong())
    }
  }

  /** What must hold in the end and does not. */
  async verdict(): Promise<string | undefined> {
    if (this.#result === undefined) return `stuck: no result after ${Math.round(this.#world.now / 1000)} s`
    const expected = await expectedEnd()
    const found = this.end()
    return found === expected ? undefined : `another end: ${found}, not ${expected}`
  }

  /** All that the run leaves behind, its times apart. */
  end(): string {
    const files = this.#disk.content()
    const meta = requireMeta(files, folder)
    const { columns, damaged } = readTrace(files, folder)
    const journal = openToRead(files, `${folder}/journal`)
    const { last, after, excess } = scanJournal(journal as RunFile, meta)
    const kept = readResult(files, folder, meta)
    const [told, stored] = [this.#result, kept].map((result) => ({ ...result, seconds: 0, retries: 0 }))
    const { records } = last
    return JSON.stringify(
      { told, stored, records, after, excess, damaged, columns: { ...columns, seconds: [] } },
      plain,
    )
  }

  #beginRun(host: string): void {
    const world = this.#world
    if (++this.#begun > mostProcesses) return world.violate(`stuck: ${mostProcesses} processes did not end the run`)
    const process = world.spawn(`run-${this.#begun}`, host, `${this.#machine}-${this.#boots}-${host}`)
    if (this.#begun === 1) process.diesAt = this.#setting.diesAt
    this.#runs.add(process)
    process.onDeath.add(() => {
      this.#runs.delete(process)
      if (this.#result !== undefined || this.#runs.size > 0) return
      world.after(world.between(100, 5000), undefined, () => {
        if (this.#runs.size === 0) this.#beginRun(world.random() < 0.8 ? 'host-a' : 'host-b')
      })
    })
    world.after(0, process, () => {
      this.#run(process).then(
        (result) => {
          if (process.isDead) return
          world.note(`ended: ${result.status} ${result.stopReason} ${result.error ?? ''}`)
          if (result.status === 'finished') this.#result = result
          world.kill(process)
        },
        (error: Error) => {
          if (process.isDead) return
          world.note(`failed: ${error.message}`)
          if (needsPerson.test(error.message)) world.violate(`a person is needed: ${error.message}`)
          world.kill(process)
        },
      )
    })
  }

  /** What a process of the run does. */
  async #run(process: SimulatedProcess): Promise<RunResult> {
    const world = this.#world
    const store = await openOrCreate(folder, {
      files: this.#disk.filesOf(process),
      clock: () => world.now,
      timing: timingIn(world, process),
      processes: processesSeenBy(world, process),
      journalLimit: this.#setting.journalLimit,
    })
    const objective = this.#watched(process, this.#setting.workers > 0 ? this.#queued(process) : this.#ownBowl(process))
    const context = { emit: () => undefined, signal: new AbortController().signal, job: folder }
    return performRun({ ...compiled, objective }, store, { ...context, resumed: true })
  }

  #queued(process: SimulatedProcess): Objective {
    const { rowsPerJob } = this.#setting
    return queueObjective({ ...queue, dim, serves: 'bowl', rowsPerJob }, async () => this.#packages(process))
  }

  #ownBowl(process: SimulatedProcess): Objective {
    return this.#slowly(process, perBatch)
  }

  /** The bowl, a while after it was asked. */
  #slowly(process: SimulatedProcess, milliseconds: number): Objective {
    const plain = functionObjective(bowl, { dim })
    return {
      dim,
      evaluate: async (...batch) => {
        await new Promise<void>((done) => this.#world.after(milliseconds, process, done))
        return plain.evaluate(...batch)
      },
    }
  }

  /** Tells the disk what is asked and answered. */
  #watched(process: SimulatedProcess, objective: Objective): Objective {
    return {
      ...objective,
      evaluate: async (queries, into, signal) => {
        const batch = `iteration ${queries.key.iteration}, ${queries.rows} rows`
        this.#disk.asks(batch)
        await objective.evaluate(queries, into, signal)
        if (signal?.aborted !== true) this.#disk.answers(process, batch)
      },
    }
  }

  #packages(process: SimulatedProcess): QueuePackages {
    const Client = redisClass(this.#redis, process) as unknown as typeof Redis
    return { redis: { Redis: Client }, bullmq: bullmqIn(this.#redis, process) as unknown as typeof bullmq }
  }

  #beginWorker(): void {
    const world = this.#world
    const process = world.spawn(`worker-${world.processes.length}`, `host-${world.processes.length}`, 'boot')
    this.#workers.add(process)
    const objective = this.#slowly(process, 20 + 150 * world.random())
    process.onDeath.add(() => {
      this.#workers.delete(process)
      if (!this.isOver) world.after(world.between(100, 10_000), undefined, () => this.#beginWorker())
    })
    const { lock } = this.#setting
    const failed = (error: unknown): void => {
      world.note(`failed: ${error}`)
      world.kill(process)
    }
    world.after(0, process, () => {
      const packages = async (): Promise<QueuePackages> => this.#packages(process)
      serveRows({ ...queue, serves: 'bowl', objective, lock }, packages).then((worker) => {
        worker.failed.then(failed)
      }, failed)
    })
  }

  /** Lets one thing go wrong. */
  #goWrong(): void {
    if (this.isOver) return
    const world = this.#world
    const kinds = this.#setting.workers > 0 ? [...storeFaults, ...queueFaults] : storeFaults
    const kind = pick(world, kinds)
    this.faults.push(`${Math.round(world.now)} ms: ${kind}`)
    world.note(`FAULT ${kind}`)
    if (kind !== undefined) this.#fault(kind)
  }

  #fault(kind: FaultKind): void {
    const world = this.#world
    const run = pick(world, [...this.#runs])
    const worker = pick(world, [...this.#workers])
    switch (kind) {
      case 'the run is killed':
        if (run !== undefined) run.diesAt = run.effects + Math.floor(world.random() * 60)
        return
      case 'the run stands still':
        if (run !== undefined) run.pausedUntil = world.now + world.between(500, 90_000)
        return
      case 'a second process wants the run':
        return this.#beginRun(world.random() < 0.5 ? 'host-b' : 'host-a')
      case 'the run stands still and is replaced':
        if (run !== undefined) run.pausedUntil = world.now + world.between(15_000, 60_000)
        return this.#beginRun('host-b')
      case 'the power is cut':
        this.#boots++
        this.#disk.cutPower()
        for (const each of [...this.#runs]) world.kill(each)
        return
      case 'a call of the disk fails':
        return this.#disk.failSoon(
          pick(world, diskCalls) ?? 'write',
          Math.floor(world.random() * 8),
          world.random() < 0.5 ? 'EIO' : 'ENOSPC',
        )
      case 'a worker is killed':
        if (worker !== undefined) worker.diesAt = worker.effects + Math.floor(world.random() * 20)
        return
      case 'a worker stands still':
        if (worker !== undefined) worker.pausedUntil = world.now + world.between(500, 30_000)
        return
      case 'connections are cut':
        for (const link of this.#someLinks()) link.cut('ECONNRESET', world.between(0, 5000))
        return
      case 'messages stop':
        for (const link of this.#someLinks()) link.freeze(world.between(100, 30_000))
        return
      case 'Redis is killed and keeps its data':
        return this.#redis.restart(true, world.between(100, 10_000))
      case 'Redis is killed and loses its data':
        return this.#redis.restart(false, world.between(100, 10_000))
      case 'Redis loses a part': {
        const share = world.random()
        const lost = this.#redis.lose((key) => !key.includes(':runs:') && world.random() < share)
        return world.note(`lost ${lost.join(', ')}`)
      }
      case 'Redis loses a list': {
        const list = pick(world, [/:wait$/, /:active$/, /:events$/, /:points:/, /:(wait|active)$/])
        const lost = this.#redis.lose((key) => list?.test(key) ?? false)
        return world.note(`lost ${lost.join(', ')}`)
      }
      case 'events are lost, doubled and late':
        this.#redis.garbledUntil = world.now + world.between(1000, 20_000)
        return
    }
  }

  #someLinks(): Link[] {
    const share = this.#world.random()
    return [...this.#redis.links].filter(() => this.#world.random() < share)
  }
}

const storeFaults = [
  'the run is killed',
  'the run stands still',
  'a second process wants the run',
  'the run stands still and is replaced',
  'the power is cut',
  'a call of the disk fails',
] as const

const queueFaults = [
  'a worker is killed',
  'a worker stands still',
  'connections are cut',
  'messages stop',
  'Redis is killed and keeps its data',
  'Redis is killed and loses its data',
  'Redis loses a part',
  'Redis loses a list',
  'events are lost, doubled and late',
] as const

export const faultKinds = [...storeFaults, ...queueFaults]
type FaultKind = (typeof faultKinds)[number]

const diskCalls: ChangingCall[] = ['write', 'datasync', 'rename', 'syncFolder', 'unlink', 'link', 'truncate']

function pick<T>({ random }: World, all: readonly T[]): T | undefined {
  return all[Math.floor(random() * all.length)]
}

function timingIn(world: World, process: SimulatedProcess): LockTiming {
  return {
    now: () => world.now,
    sleep: (milliseconds) => new Promise<void>((done) => world.after(milliseconds, process, done)),
    every(milliseconds, call) {
      const timer = setInterval(call, milliseconds)
      return () => clearInterval(timer)
    },
  }
}

/** A process can be asked about those of the same machine since it was started. */
function processesSeenBy(world: World, own: SimulatedProcess): Processes {
  const identity = ({ pid, boot, host }: SimulatedProcess) => {
    return { pid, started: `${pid}`, boot, namespace: `pid:[${host}]`, host }
  }
  return {
    self: () => identity(own),
    lifeOf({ pid, boot }) {
      if (boot !== own.boot) return 'unknown'
      return world.processes.some((each) => each.pid === pid && !each.isDead) ? 'alive' : 'gone'
    },
  }
}

/** Vectors as lists, and numbers that JSON does not have by name. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value
}

let expected: Promise<string> | undefined

/** The end of the history in which nothing goes wrong. */
function expectedEnd(): Promise<string> {
  expected ??= (async () => {
    const world = new World(0)
    const setting = { ...settingOf(world), workers: 0, isLater: false, journalLimit: Infinity, faults: 0 }
    const stage = new Stage(world, setting)
    stage.begin()
    await world.run(() => stage.isOver, patience)
    return stage.end()
  })()
  return expected
}
