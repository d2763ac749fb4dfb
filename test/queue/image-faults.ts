import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { dropPayload, type Payload, sendPayload } from '../../src/app/executors/queue/payload.ts'
import { openEvaluation } from '../../src/app/jobs/evaluation/evaluation.ts'
import { type ImageJob, packImage } from '../../src/app/jobs/evaluation/queue/image-payload.ts'

import { serveImages } from '../../src/app/jobs/evaluation/queue/serve-images.ts'
import { compileAttack, openAttack } from '../../src/app/spec/attack/index.ts'
import { type ScreenedImage, screenedRecord } from '../../src/robustness/index.ts'
import { essence } from '../end-to-end/attack-results.ts'
import { type Started, start, zeroth } from '../end-to-end/zeroth.ts'
import type { Fault } from './faults.ts'
import { limitMemory, type RedisServer, startRedis } from './redis-server.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

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
      // A worker that comes back late takes back what nobody waits for, unless it is killed before.
      for (const { child } of workers) child.kill('SIGTERM')
      await Promise.all(workers.map(({ ended }) => ended))
    } finally {
      for (const { child } of workers) child.kill('SIGKILL')
      await Promise.all(workers.map(({ ended }) => ended))
    }
  })
}

/** An attack in this process, with all that a fault can reach. */
interface Reach {
  readonly server: RedisServer
  readonly proxy: TcpProxy
  /** Ends with the attack, and fails where it fails. */
  readonly running: Promise<void>
  /** Continues the attack, as `zeroth resume` would. */
  readonly resume: () => Promise<void>
}

/** How an attack and its workers reach a server, and whether that keeps its data. */
interface Ways {
  readonly keeps?: boolean
  /** Who goes through the proxy. */
  readonly proxied?: 'attack' | 'workers' | undefined
}

/** The attack and two workers in this process. */
function together(happen: (at: Reach) => Promise<unknown>, { keeps, proxied }: Ways = {}): Fault {
  return compared(async ({ server, folder, moment }) => {
    const proxy = await tcpProxy(server.port)
    const urlFor = (who: Ways['proxied']): string => (who === proxied ? proxy.url : server.url)
    const opened = await openAttack(await compileAttack(spec))
    const serving = { opened, url: urlFor('workers'), name, lock }
    const workers = await Promise.all([1, 2].map(() => serveImages(serving)))
    const queued = { ...spec, queue: { url: urlFor('attack'), name } }
    const resume = async (): Promise<void> => {
      for await (const _ of (await openEvaluation(join(folder, 'attack'), queued)).perform());
    }
    let isOver = false
    const running = resume().finally(() => {
      isOver = true
    })
    running.catch(() => undefined)
    try {
      await untilMoment(server, moment, () => isOver)
      await happen({ server, proxy, running, resume })
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()))
      await opened.model.close()
      await proxy.close()
    }
  }, keeps)
}

const restarted = (keeps: boolean): Fault =>
  together(
    async ({ server, running }) => {
      await server.kill()
      if (!keeps) server.forget()
      await wait(100)
      await server.start()
      await running
    },
    { keeps },
  )

const cut = (proxied: Ways['proxied']): Fault =>
  together(
    async ({ proxy, running }) => {
      proxy.cut(200)
      await running
    },
    { proxied },
  )

/** A server without room ends the attack, which says so; with room again it is resumed. */
const full = together(async ({ server, running, resume }) => {
  await limitMemory(server, '1mb')
  await expect(running).rejects.toThrow(/ is full: it takes no more jobs \(OOM .*; raise its maxmemory/)
  await limitMemory(server, '0')
  await resume()
})

/** A result that says nothing of an attack, as a worker would send it home. */
async function falseAnswer(
  client: Redis,
  job: string,
  image: ScreenedImage,
): Promise<Payload & { readonly worker: string }> {
  const attacked = { record: screenedRecord(image), picture: undefined }
  const packed = await packImage({ unanswered: 7, attacked }, { asked: 0, retries: 0 }, '')
  return { worker: 'rogue', ...(await sendPayload(client, 'zeroth', job, packed)) }
}

async function queueOf(server: RedisServer): Promise<string> {
  const [queue] = await server.command((client) => client.hkeys('zeroth:queues'))
  return queue as string
}

/** A worker of somebody else, who knows the library, answers four jobs as they like, the first for another image, and leaves. */
const nonsense = together(async ({ server, running }) => {
  const connection = new Redis(server.url, { maxRetriesPerRequest: null })
  const missing = { worker: 'rogue', hash: 'f'.repeat(64), bytes: 12 }
  const answers = [
    ({ id = '', data: { image } }: Job<ImageJob>) =>
      falseAnswer(connection, id, { ...image, index: image.index + 100 }),
    () => 'nonsense',
    () => missing,
    () => ({ worker: 'rogue', hash: 7 }),
  ]
  const answer = async (job: Job<ImageJob>): Promise<unknown> => {
    const next = answers.shift()
    if (answers.length === 0) void worker.close()
    return next?.(job)
  }
  const limiter = { max: 1, duration: 300 }
  const worker = new Worker(await queueOf(server), answer, { connection, prefix: 'zeroth', name: 'rogue', limiter })
  await worker.waitUntilReady()
  await running.finally(() => worker.close(true))
  connection.disconnect()
})

/** Whatever was answered is answered once more, with a result that has all a result needs and is another. */
const twice = together(async ({ server, running }) => {
  const client = new Redis(server.url)
  const events = `zeroth:${await queueOf(server)}:events`
  const sent: Payload[] = []
  const again = async (job: string): Promise<void> => {
    const index = Number(job.split('-')[1])
    const image = { index, title: '', label: 0, predicted: 0, target: null, reason: null, modelCalls: 1 }
    const answer = await falseAnswer(client, job, { ...image, status: 'attacked' })
    sent.push(answer)
    await client.xadd(events, '*', 'event', 'completed', 'jobId', job, 'returnvalue', JSON.stringify(answer))
  }
  let isOver = false
  const answering = (async () => {
    for (let last = '0'; !isOver; ) {
      const read = await client.xread('COUNT', 100, 'BLOCK', 20, 'STREAMS', events, last)
      for (const [id, fields] of read?.[0]?.[1] ?? []) {
        last = id
        const isFirst = fields.includes('completed') && !fields.some((field) => field.includes('rogue'))
        if (isFirst) await again(fields[fields.indexOf('jobId') + 1] ?? '')
      }
    }
  })()
  await running.finally(() => {
    isOver = true
  })
  await answering
  expect(sent.length).toBeGreaterThan(2)
  await Promise.all(sent.map((parcel) => dropPayload(client, 'zeroth', parcel)))
  client.disconnect()
})

/** Of a list that is empty at this moment nothing is lost: waits until there is something in one of them. */
const partlyLost = (...lists: readonly string[]): Fault =>
  together(async ({ server, running }) => {
    const queue = await queueOf(server)
    let isOver = false
    const end = running.finally(() => {
      isOver = true
    })
    const lost = await server.command(async (client) => {
      for (;;) {
        const found = await client.unlink(lists.map((list) => `zeroth:${queue}:${list}`))
        if (found > 0 || isOver) return found
        await wait(1)
      }
    })
    await end
    expect(lost).toBeGreaterThan(0)
  })

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
  'Redis loses the lists of waiting images and of those under attack': partlyLost('wait', 'active'),
  'Redis loses what wakes workers and what they said': partlyLost('marker', 'events', 'completed', 'stalled', 'meta'),
  'Redis is full for a while': full,
  'a worker answers twice': twice,
  'a worker answers nonsense': nonsense,
  'the way of the attack is cut': cut('attack'),
  'the way of the workers is cut': cut('workers'),
}
