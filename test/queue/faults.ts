import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { queueObjective } from '../../src/app/executors/queue/queue-objective.ts'
import { queueName } from '../../src/app/executors/queue/queue-place.ts'
import { serveRows } from '../../src/app/executors/queue/serve-rows.ts'
import { servedAs } from '../../src/app/executors/queue/served.ts'
import { retried } from '../../src/index.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { zoAdaMM } from '../../src/optimizer/methods/presets.ts'
import { minimize } from '../../src/optimizer/minimize/minimize.ts'
import { functionObjective } from '../../src/optimizer/objectives/function.ts'
import { onlyObject, type Started, start as startZeroth, zeroth } from '../end-to-end/zeroth.ts'
import { limitMemory, type RedisServer, startRedis } from './redis-server.ts'
import { tcpProxy } from './tcp-proxy.ts'

/** A fault at some moment of a run, from 0 to 1; the run must end as if there had been none. */
export type Fault = (moment: number) => Promise<void>

const dim = 5
const begin = [1, -0, 3, 0.1, -7]
// Eight iterations of 21 queries, and the last point.
const settings = { maxQueries: 169, seed: 5, solver: zoAdaMM({ directions: 20 }) }
const bowl = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1)

/** A query takes a while, so that there is a middle of a run. */
const delay = 10

/** The shortest time after which lost jobs come back. */
const lock = 1000

const name = 'faults'
const place = { name, prefix: 'zeroth' }

/** The file with a mark for every answer of workers that are processes, and the one that says how many there may be. */
const marks = 'marks'
const gate = 'gate'

const wait = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds))

function signal() {
  let fire = (): void => undefined
  const fired = new Promise<void>((resolve) => {
    fire = resolve
  })
  return { fire, fired }
}

/** Runs with two workers of this process, lets something happen in the middle, and compares with a run without a queue. */
async function compared(
  { url, workerUrl = url }: { readonly url: string; readonly workerUrl?: string },
  moment: number,
  happen: (isOver: () => boolean) => unknown,
  wrap: (objective: Objective) => Objective = (objective) => objective,
  workers = 2,
): Promise<void> {
  const plain = await minimize(bowl, begin, settings)
  const serves = 'bowl'
  let answered = 0
  const [reached, begun] = [signal(), signal()]
  const answer = async (x: Float64Array): Promise<number> => {
    await wait(delay)
    if (answered++ >= moment * settings.maxQueries) {
      reached.fire()
      // However busy the machine is, the run is not over before the fault.
      await begun.fired
    }
    return bowl(x)
  }
  const slowly = functionObjective(answer, { dim })
  const all = await Promise.all(
    Array.from({ length: workers }, () => serveRows({ url: workerUrl, name, serves, lock, objective: slowly })),
  )
  const objective = queueObjective({ dim, url, name, serves })
  try {
    let isOver = false
    const running = minimize(wrap(objective), begin, settings).finally(() => {
      isOver = true
    })
    await Promise.race([reached.fired, running])
    expect(isOver).toBe(false)
    const happening = happen(() => isOver)
    begun.fire()
    await happening
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

/** The module of workers that are processes of their own, which marks every answer, and a folder for their runs. */
async function withModule(act: (folder: string, module: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-queue-'))
  const module = join(folder, 'objective.mjs')
  writeFileSync(
    module,
    `import { appendFileSync, readFileSync, statSync } from 'node:fs'
    const [marks, gate] = ${JSON.stringify([join(folder, marks), join(folder, gate)])}
    const limit = () => { try { return Number(readFileSync(gate, 'utf8')) } catch { return Infinity } }
    const wait = () => new Promise((done) => setTimeout(done, ${delay}))
    export default async (x) => {
      await wait()
      appendFileSync(marks, '.')
      while (statSync(marks).size > limit()) await wait()
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
  ...['--solver', 'zo-adamm', '--directions', '20', '--max-queries', '169', ...more],
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

/** Does something once so many of a run's queries are answered. However busy the machine is, the run is not over before. */
async function atMoment(folder: string, moment: number, running: Started, act: () => unknown): Promise<void> {
  const place = join(folder, marks)
  // Those of the run without a queue, which comes first, are there already.
  const before = existsSync(place) ? statSync(place).size : 0
  const goal = before + moment * settings.maxQueries
  writeFileSync(join(folder, gate), String(goal))
  while (running.child.exitCode === null && (!existsSync(place) || statSync(place).size <= goal)) await wait(2)
  expect(running.child.exitCode).toBe(null)
  await act()
  rmSync(join(folder, gate))
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

/** The server loses some of its keys, and nothing else. */
const partlyLost = (...lists: readonly string[]): Fault =>
  withRedis(async (server, moment) => {
    const queue = queueName('rows', place, servedAs('bowl'))
    const keys = lists.map((list) => `${place.prefix}:${queue}:${list}`)
    let isLost = false
    // A list that is empty at this moment is none: waits until there is something to lose, in another run if need be.
    for (let share = 0.8; !isLost; share /= 2) {
      expect(share).toBeGreaterThan(0.01)
      await compared(server, share * moment, (isOver) =>
        server.command(async (client) => {
          while (!isLost && !isOver()) {
            isLost = (await client.unlink(...keys)) > 0
            await wait(1)
          }
        }),
      )
    }
  })

/** What can go wrong, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  'a worker is killed': withRedis((server, moment) =>
    processes(server.url, ({ folder, workers, running }) =>
      atMoment(folder, moment, running, () => workers[0]?.child.kill('SIGKILL')),
    ),
  ),
  'a worker hangs, and comes back': withRedis((server, moment) =>
    processes(server.url, async ({ folder, workers: [worker], running }) => {
      await atMoment(folder, moment, running, () => worker?.child.kill('SIGSTOP'))
      await Promise.race([running.ended, wait(1800)])
      worker?.child.kill('SIGCONT')
    }),
  ),
  'the run is killed and resumed': withRedis((server, moment) =>
    processes(server.url, ({ folder, running }) =>
      atMoment(folder, moment, running, () => running.child.kill('SIGKILL')),
    ),
  ),
  'Redis is killed and keeps its data': restarted(true),
  'Redis is killed and loses its data': restarted(false),
  'Redis loses the list of waiting jobs': partlyLost('wait'),
  'Redis loses the list of jobs that are being done': partlyLost('active'),
  'Redis loses both lists': partlyLost('wait', 'active'),
  'Redis loses what wakes workers and what they said': partlyLost('marker', 'events', 'completed', 'stalled', 'meta'),
  'Redis is full for a while': withRedis((server, moment) =>
    processes(server.url, async ({ folder, running }) => {
      await atMoment(folder, moment, running, () => limitMemory(server, '1mb'))
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
