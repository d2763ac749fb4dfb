import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../../test/conformance/wrapper.ts'
import { originalRow } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { functionObjective } from '../objectives/function.ts'
import { limited, rateLimited, timed } from './limits.ts'

describe('limited', () => {
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
})

describe('timed', () => {
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const never = new Promise<never>(() => undefined)

  describe('an evaluation that takes too long', () => {
    test('fails what has no answer then, with an error that names the limit', async () => {
      const inner = functionObjective((x) => ((x[0] as number) < 2 ? Promise.resolve(x[0] as number) : never), {
        dim: 3,
      })
      const answers = await answersTo(timed(inner, { timeout: 10 }), rowsToAsk(4))
      expect(Array.from(answers.values)).toEqual([0, 1, Number.NaN, Number.NaN])
      expect(Array.from(answers.failed)).toEqual([0, 0, 1, 1])
      expect(answers.reasons[3]).toMatchObject({
        name: 'ZerothError',
        code: 'query-failed',
        message: 'the objective did not answer within 10 ms',
      })
    })

    test('is told to stop, for that reason, and what it still says is dropped', async () => {
      let own: Answers | undefined
      let reason: unknown
      const inner: Objective = {
        dim: 3,
        async evaluate({ rows }, into, signal) {
          own = into
          signal?.addEventListener('abort', () => {
            reason = signal.reason
          })
          await wait(30)
          into.values.fill(5, 0, rows)
          into.failed.fill(1, 0, rows)
          into.retries = 9
        },
      }
      const answers = await answersTo(timed(inner, { timeout: 5 }), rowsToAsk(2))
      expect(reason).toBe(answers.reasons[0])
      await wait(40)
      expect(own?.values[0]).toBe(5)
      expect(Array.from(answers.values)).toEqual([Number.NaN, Number.NaN])
      expect(answers.retries).toBe(0)
    })

    test('under a limit of concurrency is one query alone', async () => {
      const inner = functionObjective((x) => (x[0] === 1 ? never : Promise.resolve(x[0] as number)), { dim: 3 })
      const answers = await answersTo(limited(timed(inner, { timeout: 10 }), { concurrency: 2 }), rowsToAsk(5))
      expect(Array.from(answers.failed)).toEqual([0, 1, 0, 0, 0])
      expect(Array.from(answers.values)).toEqual([0, Number.NaN, 2, 3, 4])
    })

    test('costs later ones the memory that rows are kept in, as it may still write there', async () => {
      const memory = new Float64Array(3)
      let hangs = false
      const inner: Objective = {
        dim: 3,
        async evaluate(_, into) {
          if (hangs) await never
          into.values[0] = 1
          into.rowBuffer = memory
        },
      }
      const objective = timed(inner, { timeout: 5 })
      expect((await answersTo(objective, rowsToAsk(1))).rowBuffer).toBe(memory)
      hangs = true
      await answersTo(objective, rowsToAsk(1))
      hangs = false
      expect((await answersTo(objective, rowsToAsk(1))).rowBuffer).toBeNull()
    })
  })

  test('passes on what was cached and retried inside', async () => {
    const inner: Objective = {
      dim: 3,
      async evaluate(_, into) {
        into.values.set([1, 2])
        into.cached?.set([0, 1])
        into.retries = 3
      },
    }
    const answers = await answersTo(timed(inner, { timeout: 1000 }), rowsToAsk(2))
    expect([Array.from(answers.values), Array.from(answers.cached ?? []), answers.retries]).toEqual([[1, 2], [0, 1], 3])
  })

  test('leaves neither timer nor listener behind, in time or not', async () => {
    vi.useFakeTimers()
    try {
      const { signal } = new AbortController()
      const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
      let hangs = false
      const objective = timed(
        functionObjective(() => (hangs ? never : Promise.resolve(1)), { dim: 3 }),
        { timeout: 50 },
      )
      await answersTo(objective, rowsToAsk(2), signal)
      hangs = true
      const { work } = asking(objective, rowsToAsk(2), signal)
      expect(vi.getTimerCount()).toBe(1)
      await vi.advanceTimersByTimeAsync(50)
      await work
      expect(vi.getTimerCount()).toBe(0)
      expect(add.mock.calls.length).toBeGreaterThan(0)
      expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
    } finally {
      vi.useRealTimers()
    }
  })

  test('ends at once when the signal fires, even if the objective does not listen', async () => {
    const controller = new AbortController()
    const inner = functionObjective(() => never, { dim: 3 })
    const { answers, work } = asking(timed(inner, { timeout: 60_000 }), rowsToAsk(2), controller.signal)
    controller.abort()
    await work
    expect(Array.from(answers.failed)).toEqual([0, 0])
    expect(Array.from(answers.values)).toEqual([Number.NaN, Number.NaN])
  })
})

describe('rate limited', () => {
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
})
