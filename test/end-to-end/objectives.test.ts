import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchedObjective, functionObjective, minimize, type Objective, type Result, zoAdaMM } from 'zeroth'
import {
  execObjective,
  httpObjective,
  moduleObjective,
  objectives,
  openInferenceObjective,
  workersObjective,
} from 'zeroth/objectives'
import { bowl, boxes, isOdd } from '../black-boxes/boxes.mjs'
import { type BoxServers, startBoxServers } from '../black-boxes/servers.ts'

// All kinds of black boxes serve the same functions, and must lead a run along the same path to the last bit.

const dim = 3
const module = fileURLToPath(new URL('../black-boxes/boxes.mjs', import.meta.url))
const program = fileURLToPath(new URL('../black-boxes/program.mjs', import.meta.url))

/** More than any answer takes, however busy the machine. */
const patience = 300_000

/**
 * What a box that keeps silent is given once in a run. The answers of the same box must come before, so this is many times
 * what they take.
 */
const shortPatience = 5_000

/** How each kind of black box serves a function of test/black-boxes/boxes.mjs: at least one row per part. */
interface Host {
  readonly part: string
  readonly title: string
  open(box: string, timeout: number): Objective
  /** True where one bad answer spoils those that come with it. */
  readonly shared?: true
  /** The boxes that misbehave in a way of its own: another host tries all, or every query starts a program. All if left out. */
  readonly misbehaving?: readonly string[]
}

let servers: BoxServers

beforeAll(async () => {
  servers = await startBoxServers(dim)
})
afterAll(() => servers.close())

const command = (box: string): [string, string, string] => [process.execPath, program, box]
const point = (box: string) => (x: Float64Array) => boxes[box]?.(x) as number

const hosts: readonly Host[] = [
  { part: 'function', title: 'function', open: (box) => functionObjective(point(box), { dim }) },
  {
    part: 'function',
    title: 'asynchronous function',
    open: (box, timeout) => functionObjective(async (x) => point(box)(x), { dim, timeout, concurrency: 3 }),
  },
  {
    part: 'batched',
    title: 'batched function',
    shared: true,
    open: (box) => batchedObjective((points) => points.map(point(box)), { dim }),
  },
  {
    part: 'module',
    title: 'module',
    open: (box, timeout) => moduleObjective({ dim, module, export: box, timeout }),
  },
  ...[1, 2, 4].map((workers) => ({
    part: 'workers',
    title: `workers: ${workers}`,
    ...(workers === 2 ? {} : { misbehaving: [] }),
    open: (box: string, timeout: number) => workersObjective({ dim, module, export: box, workers, timeout }),
  })),
  ...[1, 3].map((processes) => ({
    part: 'exec',
    title: `exec, processes: ${processes}`,
    ...(processes === 3 ? {} : { misbehaving: [] }),
    open: (box: string, timeout: number) => execObjective({ dim, command: command(box), processes, timeout }),
  })),
  {
    part: 'exec',
    title: 'exec, one-shot',
    misbehaving: ['nan', 'broken', 'silent'],
    open: (box, timeout) => execObjective({ dim, command: command(box), mode: 'one-shot', processes: 2, timeout }),
  },
  {
    part: 'http',
    title: 'http',
    open: (box, timeout) => httpObjective({ dim, url: servers.http(box), timeout }),
  },
  {
    part: 'http',
    title: 'http, batched',
    shared: true,
    open: (_, timeout) => httpObjective({ dim, url: servers.http('batched'), batched: true, batchSize: 2, timeout }),
  },
  ...(['binary', 'json'] as const).flatMap((encoding) => [
    {
      part: 'open-inference',
      title: `open-inference, ${encoding}`,
      open: (box: string, timeout: number) =>
        openInferenceObjective({ dim, url: servers.openInference, model: box, encoding, batchSize: 1, timeout }),
    },
    {
      part: 'open-inference',
      title: `open-inference, ${encoding}, all rows at once`,
      shared: true as const,
      open: (box: string, timeout: number) =>
        openInferenceObjective({ dim, url: servers.openInference, model: box, encoding, timeout }),
    },
  ]),
]

const options = {
  solver: zoAdaMM({ directions: 3, learningRate: { value: 0.125, decay: 'sqrt' }, smoothing: 2 ** -7 }),
  maxIterations: 8,
  seed: 13,
}
const start = [1, -0.5, 0.25]

async function runThrough(objective: Objective, more: object = {}): Promise<Result> {
  try {
    return await minimize(objective, start, { ...options, ...more })
  } finally {
    await objective.close?.()
  }
}

/** All that must be the same, whoever answers. */
function account({ point, value, last, queries, iterations, history, failures, skippedIterations }: Result) {
  return { point, value, last, queries, iterations, history, failed: failures.count, skippedIterations }
}

test('every objective of the package is tried here, except command, which takes settings with names', () => {
  const tried = new Set(['command', ...hosts.map(({ part }) => part)])
  expect(objectives.map(({ definition }) => definition.name).filter((name) => !tried.has(name))).toEqual([])
})

describe('the same run, bit for bit, through', () => {
  test.each(hosts)('$title', async ({ open }) => {
    const expected = await runThrough(functionObjective(bowl, { dim }))
    const result = await runThrough(open('bowl', patience))
    expect(account(result)).toEqual(account(expected))
    expect(result.queries).toBe(8 * 4 + 1)
    expect(result.value).toBeLessThan(bowl(start))
  })
})

describe.each(['nan', 'infinite', 'minusInfinite', 'huge', 'text', 'nothing', 'broken', 'silent'])(
  'a box that sometimes answers as "%s"',
  (box) => {
    const eager = hosts.filter(
      ({ shared, title, misbehaving }) =>
        shared === undefined && !(box === 'silent' && title === 'function') && misbehaving?.includes(box) !== false,
    )

    test.concurrent.each(eager)('fails those queries only, through $title', async ({ open, misbehaving }) => {
      // What a failure does to the run does not depend on who answers: silence is waited for once.
      const isOnce = box === 'silent' || misbehaving !== undefined
      for (const failures of isOnce ? (['skip'] as const) : (['skip', 'worst'] as const)) {
        const instead = box === 'huge' ? 1e308 : Number.NaN
        // One of the 21 queries is odd.
        const how = { failures, maxIterations: 5 }
        const expected = await runThrough(
          functionObjective((x) => (isOdd(x) ? instead : bowl(x)), { dim }),
          how,
        )
        const result = await runThrough(open(box, box === 'silent' ? shortPatience : patience), how)
        expect(account(result)).toEqual(account(expected))
        expect(result.failures.count > 0).toBe(box !== 'huge')
        expect(Array.from(result.last.point).every(Number.isFinite)).toBe(true)
      }
    })
  },
)

describe('the policy "stop" ends the run with what was found, the count and the reason, through', () => {
  const single = hosts.filter(({ shared }) => shared === undefined)
  const stop = { failures: 'stop' }
  test.each(single)('$title', async ({ open }) => {
    const error = await runThrough(open('broken', patience), stop).catch((thrown: unknown) => thrown)
    const expected = await runThrough(functionObjective(boxes.broken as never, { dim }), stop).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'objective-failed', message: expect.stringContaining('a query failed') })
    const { outcome } = error as { outcome: Result }
    expect(account(outcome)).toEqual(account((expected as { outcome: Result }).outcome))
  })
})
