import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { limitMemory, type RedisServer, redis, startRedis } from '../../../../test/queue/redis-server.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import type { Objective } from '../../../optimizer/core/types.ts'
import { zoAdaMM } from '../../../optimizer/methods/presets.ts'
import { minimize } from '../../../optimizer/minimize/minimize.ts'
import { functionObjective } from '../../../optimizer/objectives/function.ts'
import { moduleObjective } from '../../../optimizer/objectives/module.ts'
import { queueStatus } from './queue-control.ts'
import { queueObjective } from './queue-objective.ts'
import { type RowWorker, serveRows } from './serve-rows.ts'

const dim = 2
const square = (x: Float64Array): number => x.reduce((sum, v) => sum + v * v, 0)
const run = { maxQueries: 60, seed: 3, solver: zoAdaMM({ directions: 9 }) }
const start = [1, 2]

describe.skipIf('missing' in redis)('a worker', () => {
  let server: RedisServer
  const open: { close(): unknown }[] = []
  beforeAll(async () => {
    server = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()))
    await server.command((client) => client.flushall())
  })
  afterAll(() => server.close())

  async function serve(
    objective: Objective,
    serves = 'square',
    more: Partial<Parameters<typeof serveRows>[0]> = {},
  ): Promise<RowWorker> {
    const worker = await serveRows({ url: server.url, serves, objective, lock: 1000, ...more })
    open.push({ close: () => worker.stop() })
    return worker
  }

  function queued(serves = 'square', more: Partial<Parameters<typeof queueObjective>[0]> = {}): Objective {
    const objective = queueObjective({ dim, url: server.url, serves, ...more })
    open.push({ close: () => objective.close() })
    return objective
  }

  test('that is stopped hands back what is under way, and another does it at once', async () => {
    const plain = await minimize(square, start, run)
    let begun: () => void = () => undefined
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    // It never answers by itself.
    const stuck: Objective = {
      dim,
      evaluate: (_, __, signal) =>
        new Promise((resolve) => {
          begun()
          signal?.addEventListener('abort', () => resolve())
        }),
    }
    // Far longer than the test may take: nobody waits for a lock to end.
    const lock = 600_000
    const first = await serve(stuck, 'square', { concurrency: 3, lock })
    const result = minimize(queued(), start, run)
    await hasBegun
    await first.stop()
    const second = await serve(functionObjective(square, { dim }), 'square', { lock })
    expect(await result).toEqual(plain)
    expect([first.counts.rows, second.counts.rows]).toEqual([0, plain.queries])
  })

  test('that cannot evaluate at all leaves and says why; the run waits for another', async () => {
    const broken = moduleObjective({ dim, module: '/no/such/objective.js' })
    const worker = await serve(broken)
    const notices: string[] = []
    const objective = queued()
    objective.attach?.({ run: 'test', notice: (message) => notices.push(message) })
    const result = minimize(objective, start, run)
    expect((await worker.failed).message).toBe('there is no module /no/such/objective.js')
    while (notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(notices[0]).toMatch(/no worker at redis:.* serves square \(content \w+, zeroth [\d.]+\): waiting for one/)
    expect(notices[0]).toMatch(/; the last one, \S+, left: there is no module \/no\/such\/objective\.js$/)
    await serve(functionObjective(square, { dim }))
    expect(await result).toEqual(await minimize(square, start, run))
  })

  test('that fails a query says why, and only its row fails', async () => {
    const picky = functionObjective(
      (x) => {
        if ((x[0] as number) > 1) throw new Error('too far to the right')
        return square(x)
      },
      { dim },
    )
    const plain = await minimize(picky, [0.99999, 2], { ...run, failures: 'skip' })
    expect(plain.failures.count).toBeGreaterThan(0)
    const worker = await serve(picky)
    const result = await minimize(queued('square', { rowsPerJob: 4 }), [0.99999, 2], { ...run, failures: 'skip' })
    const { failures, ...rest } = result
    const { failures: expected, ...others } = plain
    expect(rest).toEqual(others)
    expect(failures.count).toBe(expected.count)
    expect(String(failures.first)).toBe(`ZerothError: worker ${worker.name}: too far to the right`)
    const { contents } = await queueStatus({ url: server.url })
    expect(contents[0]?.failures[0]?.reason).toBe(`too far to the right [${worker.name}]`)
  })

  test('at a full server says so once, asks for jobs once a second, and goes on when there is room', async () => {
    const lines: string[] = []
    const plain = functionObjective(square, { dim })
    let isStuck = true
    const stuck: Objective = {
      dim,
      evaluate: (queries, into, signal) =>
        isStuck
          ? new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
          : plain.evaluate(queries, into, signal),
    }
    await serve(stuck, 'square', { log: (line) => lines.push(line) })
    const result = minimize(queued(), start, run).catch((error: Error) => error.message)
    while ((await queueStatus({ url: server.url })).contents[0]?.active !== 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
    await limitMemory(server, '1mb')
    const before = await commandsAt(server)
    expect(await result).toMatch(/ is full: it takes no more jobs \(OOM .*'maxmemory'\.\); raise its maxmemory/)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await commandsAt(server)) - before).toBeLessThan(300)
    expect(lines.filter((line) => line.includes(' is full: '))).toHaveLength(1)
    await limitMemory(server, '0')
    isStuck = false
    expect(await minimize(queued(), start, run)).toEqual(await minimize(square, start, run))
  })

  test('that serves something else is refused, as is the run that finds it there', async () => {
    await serve(functionObjective(square, { dim }), 'another')
    const refused = await minimize(queued(), start, run).catch((error: unknown) => error as ZerothError)
    expect(refused).toBeInstanceOf(ZerothError)
    expect(String((refused as ZerothError).message)).toMatch(
      /queue default at \S+: the run asks for square \(content \w+, zeroth [\d.]+\), but \S+ serves another \(content \w+, zeroth [\d.]+\)$/,
    )
  })

  test('that comes to a run which asks for something else is refused', async () => {
    await serve(functionObjective(square, { dim }), 'square')
    const objective = queued()
    await minimize(objective, start, run)
    await expect(serve(functionObjective(square, { dim }), 'another')).rejects.toThrow(
      /queue default at \S+: the run \w+ on \S+ asks for square \(.*\), but this worker serves another \(.*\)$/,
    )
  })

  test('whose objective has other variables says so', async () => {
    await serve(functionObjective(square, { dim: 3 }))
    const result = await minimize(queued(), start, run).catch((error: Error) => (error.cause as Error).message)
    expect(result).toMatch(/^queue: the run has 2 variables, the objective of worker \S+ has 3$/)
  })

  test.each([
    [{ lock: 10 }, 'lock must be from 1000 to 3600000 milliseconds, got 10'],
    [{ concurrency: 0 }, 'serveRows.concurrency must be at least 1, got 0'],
    [{ name: 'a:b' }, 'serveRows.name must be of letters, digits'],
    [{ objective: square as never }, 'serveRows.objective must be an objective'],
  ])('is refused with %o', async (more, message) => {
    await expect(serve(functionObjective(square, { dim }), 'square', more)).rejects.toThrow(message)
  })
})

/** Commands that a server has done so far. */
function commandsAt(server: RedisServer): Promise<number> {
  return server.command(async (client) =>
    Number(/total_commands_processed:(\d+)/.exec(await client.info('stats'))?.[1]),
  )
}
