import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../../../../test/queue/redis-server.ts'
import type { Objective } from '../../../optimizer/core/types.ts'
import { zoAdaMM } from '../../../optimizer/methods/presets.ts'
import { minimize } from '../../../optimizer/minimize/minimize.ts'
import { functionObjective } from '../../../optimizer/objectives/function.ts'
import { queueObjective } from './queue-objective.ts'
import { serveRows } from './serve-rows.ts'

const bowl = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1)
const dim = 5
const start = [1, -0, 3, 0.1, -7]
const settings = { maxQueries: 210, seed: 5, solver: zoAdaMM({ directions: 20 }) }

describe.skipIf('missing' in redis)('rows by way of a queue', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  test.each([
    [1, 1],
    [2, 1],
    [8, 1],
    [2, 3],
    [2, 100],
  ])('have the bits of the plain function with %i workers and %i rows per job', async (workers, rowsPerJob) => {
    const plain = await minimize(bowl, start, settings)
    const serves = `bowl-${workers}-${rowsPerJob}`
    const objective = queueObjective({ dim, url: server.url, serves, rowsPerJob, name: serves })
    const { url } = server
    const own = functionObjective(bowl, { dim })
    const all = await Promise.all(
      Array.from({ length: workers }, () => serveRows({ url, serves, name: serves, objective: own })),
    )
    try {
      const result = await minimize(objective, start, settings)
      expect(result).toEqual(plain)
      expect(all.reduce((sum, { counts }) => sum + counts.rows, 0)).toBe(plain.queries)
    } finally {
      await objective.close()
      await Promise.all(all.map((worker) => worker.stop()))
    }
  })

  test('are evaluated anew for each run of a program, also of the same objective', async () => {
    const { url } = server
    const serves = 'twice'
    const worker = await serveRows({ url, name: serves, serves, objective: functionObjective(bowl, { dim }) })
    const objective = queueObjective({ dim, url, name: serves, serves })
    const first = await minimize(objective, start, settings)
    const [second, third] = await Promise.all([1, 2].map(() => minimize(objective, start, settings)))
    expect([second, third]).toEqual([first, first])
    expect(worker.counts.rows).toBe(3 * first.queries)
    await objective.close()
    await worker.stop()
  })

  test('end with a clear word where the server is gone for too long', async () => {
    const own = await startRedis()
    const serves = 'gone'
    let begun: () => void = () => undefined
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const stuck = { dim, evaluate: () => new Promise<void>(() => begun()) }
    const worker = await serveRows({ url: own.url, serves, objective: stuck })
    const objective = queueObjective({ dim, url: own.url, serves, patience: 500 })
    const notices: string[] = []
    objective.attach?.({ run: 'gone', notice: (message) => notices.push(message) })
    const result = minimize(objective, start, { ...settings, failures: 'skip' }).catch((error: unknown) => error)
    await hasBegun
    await own.kill()
    expect(await result).toMatchObject({
      code: 'unreachable',
      message: `${own.url} was gone for 1 s: the run is saved`,
      outcome: { queries: 0 },
    })
    expect(notices[0]).toMatch(/^redis:\S+ is gone \(.*\): waiting for it$/)
    await objective.close()
    await worker.stop()
    await own.close()
  })

  test('are counted for the run while they wait', async () => {
    const { url } = server
    const serves = 'counted'
    const stuck: Objective = {
      dim,
      evaluate: (_, __, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    }
    const workers = await Promise.all([1, 2].map(() => serveRows({ url, name: serves, serves, objective: stuck })))
    const objective = queueObjective({ dim, url, name: serves, serves })
    const stopping = new AbortController()
    const counted = new Promise((resolve) =>
      objective.attach?.({ run: serves, notice: () => undefined, counted: resolve }),
    )
    const running = minimize(objective, start, { ...settings, signal: stopping.signal })
    // The iteration's 20 directions and its center.
    expect(await counted).toEqual({ workers: 2, waiting: 19, active: 2, failed: 0 })
    stopping.abort()
    await running
    await objective.close()
    await Promise.all(workers.map((worker) => worker.stop()))
  })

  test('are not asked beyond the first time-out where the run ends there', async () => {
    const { url } = server
    const serves = 'late'
    const late = functionObjective(() => new Promise<number>(() => undefined), { dim, timeout: 1500 })
    const worker = await serveRows({ url, name: serves, serves, objective: late })
    const objective = queueObjective({ dim, url, name: serves, serves })
    const ending = { ...settings, failures: 'stop' } as const
    const error = await minimize(objective, start, ending).catch((reason: unknown) => reason)
    expect((error as Error).message).toMatch(/did not answer within 1500 ms/)
    await objective.close()
    await worker.stop()
    expect(worker.counts.jobs).toBeLessThan(4)
  })

  test('larger than what fits into a job travel beside it and leave nothing behind', async () => {
    const { url } = server
    const wide = 700
    const serves = 'wide'
    const sum = (x: Float64Array): number => x.reduce((total, v, i) => total + v * v * (1 + (i % 3)), 0)
    const worker = await serveRows({
      url,
      name: serves,
      serves,
      objective: functionObjective(sum, { dim: wide }),
      concurrency: 3,
    })
    const from = Float64Array.from({ length: wide }, (_, i) => i / wide)
    for (const precision of ['float64', 'float32'] as const) {
      const objective = queueObjective({ dim: wide, url, name: serves, serves, parallel: 5, rowsPerJob: 2 })
      expect(await minimize(objective, from, { ...settings, precision })).toEqual(
        await minimize(sum, from, { ...settings, precision }),
      )
      await objective.close()
    }
    await worker.stop()
    expect(await server.command((client) => client.keys('*:points:*'))).toEqual([])
  })
})
