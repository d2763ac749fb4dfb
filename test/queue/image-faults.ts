import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { screenedRecord } from '../../src/attacks/index.ts'
import { sendParcel } from '../../src/queue/parcel.ts'
import { compileAttack, openAttack } from '../../src/spec/attack/index.ts'
import { openEvaluation } from '../../src/work/evaluation/evaluation.ts'
import type { ImageJob } from '../../src/work/evaluation/queue/image-job.ts'
import { packImage } from '../../src/work/evaluation/queue/image-parcel.ts'
import { serveImages } from '../../src/work/evaluation/queue/serve-images.ts'
import { essence } from '../end-to-end/attack-results.ts'
import { type Started, start, zeroth } from '../end-to-end/zeroth.ts'
import type { Fault } from './faults.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

const name = 'image-faults'
const spec = { model: 'digits', count: 5, maxQueries: 2500, solver: 'zo-adamm' }
const flags = ['--model', 'digits', '--count', '5', '--max-queries', '2500', '--solver', 'zo-adamm', '--json']

/** The shortest time after which lost images come back. */
const lock = 1000

/** About how long the images take, in milliseconds. */
const runTime = 700

const wait = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds))

/** What an attack without a queue leaves: the same every time. */
let plain: Promise<Record<string, string>> | undefined

async function madeHere(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-plain-'))
  try {
    for await (const _ of (await openEvaluation(join(folder, 'attack'), spec)).perform());
    return essence(join(folder, 'attack'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An attack by way of a server of its own, compared with one without a queue. */
function compared(
  act: (at: { server: RedisServer; folder: string; moment: number }) => Promise<void>,
  keeps = false,
): Fault {
  return async (moment) => {
    plain ??= madeHere()
    const expected = await plain
    const folder = mkdtempSync(join(tmpdir(), 'zeroth-images-'))
    const server = await startRedis([], keeps)
    try {
      await act({ server, folder, moment })
      expect(essence(join(folder, 'attack'))).toEqual(expected)
      // Nothing that was sent home stays behind.
      expect(await server.command((client) => client.keys('zeroth:parcel:*'))).toEqual([])
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Waits until an attack hands out images, and then for its moment, at which it must not be over. */
async function untilMoment(server: RedisServer, moment: number, isOver: () => boolean): Promise<void> {
  await server.command(async (client) => {
    while ((await client.keys('zeroth:spec:*')).length === 0) await wait(10)
  })
  await wait(moment * runTime)
  expect(isOver()).toBe(false)
}

/** A worker as a process of its own, ready to work. */
async function workerProcess(url: string, cwd: string): Promise<Started> {
  const args = ['worker', url, '--model', 'digits', '--lock', `${lock}`, '--name', name]
  const started = start(args, { cwd })
  while (!started.stderr().includes('at once')) {
    if (started.child.exitCode !== null) throw new Error(started.stderr())
    await wait(20)
  }
  return started
}

/** Workers, each a process of its own; returns how to end them. */
export async function imageWorkers(url: string, cwd: string, count: number): Promise<() => Promise<void>> {
  const workers = await Promise.all(Array.from({ length: count }, () => workerProcess(url, cwd)))
  return async () => {
    for (const { child } of workers) child.kill('SIGKILL')
    await Promise.all(workers.map(({ ended }) => ended))
  }
}

/** The attack and two workers, each a process of its own. */
function processes(happen: (workers: readonly Started[], running: Started) => Promise<unknown>): Fault {
  return compared(async ({ server, folder: cwd, moment }) => {
    const workers = await Promise.all([workerProcess(server.url, cwd), workerProcess(server.url, cwd)])
    try {
      const running = start(
        ['attack', ...flags, '--queue', server.url, '-O', `queue.name=${name}`, '--out', 'attack'],
        { cwd },
      )
      await untilMoment(server, moment, () => running.child.exitCode !== null)
      await happen(workers, running)
      const ended = await running.ended
      const last = ended.code === 0 ? ended : await zeroth(['resume', 'attack', '--json'], { cwd })
      expect([last.code, last.stderr]).toEqual([0, expect.any(String)])
    } finally {
      for (const { child } of workers) child.kill('SIGKILL')
      await Promise.all(workers.map(({ ended }) => ended))
    }
  })
}

/** The attack and two workers in this process. */
function together(happen: (server: RedisServer) => Promise<() => Promise<void>>, keeps = false): Fault {
  return compared(async ({ server, folder, moment }) => {
    const { url } = server
    const opened = await openAttack(compileAttack(spec))
    const workers = await Promise.all([1, 2].map(() => serveImages({ opened, url, name, lock })))
    let isOver = false
    const evaluation = await openEvaluation(join(folder, 'attack'), { ...spec, queue: { url, name } })
    const running = (async () => {
      for await (const _ of evaluation.perform());
    })().finally(() => {
      isOver = true
    })
    running.catch(() => undefined)
    let leave: () => Promise<void> = async () => undefined
    try {
      await untilMoment(server, moment, () => isOver)
      leave = await happen(server)
      await running
    } finally {
      await leave()
      await Promise.all(workers.map((worker) => worker.stop()))
      await opened.model.close()
    }
  }, keeps)
}

const restarted = (keeps: boolean): Fault =>
  together(async (server) => {
    await server.kill()
    if (!keeps) server.forget()
    await wait(100)
    await server.start()
    return async () => undefined
  }, keeps)

/** A worker of somebody else, who knows the library, answers four jobs as they like, the first for another image, and leaves. */
async function rogue(server: RedisServer): Promise<() => Promise<void>> {
  const queues = await server.command((client) => client.hkeys('zeroth:queues'))
  const connection = new Redis(server.url, { maxRetriesPerRequest: null })
  const another = async ({ id = '', data }: Job<ImageJob>): Promise<object> => {
    const record = screenedRecord({ ...data.image, index: data.image.index + 100 })
    const packed = await packImage({ lost: 7, attacked: { record, picture: undefined } }, told, '')
    return { worker: 'rogue', ...(await sendParcel(connection, 'zeroth', id, packed)) }
  }
  const missing = { worker: 'rogue', hash: 'f'.repeat(64), bytes: 12 }
  const answers = [another, () => 'nonsense', () => missing, () => ({ worker: 'rogue', hash: 7 })]
  const answer = async (job: Job<ImageJob>): Promise<unknown> => {
    const next = answers.shift()
    if (answers.length === 0) void worker.close()
    return next?.(job)
  }
  const worker = new Worker(queues[0] as string, answer, { connection, prefix: 'zeroth', name: 'rogue', limiter })
  await worker.waitUntilReady()
  return async () => {
    await worker.close(true)
    connection.disconnect()
  }
}

const told = { asked: 0, retries: 0 }
const limiter = { max: 1, duration: 300 }

/** What can go wrong, by name. */
export const imageFaults: Readonly<Record<string, Fault>> = {
  'a worker is killed': processes(async ([worker]) => worker?.child.kill('SIGKILL')),
  'a worker hangs, and comes back': processes(async ([worker], running) => {
    worker?.child.kill('SIGSTOP')
    await Promise.race([running.ended, wait(1800)])
    worker?.child.kill('SIGCONT')
  }),
  'a worker is stopped': processes(async ([worker]) => {
    worker?.child.kill('SIGTERM')
    expect((await worker?.ended)?.code).toBe(0)
  }),
  'the attack is killed and resumed': processes(async (_, { child }) => child.kill('SIGKILL')),
  'the attack is interrupted and resumed': processes(async (_, { child }) => child.kill('SIGINT')),
  'Redis is killed and keeps its data': restarted(true),
  'Redis is killed and loses its data': restarted(false),
  'a worker answers nonsense': together(rogue),
}
