import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../test/conformance/wrapper.ts'
import type { Objective } from '../core/types.ts'
import { rateLimited } from './rate-limited.ts'

/** A clock that moves only when somebody sleeps, and a record of when how many rows were asked. */
function bench(options: { perSecond: number; burst?: number }) {
  const time = { now: 5000 }
  const asked: [at: number, rows: number][] = []
  const inner: Objective = {
    dim: 3,
    evaluate({ rows }, into) {
      asked.push([time.now - 5000, rows])
      into.values.fill(1, 0, rows)
    },
  }
  const sleep = async (milliseconds: number): Promise<void> => {
    time.now += milliseconds
  }
  const objective = rateLimited(inner, { ...options, clock: () => time.now, sleep })
  return { time, asked, objective }
}

describe('with a clock of its own', () => {
  test('one row at a time, at a steady pace', async () => {
    const { asked, objective } = bench({ perSecond: 10 })
    expect(Array.from((await answersTo(objective, rowsToAsk(4))).values)).toEqual([1, 1, 1, 1])
    expect(asked.map(([at, rows]) => [Math.round(at), rows])).toEqual([
      [0, 1],
      [100, 1],
      [200, 1],
      [300, 1],
    ])
  })

  test('a batch bigger than the burst goes in pieces of the burst', async () => {
    const { asked, objective } = bench({ perSecond: 10, burst: 4 })
    await answersTo(objective, rowsToAsk(10))
    expect(asked.map(([at, rows]) => [Math.round(at), rows])).toEqual([
      [0, 4],
      [400, 4],
      [600, 2],
    ])
  })

  test('what fits the burst goes at once, without a promise and undivided, and a pause fills the bucket again', () => {
    const { asked, objective, time } = bench({ perSecond: 10, burst: 5 })
    expect(asking(objective, rowsToAsk(5)).work).toBeUndefined()
    time.now += 10_000
    expect(asking(objective, rowsToAsk(5)).work).toBeUndefined()
    expect(asked.map(([, rows]) => rows)).toEqual([5, 5])
    expect(asking(objective, rowsToAsk(1)).work).toBeInstanceOf(Promise)
  })

  test('a rate above what timers can do is kept on the average', async () => {
    const { asked, objective, time } = bench({ perSecond: 20_000 })
    await answersTo(objective, rowsToAsk(2000))
    expect(asked).toHaveLength(2000)
    expect(time.now - 5000).toBeGreaterThan(98)
    expect(time.now - 5000).toBeLessThanOrEqual(100)
  })

  test('a clock that jumps back stops nothing for longer than the pace', async () => {
    const { asked, objective, time } = bench({ perSecond: 10 })
    await answersTo(objective, rowsToAsk(1))
    time.now -= 86_400_000
    await answersTo(objective, rowsToAsk(1))
    expect(asked).toHaveLength(2)
    expect(time.now).toBeCloseTo(5000 - 86_400_000 + 100, 6)
  })

  test('no stretch of time ever sees more rows than the bucket allows, and no time is wasted', async () => {
    const calls = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 700 })), {
      minLength: 1,
      maxLength: 8,
    })
    const options = fc.record({ perSecond: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 6 }) })
    const property = fc.asyncProperty(options, calls, async (given, list) => {
      const { asked, objective, time } = bench(given)
      let idle = 0
      for (const [rows, pause] of list) {
        await answersTo(objective, rowsToAsk(rows))
        time.now += pause
        idle += pause
      }
      const total = asked.reduce((sum, [, rows]) => sum + rows, 0)
      expect(total).toBe(list.reduce((sum, [rows]) => sum + rows, 0))
      for (let i = 0; i < asked.length; i++) {
        let rows = 0
        for (const [at, count] of asked.slice(i)) {
          rows += count
          const passed = at - (asked[i] as [number, number])[0]
          expect(rows).toBeLessThanOrEqual(given.burst + (given.perSecond * (passed + 1)) / 1000 + 1e-6)
        }
      }
      expect(time.now - 5000 - idle).toBeLessThanOrEqual((1000 * total) / given.perSecond + 1e-6)
    })
    await fc.assert(property, { numRuns: 100, seed: 2 })
  })

  test('those who wait are served in the order in which they came', async () => {
    const order: number[] = []
    let now = 0
    const inner: Objective = { dim: 3, evaluate: ({ key }) => void order.push(key.iteration) }
    const sleep = async (milliseconds: number): Promise<void> => {
      await null
      now += milliseconds
    }
    const objective = rateLimited(inner, { perSecond: 1, clock: () => now, sleep })
    await Promise.all([1, 2, 3, 4].map((iteration) => answersTo(objective, rowsToAsk(1, iteration))))
    expect(order).toEqual([1, 2, 3, 4])
    expect(now).toBeGreaterThanOrEqual(2999)
  })
})

describe('when the signal fires while rows wait', () => {
  const inner: Objective = { dim: 3, evaluate: ({ rows }, into) => void into.values.fill(1, 0, rows) }

  test.each<[string, object]>([
    ['real timers', {}],
    ['a sleep that does not listen', { sleep: () => new Promise(() => undefined) }],
  ])('it ends at once and leaves them unanswered (%s)', async (_, how) => {
    const controller = new AbortController()
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const { answers, work } = asking(rateLimited(inner, { perSecond: 0.01, ...how }), rowsToAsk(3), controller.signal)
    setTimeout(() => controller.abort(), 5)
    await work
    expect(Array.from(answers.values)).toEqual([1, Number.NaN, Number.NaN])
    expect(Array.from(answers.failed)).toEqual([0, 0, 0])
    expect(remove).toHaveBeenCalled()
  })

  test('it leaves no timer behind', async () => {
    vi.useFakeTimers()
    try {
      const controller = new AbortController()
      const { work } = asking(rateLimited(inner, { perSecond: 0.01 }), rowsToAsk(3), controller.signal)
      await vi.advanceTimersByTimeAsync(10)
      expect(vi.getTimerCount()).toBe(1)
      controller.abort()
      await work
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('the others in the queue are served as if it had not been there', async () => {
    vi.useFakeTimers()
    try {
      const controller = new AbortController()
      const objective = rateLimited(inner, { perSecond: 1 })
      await answersTo(objective, rowsToAsk(1))
      const stopped = asking(objective, rowsToAsk(5), controller.signal)
      const other = asking(objective, rowsToAsk(1))
      controller.abort()
      await stopped.work
      await vi.advanceTimersByTimeAsync(1010)
      expect(Array.from(other.answers.values)).toEqual([1])
      await other.work
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a sleep that fails fails the rows that waited, and nobody after them', async () => {
  let now = 0
  let calls = 0
  const sleep = async (milliseconds: number): Promise<void> => {
    if (++calls === 1) throw new Error('insomnia')
    now += milliseconds
  }
  const inner: Objective = { dim: 3, evaluate: ({ rows }, into) => void into.values.fill(1, 0, rows) }
  const objective = rateLimited(inner, { perSecond: 1, clock: () => now, sleep })
  await expect(answersTo(objective, rowsToAsk(2))).rejects.toThrow('insomnia')
  expect(Array.from((await answersTo(objective, rowsToAsk(2))).values)).toEqual([1, 1])
})
