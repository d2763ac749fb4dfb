import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../test/conformance/wrapper.ts'
import { ZerothError } from '../core/errors.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Queries } from '../core/types.ts'
import { functionObjective } from '../objectives/function.ts'
import { limited } from './limited.ts'

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** An objective that counts how many calls are under way, and the most there ever were. */
function counting(delay: (row: number) => number) {
  const count = { now: 0, most: 0 }
  const objective = functionObjective(
    async (x, { row }) => {
      count.most = Math.max(count.most, ++count.now)
      await wait(delay(row))
      count.now--
      return x[0] as number
    },
    { dim: 3 },
  )
  return { count, objective }
}

test.each([1, 2, 3, 8, 20])('asks %i rows at once at most, and as many as that', async (concurrency) => {
  const { count, objective } = counting((row) => (7 * row) % 3)
  const answers = await answersTo(limited(objective, { concurrency }), rowsToAsk(8))
  expect(Array.from(answers.values)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(count.most).toBe(Math.min(concurrency, 8))
})

test('each evaluation inside is of one row', async () => {
  const evaluate = vi.fn()
  await answersTo(limited({ dim: 3, evaluate }, { concurrency: 2 }), rowsToAsk(5))
  expect(evaluate.mock.calls.map(([queries]) => queries.rows)).toEqual([1, 1, 1, 1, 1])
})

test('several runs that share the wrapper share its limit', async () => {
  const { count, objective } = counting(() => 1)
  const shared = limited(objective, { concurrency: 3 })
  const answers = await Promise.all([4, 5, 6].map((rows) => answersTo(shared, rowsToAsk(rows))))
  expect(answers.map(({ values }) => values.join())).toEqual(['0,1,2,3', '0,1,2,3,4', '0,1,2,3,4,5'])
  expect(count).toEqual({ now: 0, most: 3 })
})

test('whatever the delays and the limit, answers keep their rows and the limit is kept', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 1, max: 5 }),
    async (delays, concurrency) => {
      let [now, most] = [0, 0]
      const objective = functionObjective(
        async (x, { row }) => {
          most = Math.max(most, ++now)
          for (let i = 0; i < (delays[row] as number); i++) await null
          now--
          return x[1] as number
        },
        { dim: 3 },
      )
      const answers = await answersTo(limited(objective, { concurrency }), rowsToAsk(delays.length))
      expect(Array.from(answers.values)).toEqual(delays.map((_, row) => 10 * row))
      expect(most).toBeLessThanOrEqual(concurrency)
    },
  )
  await fc.assert(property, { numRuns: 100, seed: 1 })
})

test('who waits for a place leaves at once when the signal fires, and takes none', async () => {
  const controller = new AbortController()
  const release: (() => void)[] = []
  const objective = functionObjective(() => new Promise((resolve) => release.push(() => resolve(1))), { dim: 3 })
  const shared = limited(objective, { concurrency: 2 })
  const first = answersTo(shared, rowsToAsk(2))
  const second = asking(shared, rowsToAsk(3), controller.signal)
  controller.abort()
  await second.work
  expect(Array.from(second.answers.values)).toEqual([Number.NaN, Number.NaN, Number.NaN])
  expect(release).toHaveLength(2)
  release.splice(0).forEach((each) => each())
  await first
  const third = answersTo(shared, rowsToAsk(4))
  expect(release).toHaveLength(2)
  while (release.length > 0) {
    release.splice(0).forEach((each) => each())
    for (let i = 0; i < 20; i++) await null
  }
  expect(Array.from((await third).values)).toEqual([1, 1, 1, 1])
})

test('an error that ends the run ends the asking, too, and gives the places back', async () => {
  const evaluate = vi.fn(async (queries: Queries) => {
    await null
    if (originalRow(queries, 0) === 1) throw new ZerothError('storage-failed', 'disk full')
  })
  const shared = limited({ dim: 3, evaluate }, { concurrency: 2 })
  await expect(answersTo(shared, rowsToAsk(50))).rejects.toThrow('disk full')
  await wait(5)
  expect(evaluate.mock.calls.length).toBeLessThan(10)
  await expect(answersTo(shared, rowsToAsk(2))).rejects.toThrow('disk full')
})

test('a place is given back by a row that failed', async () => {
  const objective = functionObjective(() => Promise.reject(new Error('no')), { dim: 3 })
  const shared = limited(objective, { concurrency: 1 })
  expect(Array.from((await answersTo(shared, rowsToAsk(3))).failed)).toEqual([1, 1, 1])
  expect(Array.from((await answersTo(shared, rowsToAsk(3))).failed)).toEqual([1, 1, 1])
})
