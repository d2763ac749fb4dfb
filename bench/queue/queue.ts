import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue, QueueEvents } from 'bullmq'
import { Redis } from 'ioredis'
import { ensureRedis } from '../../scripts/ensure-redis.ts'
import { queueObjective } from '../../src/app/executors/queue/index.ts'
import { type Column, textTable } from '../../src/app/report/table.ts'
import { makeAnswers } from '../../src/optimizer/core/answers.ts'
import type { Queries } from '../../src/optimizer/core/types.ts'
import { machineLines } from '../machine.ts'
import { median } from '../race.ts'
import { root } from '../root.ts'
import { bareQueue, dim, endWorkers, served, startWorkers } from './workers.ts'

/** What the command line asked for. */
interface QueueOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

const port = 7397
const url = `redis://127.0.0.1:${port}`
const results = join(root, 'bench/results/queue.md')
const right = 'right'

/** Jobs per second, by rows of an iteration, each row a job. */
interface Overhead {
  readonly rows: number
  readonly bare: number
  readonly zeroth: number
}

/** A run with so many workers. */
interface Crowd {
  readonly workers: number
  readonly jobsPerSecond: number
  /** Of the server, per job and while nothing happens. */
  readonly cpuPerJob: number
  readonly idleCpu: number
  readonly memory: number
  readonly idleMemory: number
}

const overheadColumns: readonly Column<Overhead>[] = [
  { title: 'rows per iteration', align: right, cell: ({ rows }) => String(rows) },
  { title: 'bare BullMQ, jobs/s', align: right, cell: ({ bare }) => bare.toFixed(0) },
  { title: 'zeroth, jobs/s', align: right, cell: ({ zeroth }) => zeroth.toFixed(0) },
  { title: 'share', align: right, cell: ({ bare, zeroth }) => (zeroth / bare).toFixed(2) },
]

const crowdColumns: readonly Column<Crowd>[] = [
  { title: 'workers', align: right, cell: ({ workers }) => String(workers) },
  { title: 'jobs/s', align: right, cell: ({ jobsPerSecond }) => jobsPerSecond.toFixed(0) },
  { title: 'Redis, CPU us/job', align: right, cell: ({ cpuPerJob }) => cpuPerJob.toFixed(0) },
  { title: 'Redis idle, CPU %', align: right, cell: ({ idleCpu }) => idleCpu.toFixed(1) },
  { title: 'Redis idle, MB', align: right, cell: ({ idleMemory }) => (idleMemory / 1e6).toFixed(1) },
  { title: 'Redis at work, MB', align: right, cell: ({ memory }) => (memory / 1e6).toFixed(1) },
]

/** Jobs per second against the bare library, what more workers bring, and what many of them cost. */
export async function queue(options: QueueOptions): Promise<void> {
  const rounds = options.quick ? 3 : 7
  const overhead: Overhead[] = []
  for (const rows of [20, 200, 1000]) overhead.push(await compare(rows, rounds))
  const speedUp = await speedUpOf(options.quick ? 160 : 800)
  const crowds: Crowd[] = []
  for (const workers of options.quick ? [10, 100] : [10, 100, 1000]) crowds.push(await crowdOf(workers))
  const text = [
    textTable(overhead, overheadColumns),
    `8 workers do ${speedUp.toFixed(2)} times as many queries of 50 ms as one.`,
    textTable(crowds, crowdColumns),
  ]
  process.stdout.write(`${text.join('\n\n')}\n`)
  if (options.save) writeFileSync(results, page(text, options.command))
  const share = Math.min(...overhead.map(({ bare, zeroth }) => zeroth / bare))
  if (options.json) process.stdout.write(`${JSON.stringify({ share, speedUp })}\n`)
}

/** The two by turns, round after round; the median of each. */
async function compare(rows: number, rounds: number): Promise<Overhead> {
  const iterations = Math.max(3, Math.round(2000 / rows))
  const both = await withServer(async () => {
    const children = [
      await startWorkers({ url, kind: 'bare', count: 1, concurrency: 1, delay: 0 }),
      await startWorkers({ url, kind: 'zeroth', count: 1, concurrency: 1, delay: 0 }),
    ]
    const bare = await bareAsker()
    const zeroth = zerothAsker()
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      for (const [i, ask] of [bare.ask, zeroth.ask].entries()) {
        const rate = await rateOf(ask, rows, iterations)
        if (round > 0) times[i]?.push(rate)
      }
    }
    await Promise.all([bare.close(), zeroth.close(), ...children.map(endWorkers)])
    return times
  })
  const [bare, zeroth] = both.map(median) as [number, number]
  return { rows, bare, zeroth }
}

async function speedUpOf(rows: number): Promise<number> {
  const times: number[] = []
  for (const count of [1, 8]) {
    times.push(
      await withServer(async () => {
        const children = await Promise.all(
          Array.from({ length: count }, () =>
            startWorkers({ url, kind: 'zeroth', count: 1, concurrency: 1, delay: 50 }),
          ),
        )
        const asker = zerothAsker()
        await asker.ask(8)
        const began = performance.now()
        // As many rows per worker in both.
        await asker.ask((rows / 8) * count)
        const rate = ((rows / 8) * count) / (performance.now() - began)
        await Promise.all([asker.close(), ...children.map(endWorkers)])
        return rate
      }),
    )
  }
  return (times[1] as number) / (times[0] as number)
}

/** Workers that take 50 ms per row, 250 in a process. */
async function crowdOf(workers: number): Promise<Crowd> {
  return withServer(async (client) => {
    const shares = Array.from({ length: Math.ceil(workers / 250) }, (_, i) => Math.min(250, workers - 250 * i))
    const children = await Promise.all(
      shares.map((count) => startWorkers({ url, kind: 'zeroth', count, concurrency: 1, delay: 50 })),
    )
    const asker = zerothAsker()
    await asker.ask(Math.min(workers, 100))
    const idleCpu = await cpuDuring(client, () => new Promise((resolve) => setTimeout(resolve, 5000)))
    const idleMemory = await memoryOf(client)
    const rows = Math.min(4000, workers * 40)
    const began = performance.now()
    const cpu = await cpuDuring(client, () => asker.ask(rows))
    const seconds = (performance.now() - began) / 1000
    const memory = await memoryOf(client)
    await Promise.all([asker.close(), ...children.map(endWorkers)])
    return {
      workers,
      jobsPerSecond: rows / seconds,
      cpuPerJob: (1e6 * cpu) / rows,
      idleCpu: (100 * idleCpu) / 5,
      memory,
      idleMemory,
    }
  })
}

interface Asker {
  /** Has so many rows answered, as one iteration. */
  ask(rows: number): Promise<void>
  close(): Promise<void>
}

function zerothAsker(): Asker {
  const objective = queueObjective({ dim, url, serves: served, parallel: 1_000_000 })
  let iteration = 0
  return {
    async ask(rows) {
      const answers = makeAnswers(rows)
      await objective.evaluate(queriesOf(rows, ++iteration), answers)
      if (answers.values.some((value) => value !== 1)) throw new Error(`wrong answers: ${answers.reasons[0]}`)
    },
    close: () => objective.close(),
  }
}

function queriesOf(rows: number, iteration: number): Queries {
  const write: Queries['write'] = (row, into, offset = 0) => void into.fill(row + 0.5, offset, offset + dim)
  return { key: { seed: 0, iteration }, rows, dim, centers: 1, sample: () => 0, write }
}

/** The library as its manual has it: jobs added in one go, and events that say that they are done. */
async function bareAsker(): Promise<Asker> {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const jobs = new Queue(bareQueue, { connection })
  const events = new QueueEvents(bareQueue, { connection })
  await events.waitUntilReady()
  let open = 0
  let done: () => void = () => undefined
  events.on('completed', () => {
    if (--open === 0) done()
  })
  return {
    async ask(rows) {
      open = rows
      const all = new Promise<void>((resolve) => {
        done = resolve
      })
      const one = (_: unknown, row: number) => ({ name: 'row', data: { row }, opts: { removeOnComplete: true } })
      await jobs.addBulk(Array.from({ length: rows }, one))
      await all
    },
    async close() {
      await events.close()
      await jobs.close()
      connection.disconnect()
    },
  }
}

async function rateOf(ask: (rows: number) => Promise<void>, rows: number, iterations: number): Promise<number> {
  const began = performance.now()
  for (let i = 0; i < iterations; i++) await ask(rows)
  return (1000 * rows * iterations) / (performance.now() - began)
}

/** Seconds of CPU that the server spends meanwhile. */
async function cpuDuring(client: Redis, act: () => Promise<unknown>): Promise<number> {
  const before = await cpuOf(client)
  await act()
  return (await cpuOf(client)) - before
}

async function cpuOf(client: Redis): Promise<number> {
  const text = await client.info('cpu')
  const read = (name: string): number => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1])
  return read('used_cpu_sys') + read('used_cpu_user')
}

async function memoryOf(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
}

async function withServer<T>(act: (client: Redis) => Promise<T>): Promise<T> {
  const found = ensureRedis()
  if ('missing' in found) throw new Error(found.missing)
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-bench-'))
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const server: ChildProcess = spawn(found.path, args, { stdio: 'ignore' })
  const client = new Redis(url, { maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  try {
    await client.ping()
    return await act(client)
  } finally {
    client.disconnect()
    server.kill('SIGKILL')
    await new Promise((resolve) => server.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

function page(text: readonly string[], command: string): string {
  const about = [
    '# Rows by way of a queue',
    '',
    'Each row is a job; its objective answers at once. The bare library adds the jobs of an iteration in one go and hears of their',
    'end by its events, as zeroth does; its jobs hold a number, zeroth\u2019s a point of 10 variables, and their answers are checked. One',
    'worker with one lane in a process of its own, Redis on the same machine; by turns, the median of the rounds. Then what eight',
    'workers bring where a query takes 50 ms, and what crowds of such workers cost the server, 250 of them in a process.',
  ]
  const blocks = text.flatMap((each) => ['', '```text', each, '```'])
  return [...about, '', ...machineLines(command), ...blocks, ''].join('\n')
}
