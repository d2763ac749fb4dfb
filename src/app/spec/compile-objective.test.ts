import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { logisticRegression, minimize, type Objective } from '../../index.ts'
import { callsLogged, wrapObjective } from './compile-objective.ts'
import { compileServed, compileSpec } from './compile-spec.ts'
import type { JsonObject } from './plain-data.ts'

describe('compile objective', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-objective-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const module = 'data:text/javascript,export default (x) => x.length'
  const resolvedObjective = (spec: JsonObject) => compileSpec(spec, { folder }).resolved.objective

  describe('the number of variables', () => {
    const dim = (spec: object) => {
      const { resolved, objective } = compileSpec(spec as JsonObject)
      expect(resolved.dim).toBe(objective.dim)
      expect(resolved.objective).not.toHaveProperty('dim')
      return objective.dim
    }

    test('is said once, by the spec, its objective, its start or its problem', () => {
      expect(dim({ objective: 'quadratic' })).toBe(10)
      expect(dim({ objective: 'counterexample' })).toBe(2)
      expect(dim({ objective: 'quadratic', dim: 3 })).toBe(3)
      expect(dim({ objective: { name: 'quadratic', dim: 3 } })).toBe(3)
      expect(dim({ objective: 'quadratic', start: [1, 2, 3, 4] })).toBe(4)
      expect(dim({ objective: { name: 'module', module, dim: 3 } })).toBe(3)
      expect(dim({ objective: { name: 'module', module }, dim: 3 })).toBe(3)
      expect(dim({ objective: { name: 'module', module }, start: [0, 0] })).toBe(2)
      expect(dim({ objective: { name: 'quadratic', dim: 2 }, dim: 2, start: [1, 1] })).toBe(2)
    })

    test.each([
      [{ objective: { name: 'module', module } }, 'spec.dim is required: the number of variables of module'],
      [{ objective: 'counterexample', dim: 3 }, 'spec.dim is 3, but counterexample has 2 variables'],
      [{ objective: 'quadratic', dim: 3, start: [1] }, 'spec.dim is 3, but the length of spec.start is 1'],
      [{ objective: { name: 'quadratic', dim: 3 }, dim: 2 }, 'spec.dim is 2, but spec.objective.dim is 3'],
      [
        { objective: { name: 'quadratic', dim: 3 }, start: [1] },
        'spec.objective.dim is 3, but the length of spec.start',
      ],
      [{ objective: { name: 'quadratic', dim: 'x' } }, 'spec.objective.dim must be a number, got "x"'],
      [{ objective: 'rosenbrock', dim: 1 }, 'spec.objective.dim must be at least 2, got 1'],
      [
        { objective: { name: 'robust-regression', population: 2 } },
        'spec.objective: robust-regression.population must be',
      ],
    ])('%# is refused where it is missing or does not agree', (spec, message) => {
      expect(() => compileSpec(spec)).toThrow(message)
    })
  })

  describe('short keys', () => {
    test('stand for the option that the objective has', () => {
      const short = { dim: 2, jobs: 3, timeout: 500 }
      expect(resolvedObjective({ objective: { name: 'module', module }, ...short })).toMatchObject({
        concurrency: 3,
        timeout: 500,
      })
      expect(
        resolvedObjective({ objective: { name: 'workers', module, batched: true }, ...short, batch: 5 }),
      ).toMatchObject({
        workers: 3,
        timeout: 500,
        batchSize: 5,
      })
      expect(resolvedObjective({ objective: { name: 'exec', command: ['true'] }, ...short })).toMatchObject({
        processes: 3,
        timeout: 500,
      })
      const { resolved } = compileSpec({ objective: { name: 'http', url: 'http://127.0.0.1:1/' }, ...short })
      expect(resolved.objective).toMatchObject({ concurrency: 3, timeout: 500 })
      for (const key of ['jobs', 'timeout', 'batch']) expect(resolved).not.toHaveProperty(key)
    })

    test.each([
      [
        { objective: 'quadratic', jobs: 2 },
        'spec.jobs does nothing for quadratic: it has no option processes or workers',
      ],
      [{ objective: 'quadratic', timeout: 2 }, 'spec.timeout does nothing for quadratic: it has no option timeout'],
      [{ objective: { name: 'exec', command: ['true'] }, dim: 1, batch: 2 }, 'spec.batch does nothing for exec'],
      [
        { objective: { name: 'exec', command: ['true'], processes: 2 }, dim: 1, jobs: 3 },
        'spec.jobs is 3, but spec.objective.processes is 2: give one of them',
      ],
      [
        { objective: { name: 'module', module }, dim: 1, batch: 2 },
        'module.batchSize does nothing without batched: true',
      ],
    ])('%# are refused where they would do nothing', (spec, message) => {
      expect(() => compileSpec(spec)).toThrow(message)
    })
  })

  describe('paths', () => {
    test('begin in the folder of the spec, and are absolute in the resolved one', () => {
      expect(resolvedObjective({ objective: { name: 'module', module: './f.mjs' }, dim: 1 })).toHaveProperty(
        'module',
        join(folder, 'f.mjs'),
      )
      expect(resolvedObjective({ objective: { name: 'module', module: '/a/f.mjs' }, dim: 1 })).toHaveProperty(
        'module',
        '/a/f.mjs',
      )
      expect(resolvedObjective({ objective: { name: 'module', module }, dim: 1 })).toHaveProperty('module', module)
      writeFileSync(join(folder, 'key.txt'), 'secret')
      mkdirSync(join(folder, 'bin'))
      const exec = { name: 'exec', command: ['python3', 'f.py'], env: { KEY: { file: 'key.txt' } } }
      expect(resolvedObjective({ objective: exec, dim: 1 })).toMatchObject({
        command: ['python3', 'f.py'],
        cwd: folder,
        env: { KEY: { file: join(folder, 'key.txt') } },
      })
      expect(resolvedObjective({ objective: { ...exec, cwd: 'bin' }, dim: 1 })).toHaveProperty(
        'cwd',
        join(folder, 'bin'),
      )
    })

    test('lead to a module and a program that are asked', async () => {
      writeFileSync(join(folder, 'bowl.mjs'), 'export const bowl = (x) => x.reduce((s, v) => s + v * v, 1)')
      writeFileSync(
        join(folder, 'bowl.cjs'),
        `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, x } = JSON.parse(line)
        console.log(JSON.stringify({ id, value: x.reduce((s, v) => s + v * v, 1) }))
      })`,
      )
      const run = async (objective: JsonObject) => {
        const compiled = compileSpec({ objective, dim: 2, start: 1, maxQueries: 60, seed: 1 }, { folder })
        const { value, queries } = await minimize(compiled.objective, compiled.start, compiled.session)
        await compiled.objective.close?.()
        return { value, queries }
      }
      const byModule = await run({ name: 'module', module: 'bowl.mjs', export: 'bowl' })
      expect(byModule.queries).toBeGreaterThan(40)
      expect(byModule.value).toBeLessThan(3)
      expect(await run({ name: 'exec', command: [process.execPath, 'bowl.cjs'] })).toEqual(byModule)
    })
  })

  describe('a finite sum', () => {
    test('is asked as a whole, or term by term where the spec says how many there are', async () => {
      const problem = logisticRegression({ dim: 3, population: 7 })
      const objective = { name: 'logistic-regression', population: 7 }
      const solver = { name: 'zo-sgd', samples: 7, directions: 1 }
      const whole = compileSpec({ objective, dim: 3, maxIterations: 0 })
      expect((await minimize(whole.objective, whole.start, whole.session)).value).toBe(problem.value(problem.start))
      const terms = compileSpec({ objective, dim: 3, solver, population: 7, maxIterations: 0 })
      const { value, queries } = await minimize(terms.objective, terms.start, terms.session)
      expect(queries).toBe(7)
      expect(value).toBeCloseTo(problem.value(problem.start), 12)
    })

    test.each([
      [{ objective: 'quadratic', population: 3 }, 'spec.population: this objective is not a sum of terms'],
      [
        { objective: 'logistic-regression', population: 3 },
        'spec.population must be 50, the number of its terms, got 3',
      ],
    ])('%# and nothing else', (spec, message) => {
      expect(() => compileSpec(spec)).toThrow(message)
    })
  })

  test.each([
    [{ objective: { name: 'logistic-regression', population: 1e9 } }, 'dim times population must be at most 20000000'],
    [
      { objective: 'robust-regression', dim: 1e7 },
      'robust-regression.population must be at least dim (10000000), got 50',
    ],
    [{ objective: 'rotated-quadratic', dim: 1e6 }, 'spec.objective.dim must be at most 2500, got 1000000'],
    [
      { objective: { name: 'exec', command: ['true'], processes: 1e9 }, dim: 1 },
      'spec.objective.processes must be at most',
    ],
    [{ objective: { name: 'workers', module, workers: 1e9 }, dim: 1 }, 'spec.objective.workers must be at most 1024'],
    [{ objective: { name: 'workers', module }, dim: 1, jobs: 1e9 }, 'spec.jobs must be at most 1024, got 1000000000'],
  ])('%#: what would fill the memory before the first query is refused', (spec, message) => {
    expect(() => compileSpec(spec)).toThrow(message)
  })

  const run = async (spec: object) => {
    const { objective, start, session } = compileSpec({
      objective: 'quadratic',
      dim: 2,
      seed: 3,
      maxQueries: 45,
      ...spec,
    } as JsonObject)
    return minimize(objective, start, session)
  }

  describe('the wrappers of a spec', () => {
    test('change nothing where nothing fails', async () => {
      const plain = await run({})
      const wrapped = await run({ retry: true, rate: { perSecond: 1e9 }, noise: { deviation: 0 } })
      expect(wrapped.point).toEqual(plain.point)
      expect(wrapped.value).toBe(plain.value)
    })

    test('are on with true, with options, and off with false', () => {
      const resolved = (keys: object) => compileSpec({ objective: 'quadratic', ...keys } as JsonObject).resolved
      expect(resolved({ cache: true }).cache).toEqual({ size: 10_000, maxBytes: 268_435_456 })
      expect(resolved({ cache: { size: 2 } }).cache).toEqual({ size: 2, maxBytes: 268_435_456 })
      expect(resolved({ cache: false, retry: false })).not.toHaveProperty('cache')
      expect(resolved({ retry: true }).retry).toMatchObject({ attempts: 4, delay: 200 })
      expect(resolved({ retry: true }).retry).not.toHaveProperty('sleep')
      expect(resolved({ rate: { perSecond: 2 } }).rate).toEqual({ perSecond: 2, burst: 1 })
      expect(resolved({ noise: { deviation: 2 } }).noise).toMatchObject({ deviation: 2, distribution: 'normal' })
    })

    test('add noise to every value and cache what came out', async () => {
      const zero = { objective: 'linear', start: 0, maxIterations: 0 }
      expect((await run(zero)).value).toBe(0)
      expect(Math.abs((await run({ ...zero, noise: { deviation: 1 } })).value)).toBeGreaterThan(0)
      const constant = {
        objective: { name: 'linear', seed: 1 },
        bounds: [0.5, 0.5],
        solver: { name: 'zo-sgd', feasible: true },
      }
      expect((await run({ ...constant, cache: true })).cacheHits).toBeGreaterThan(10)
      expect((await run(constant)).cacheHits).toBe(0)
    })

    test('ask failed queries again, each time within the rate', async () => {
      let asked = 0
      const flaky: Objective = {
        dim: 1,
        evaluate(queries, into) {
          for (let row = 0; row < queries.rows; row++) {
            asked++
            into.failed[row] = asked % 2
            into.values[row] = asked % 2 === 1 ? Number.NaN : 1
          }
        },
      }
      const wait = { delay: 0, factor: 1, maxDelay: 0, jitter: 0, maxRetryAfter: 0 }
      const retry = { attempts: 30, ...wait, retryNonFinite: false, seed: 0 }
      const rate = { perSecond: 200, burst: 1 }
      const wrapped = wrapObjective(flaky, { retry, rate, noise: undefined, cache: undefined })
      const began = performance.now()
      const { queries, retries, failures } = await minimize(wrapped, [0], { maxQueries: 12 })
      expect(retries).toBeGreaterThanOrEqual(queries)
      expect(failures.count).toBe(0)
      expect(asked).toBe(queries + retries)
      expect(performance.now() - began).toBeGreaterThan(0.8 * 5 * (asked - 1))
    })
  })

  test('every query is saved on request, and the file is closed with the objective', async () => {
    const file = join(folder, 'calls.jsonl')
    const { objective, start, session } = compileSpec({ objective: 'quadratic', dim: 2, maxQueries: 23, log: true })
    const closed: string[] = []
    const logged = callsLogged({ ...objective, close: () => void closed.push('inner') }, file)
    const { queries } = await minimize(logged, start, session)
    await logged.close?.()
    expect(closed).toEqual(['inner'])
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(queries)
    expect(JSON.parse(lines[0] as string)).toMatchObject({ iteration: 1, row: 0, point: [1, 1], value: 1 })
  })
})

describe('queued objective', () => {
  const module = 'data:text/javascript,export default (x) => x[0] * x[0]'
  const spec = { objective: { name: 'module', module }, dim: 2, maxQueries: 10 }

  describe('a spec with a queue', () => {
    test('keeps the address and all options, so that a run can be resumed', () => {
      const { resolved, dim } = compileSpec({ ...spec, queue: 'redis://localhost:6379' })
      expect(dim).toBe(2)
      expect(resolved.queue).toEqual({
        url: 'redis://localhost:6379',
        name: 'default',
        prefix: 'zeroth',
        rowsPerJob: 1,
        parallel: 1000,
        patience: 600_000,
      })
      expect(compileSpec(resolved).resolved).toEqual(resolved)
      const elsewhere = { ...spec, queue: { url: { file: 'address' }, rowsPerJob: 3 } }
      expect(() => compileSpec(elsewhere, { folder: '/no/such' })).toThrow(
        'cannot read the file /no/such/address (ENOENT)',
      )
    })

    test.each([
      ['redis://:secret-word@host', 'spec.queue.url must not hold a user or a password'],
      [{ url: 'rediss://me:secret-word@host' }, 'spec.queue.url must not hold a user or a password'],
      [{ url: { env: 'NO_SUCH_ADDRESS' } }, 'the environment variable NO_SUCH_ADDRESS is not set'],
      [{ url: 'https://host' }, 'spec.queue: queueObjective.url must be an address like redis://host:6379'],
      [{ url: 'redis://host', rowsPerJob: 0 }, 'spec.queue.rowsPerJob must be at least 1, got 0'],
      [{ name: 'x' }, 'spec.queue.url is required'],
      [3, 'spec.queue must be'],
    ])('refuses %j', (queue, message) => {
      const error = thrown(() => compileSpec({ ...spec, queue } as never as JsonObject))
      expect(error).toContain(message)
      expect(error).not.toContain('secret-word')
    })
  })

  describe('what a worker serves', () => {
    test('is what the run asks for, as much at once as the worker has jobs', () => {
      const one = compileServed(spec, 1)
      const many = compileServed({ ...spec, jobs: 7, objective: { ...spec.objective, name: 'workers', workers: 2 } }, 3)
      expect(many.serves).toEqual(one.serves)
      expect(many.objective).toMatchObject({ origin: { name: 'workers', options: { workers: 3 } } })
      expect(one.objective).toMatchObject({ origin: { name: 'workers', options: { workers: 1 } } })
    })

    test('is another where the number of variables or their names differ, not where the run does', () => {
      const { hash } = compileServed(spec, 1).serves
      expect(compileServed({ ...spec, seed: 3, solver: 'cma-es', timeout: 5 }, 1).serves.hash).toBe(hash)
      expect(compileServed({ ...spec, dim: 3 }, 1).serves.hash).not.toBe(hash)
      const variables = { a: { from: 0, to: 1 }, b: { from: 0, to: 1 } }
      expect(compileServed({ ...spec, variables }, 1).serves.hash).not.toBe(hash)
    })
  })

  function thrown(act: () => unknown): string {
    try {
      act()
    } catch (error) {
      return (error as Error).message
    }
    return 'nothing was thrown'
  }
})
