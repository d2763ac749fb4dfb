import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../../../../test/queue/redis-server.ts'
import { zoAdaMM } from '../../../optimizer/methods/presets.ts'
import { minimize } from '../../../optimizer/minimize/minimize.ts'
import { functionObjective } from '../../../optimizer/objectives/function.ts'
import { drainQueue, queueStatus, retryQueue } from './queue-control.ts'
import { queueObjective } from './queue-objective.ts'
import { serveRows } from './serve-rows.ts'

describe.skipIf('missing' in redis)('a queue', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  test('tells who is there and what has failed, lets it be done again, and can be emptied', async () => {
    const { url } = server
    const place = { url, name: 'seen' }
    let isBroken = true
    const licensed = functionObjective(
      (x) => {
        if (isBroken) throw new Error('no licence')
        return (x[0] as number) * (x[0] as number)
      },
      { dim: 1 },
    )
    const worker = await serveRows({ ...place, serves: 'licensed', objective: licensed })
    const attach = { run: 'a run', notice: () => undefined }
    const options = { maxQueries: 23, solver: zoAdaMM({ directions: 10 }) }
    const failing = queueObjective({ ...place, dim: 1, serves: 'licensed' })
    failing.attach?.(attach)
    await expect(minimize(failing, [3], options)).rejects.toThrow('no licence')
    const during = await queueStatus(place)
    expect(during.runs).toHaveLength(1)
    expect(during.workers.map(({ id, concurrency }) => [id, concurrency])).toEqual([[worker.name, 1]])
    expect(during.contents).toHaveLength(1)
    expect(during.contents[0]).toMatchObject({ serves: { what: 'licensed' }, waiting: 0, active: 0, failed: 11 })
    expect(during.contents[0]?.failures[0]?.reason).toBe(`no licence [${worker.name}]`)
    await expect(drainQueue(place)).rejects.toThrow(
      /the run \w+ on \S+ \(process \d+\) is waiting for its jobs: stop it first/,
    )
    await failing.close()

    isBroken = false
    expect(await retryQueue(place)).toBe(11)
    while ((await queueStatus(place)).contents[0]?.answered !== 11) await new Promise((done) => setTimeout(done, 20))
    // The same run, resumed: what was done again is not asked once more.
    const before = worker.counts.rows
    const resumed = queueObjective({ ...place, dim: 1, serves: 'licensed' })
    resumed.attach?.(attach)
    const result = await minimize(resumed, [3], options)
    expect(result.queries).toBe(23)
    expect(worker.counts.rows - before).toBe(12)
    await resumed.close()
    await worker.stop()

    const after = await queueStatus(place)
    expect([after.runs, after.workers]).toEqual([[], []])
    expect(await drainQueue(place)).toBe(23)
    expect(await queueStatus(place)).toMatchObject({ contents: [] })
    expect(await server.command((client) => client.keys('*'))).toEqual([])
  })

  test('of which a part was lost is emptied, too: jobs in no list, and those whose worker is gone', async () => {
    const place = { url: server.url, name: 'torn' }
    const objective = functionObjective((x) => x[0] as number, { dim: 1 })
    const worker = await serveRows({ ...place, serves: 'torn', objective })
    const asking = queueObjective({ ...place, dim: 1, serves: 'torn' })
    await minimize(asking, [3], { maxQueries: 23, solver: zoAdaMM({ directions: 10 }) })
    await asking.close()
    await worker.stop()
    await server.command(async (client) => {
      const [completed = ''] = await client.keys('*:completed')
      const [job = ''] = await client.zrange(completed, '0', '0')
      await client.unlink(completed)
      await client.rpush(completed.replace(/completed$/, 'active'), job)
      await client.set('zeroth:points:left', 'of a job that is gone')
    })
    expect(await drainQueue(place)).toBe(23)
    expect(await server.command((client) => client.keys('*'))).toEqual([])
  })
})
