import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { minimize, type Objective } from '../index.ts'
import { compileSpec } from './compile-spec.ts'
import type { JsonObject } from './plain-data.ts'
import { callsLogged, wrapObjective } from './wrap-objective.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-wrap-'))
afterAll(() => rmSync(folder, { recursive: true }))

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
