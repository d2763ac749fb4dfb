import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../../test/queue/redis-server.ts'
import { functionObjective } from '../objectives/function.ts'
import { minimize } from '../run/minimize.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
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
})
