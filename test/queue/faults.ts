import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import type { Objective } from '../../src/core/types.ts'
import { retried } from '../../src/index.ts'
import { functionObjective } from '../../src/objectives/function.ts'
import { queueObjective } from '../../src/queue/queue-objective.ts'
import { queueName } from '../../src/queue/queue-place.ts'
import { serveRows } from '../../src/queue/serve-rows.ts'
import { servedAs } from '../../src/queue/served.ts'
import { minimize } from '../../src/run/minimize.ts'
import { zoAdaMM } from '../../src/solvers/zo-adamm.ts'
import { onlyObject, type Started, start as startZeroth, zeroth } from '../end-to-end/zeroth.ts'
import { limitMemory, type RedisServer, startRedis } from './redis-server.ts'
import { tcpProxy } from './tcp-proxy.ts'

/** A fault at some moment of a run, from 0 to 1; the run must end as if there had been none. */
export type Fault = (moment: number) => Promise<void>

const dim = 5
const begin = [1, -0, 3, 0.1, -7]
const settings = { maxQueries: 168, seed: 5, solver: zoAdaMM({ directions: 20 }) }
const bowl = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1)

/** A query takes a while, so that there is a middle of a run. */
const delay = 10
const slowly = functionObjective((x) => new Promise<number>((done) => setTimeout(() => done(bowl(x)), delay)), { dim })

/** The shortest time after which lost jobs come back. */
const lock = 1000

const name = 'faults'
const place = { name, prefix: 'zeroth' }

/** About how long a run takes, in milliseconds. */
const runTime = 600

const wait = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds))

/** Runs with two workers of this process, lets something happen in the middle, and compares with a run without a queue. */
async function compared(
  { url, workerUrl = url }: { readonly url: string; readonly workerUrl?: string },
  moment: number,
  happen: () => unknown,
  wrap: (objective: Objective) => Objective = (objective) => objective,
  workers = 2,
): Promise<void> {
  const plain = await minimize(bowl, begin, settings)
  const serves = 'bowl'
  const all = await Promise.all(
    Array.from({ length: workers }, () => serveRows({ url: workerUrl, name, serves, lock, objective: slowly })),
  )
  const objective = queueObjective({ dim, url, name, serves })
  try {
    let isOver = false
    const running = minimize(wrap(objective), begin, settings).finally(() => {
      isOver = true
    })
    await wait(50 + moment * runTime)
    expect(isOver).toBe(false)
    await happen()
    const { retries: _, ...result } = await running
    const { retries: __, ...expected } = plain
    expect(result).toEqual(expected)
  } finally {
    await objective.close()
    await Promise.all(all.map((worker) => worker.stop()))
  }
}

/** With a server of its own. */
function withRedis(act: (server: RedisServer, moment: number) => Promise<void>, keeps = false): Fault {
  return async (moment) => {
    const server = await startRedis([], keeps)
    try {
      await act(server, moment)
    } finally {
      await server.close()
    }
  }
}

const restarted = (keeps: boolean): Fault =>
  withRedis(
    (server, moment) =>
      compared(server, moment, async () => {
        await server.kill()
        if (!keeps) server.forget()
        await wait(100)
        await server.start()
      }),
    keeps,
  )

/** The module of workers that are processes of their own, and a folder for their runs. */
async function withModule(act: (folder: string, module: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-queue-'))
  const module = join(folder, 'objective.mjs')
  writeFileSync(
    module,
    `export default async (x) => {
      await new Promise((done) => setTimeout(done, ${delay}))
      return x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1)
    }`,
  )
  try {
    await act(folder, module)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A worker as a process of its own, ready to work. */
async function workerProcess(url: string, folder: string, module: string): Promise<Started> {
  const args = ['worker', url, '--module', module, '--dim', `${dim}`, '--lock', `${lock}`, '--name', name]
  const started = startZeroth(args, { cwd: folder })
  while (!started.stderr().includes('at once')) {
    if (started.child.exitCode !== null) throw new Error(started.stderr())
    await wait(20)
  }
  return started
}

const run = (module: string, ...more: readonly string[]): string[] => [
  ...['minimize', '--module', module, '--dim', `${dim}`, '--start', '1,0,3,0.1,-7', '--seed', '5', '--json'],
  ...['--solver', 'zo-adamm', '--directions', '20', '--max-queries', '168', ...more],
]

/** What a run without a queue finds: the same every time. */
let plain: Promise<ReturnType<typeof onlyObject>> | undefined

/** A run and two workers, each a process of its own, compared with a run without a queue. */
async function processes(
  url: string,
  happen: (at: { folder: string; workers: readonly Started[]; running: Started }) => Promise<unknown>,
): Promise<void> {
  await withModule(async (folder, module) => {
    plain ??= zeroth(run(module, '--out', 'plain'), { cwd: folder }).then(onlyObject)
    const workers = await Promise.all([workerProcess(url, folder, module), workerProcess(url, folder, module)])
    const expected = await plain
    try {
      const flags = ['--queue', url, '-O', `queue.name=${name}`, '--out', 'queued']
      const running = startZeroth(run(module, ...flags), { cwd: folder })
      await happen({ folder, workers, running })
      const ended = await running.ended
      const result = ended.code === 0 ? ended : await zeroth(['resume', 'queued', '--json'], { cwd: folder })
      const { hash, queries } = onlyObject(result)
      expect({ hash, queries }).toEqual({ hash: expected.hash, queries: expected.queries })
    } finally {
      for (const { child } of workers) child.kill('SIGKILL')
      await Promise.all(workers.map(({ ended }) => ended))
    }
  })
}

/** Waits until a run hands out jobs, and then for its moment, at which it must not be over. */
async function untilMoment(server: RedisServer, moment: number, running: Started): Promise<void> {
  await server.command(async (client) => {
    while ((await client.hlen(`zeroth:runs:${name}:who`)) === 0) await wait(10)
  })
  await wait(moment * runTime)
  expect(running.child.exitCode).toBe(null)
}

/** A worker of somebody else, who knows the library and does as they like. */
async function rogue(url: string, answer: () => Promise<unknown>): Promise<() => Promise<void>> {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const queue = queueName('rows', place, servedAs('bowl'))
  const worker = new Worker(queue, answer, { connection, prefix: place.prefix, name: 'rogue' })
  await worker.waitUntilReady()
  return async () => {
    await worker.close(true)
    connection.disconnect()
  }
}

/** What can go wrong, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  'a worker is killed': withRedis((server, moment) =>
    processes(server.url, async ({ workers, running }) => {
      await untilMoment(server, moment, running)
      workers[0]?.child.kill('SIGKILL')
    }),
  ),
  'a worker hangs, and comes back': withRedis((server, moment) =>
    processes(server.url, async ({ workers: [worker], running }) => {
      await untilMoment(server, moment, running)
      worker?.child.kill('SIGSTOP')
      await Promise.race([running.ended, wait(1800)])
      worker?.child.kill('SIGCONT')
    }),
  ),
  'the run is killed and resumed': withRedis((server, moment) =>
    processes(server.url, async ({ running }) => {
      await untilMoment(server, moment, running)
      running.child.kill('SIGKILL')
    }),
  ),
  'Redis is killed and keeps its data': restarted(true),
  'Redis is killed and loses its data': restarted(false),
  'Redis is full for a while': withRedis((server, moment) =>
    processes(server.url, async ({ running }) => {
      await untilMoment(server, moment, running)
      await limitMemory(server, '1mb')
      expect((await running.ended).stderr).toMatch(/ is full: it takes no more jobs .* continues it$/m)
      await limitMemory(server, '0')
    }),
  ),
  'a worker answers twice': withRedis(async (server, moment) => {
    const queue = queueName('rows', place, servedAs('bowl'))
    const key = `${place.prefix}:${queue}:events`
    const again = new Redis(server.url)
    // Whatever was answered is answered once more, with other values.
    const other = JSON.stringify({
      worker: 'twice',
      values: Buffer.from(new Float64Array([1e9]).buffer).toString('base64'),
    })
    let isOver = false
    const answering = (async () => {
      const client = new Redis(server.url)
      let last = '0'
      while (!isOver) {
        const read = await client.xread('COUNT', 100, 'BLOCK', 20, 'STREAMS', key, last)
        for (const [id, fields] of read?.[0]?.[1] ?? []) {
          last = id
          const jobId = fields[fields.indexOf('jobId') + 1] ?? ''
          if (!fields.includes('completed') || fields.includes(other)) continue
          await again.xadd(key, '*', 'event', 'completed', 'jobId', jobId, 'returnvalue', other)
        }
      }
      client.disconnect()
    })()
    try {
      await compared(server, moment, () => undefined)
    } finally {
      isOver = true
      await answering
      again.disconnect()
    }
  }),
  'a worker answers nonsense': withRedis(async (server, moment) => {
    const nonsense = [{ worker: 'rogue', values: 'AAAA' }, 'nonsense', null, 7, { values: {} }]
    let count = 0
    let leave: () => Promise<void> = async () => undefined
    const wrap = (objective: Objective): Objective => retried(objective, { attempts: 50, delay: 1, factor: 1 })
    const happen = async (): Promise<void> => {
      leave = await rogue(server.url, async () => {
        await wait(3 * delay)
        return nonsense[count++ % nonsense.length]
      })
    }
    try {
      await compared(server, moment / 2, happen, wrap)
      expect(count).toBeGreaterThan(0)
    } finally {
      await leave()
    }
  }),
  'the way of the run is cut': withRedis(async (server, moment) => {
    const proxy = await tcpProxy(server.port)
    await compared({ url: proxy.url, workerUrl: server.url }, moment, () => proxy.cut(200)).finally(() => proxy.close())
  }),
  'the way of the workers is cut': withRedis(async (server, moment) => {
    const proxy = await tcpProxy(server.port)
    await compared({ url: server.url, workerUrl: proxy.url }, moment, () => proxy.cut(200)).finally(() => proxy.close())
  }),
}
