import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cached,
  functionObjective,
  limited,
  logged,
  minimize,
  noisy,
  type Objective,
  rateLimited,
  retried,
  timed,
  zoAdaMM,
} from '../../src/index.ts'
import { expectedRun, forms, shortRun, type Wrap, wrapperConforms } from './wrapper.ts'

/** Every wrapper, with options that should change nothing. */
const wrappers: Readonly<Record<string, Wrap>> = {
  limited: (objective) => limited(objective, { concurrency: 3 }),
  rateLimited: (objective) => rateLimited(objective, { perSecond: 1e9, burst: 2 }),
  timed: (objective) => timed(objective, { timeout: 1e6 }),
  retried: (objective) => retried(objective, { delay: 0 }),
  cached: (objective) => cached(objective),
  logged: (objective) => logged(objective, { write: () => undefined }),
  noisy: (objective) => noisy(objective, { deviation: 0 }),
}

for (const [name, wrap] of Object.entries(wrappers)) wrapperConforms(name, wrap)

const names = Object.keys(wrappers)
const around = (objective: Objective, order: readonly string[]): Objective =>
  order.reduce((inner, name) => (wrappers[name] as Wrap)(inner), objective)

wrapperConforms('every wrapper around every other', (objective) => around(objective, [...names, ...names]))

test('any wrappers in any order change nothing about a run', async () => {
  const orders = fc.array(fc.constantFrom(...names), { maxLength: 10 })
  const property = fc.asyncProperty(orders, fc.constantFrom(...Object.values(forms)), async (order, form) => {
    expect(await shortRun(around(form(), order))).toEqual(expectedRun)
  })
  await fc.assert(property, { numRuns: 150, seed: 5 })
})

/** Whether the query fails the first and the second time it is asked: for about half of all. */
const fails = (iteration: number, row: number, before: number): boolean =>
  (iteration * 7 + row * 5) % 4 >= 2 && before < 2

test('failures that pass are retried without a trace but their count, whatever is around and inside', async () => {
  const others = names.filter((name) => name !== 'retried' && name !== 'limited')
  const orders = fc.tuple(fc.shuffledSubarray(others), fc.shuffledSubarray(others), fc.boolean())
  const property = fc.asyncProperty(orders, async ([inside, outside, isLimited]) => {
    const asked = new Map<string, number>()
    let failures = 0
    const flaky = functionObjective(
      async (x, { iteration, row }) => {
        const before = asked.get(`${iteration} ${row}`) ?? 0
        asked.set(`${iteration} ${row}`, before + 1)
        if (fails(iteration, row, before)) {
          failures++
          throw new Error('busy')
        }
        return x.reduce((sum, each) => sum + each * each, 0)
      },
      { dim: 2 },
    )
    const order = [...inside, 'retried', ...outside, ...(isLimited ? ['limited'] : [])]
    // The default asks the start twice, which a cache would answer.
    const how = { seed: 3, maxQueries: 60, solver: zoAdaMM() }
    const plain = await minimize((x) => x.reduce((sum, each) => sum + each * each, 0), [1, 2], how)
    const result = await minimize(around(flaky, order), [1, 2], how)
    expect(failures).toBeGreaterThan(20)
    expect(result).toEqual({ ...plain, retries: failures })
  })
  await fc.assert(property, { numRuns: 60, seed: 6 })
})

test.each<[string, () => unknown]>([
  ['limited.concurrency is required (a number), got undefined', () => limited(box, {} as never)],
  ['limited.concurrency must be at least 1, got 0', () => limited(box, { concurrency: 0 })],
  [
    'limited has no option concurency; did you mean concurrency?',
    () => limited(box, { concurrency: 2, concurency: 1 } as never),
  ],
  ['rateLimited.perSecond must be above 0, got 0', () => rateLimited(box, { perSecond: 0 })],
  ['rateLimited.burst must be at least 1, got 0', () => rateLimited(box, { perSecond: 1, burst: 0 })],
  ['timed.timeout must be above 0, got -5', () => timed(box, { timeout: -5 })],
  ['timed takes an options object, got undefined', () => (timed as (objective: Objective) => unknown)(box)],
  ['retried.attempts must be at least 1, got 0', () => retried(box, { attempts: 0 })],
  ['retried.jitter must be at most 1, got 2', () => retried(box, { jitter: 2 })],
  ['retried.factor must be at least 1, got 0.5', () => retried(box, { factor: 0.5 })],
  ['cached.size must be at least 1, got 0', () => cached(box, { size: 0 })],
  ['logged.write must be a function of a record, got "log.txt"', () => logged(box, { write: 'log.txt' as never })],
  ['noisy.deviation must be at least 0, got -1', () => noisy(box, { deviation: -1 })],
  [
    'noisy.distribution must be one of "normal", "uniform"',
    () => noisy(box, { deviation: 1, distribution: 'x' as never }),
  ],
])('%s', (message, make) => {
  expect(make).toThrow(message)
})

const box: Objective = functionObjective(() => 1, { dim: 1 })
