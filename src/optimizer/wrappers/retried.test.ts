import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../../test/conformance/wrapper.ts'
import { ZerothError } from '../core/errors.ts'
import type { Objective } from '../core/types.ts'
import { functionObjective } from '../objectives/function.ts'
import { cached } from './cached.ts'
import { limited } from './limits.ts'
import { type RetriedOptions, retried } from './retried.ts'

/** Fails each row as often as the list says, then answers; and what `retried` waited for it. */
function bench(failures: readonly number[], options: RetriedOptions = {}, reason: unknown = new Error('busy')) {
  const left = [...failures]
  const asked: number[][] = []
  const waits: number[] = []
  const inner: Objective = {
    dim: 3,
    evaluate(queries, into) {
      const rows = Array.from({ length: queries.rows }, (_, row) => queries.original?.(row) ?? row)
      asked.push(rows)
      rows.forEach((original, row) => {
        into.values[row] = 10 * original
        if ((left[original] as number) <= 0) return
        left[original] = (left[original] as number) - 1
        into.values[row] = Number.NaN
        into.failed[row] = 1
        into.reasons[row] = reason
      })
    },
  }
  const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds)
  const objective = retried(inner, { jitter: 0, sleep, ...options })
  return { asked, waits, objective, ask: () => answersTo(objective, rowsToAsk(failures.length)) }
}

test('rows that failed are asked again, together, and only they', async () => {
  const { asked, waits, ask } = bench([0, 2, 0, 1, 3])
  const answers = await ask()
  expect(asked).toEqual([[0, 1, 2, 3, 4], [1, 3, 4], [1, 4], [4]])
  expect(waits).toEqual([200, 400, 800])
  expect(Array.from(answers.values)).toEqual([0, 10, 20, 30, 40])
  expect(Array.from(answers.failed)).toEqual([0, 0, 0, 0, 0])
  expect(answers.reasons).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(answers.retries).toBe(6)
})

test('after the last attempt the reason says how many there were and keeps the last cause', async () => {
  const busy = new Error('the line is busy')
  const { asked, ask } = bench([0, 9], { attempts: 3 }, busy)
  const answers = await ask()
  expect(asked).toHaveLength(3)
  expect(Array.from(answers.failed)).toEqual([0, 1])
  expect(answers.values[1]).toBeNaN()
  expect(answers.reasons[1]).toMatchObject({
    name: 'ZerothError',
    code: 'query-failed',
    message: 'gave up after 3 attempts: the line is busy',
    cause: busy,
  })
  expect(answers.retries).toBe(2)
})

test.each([
  ['a text', 'the objective returned "x" instead of a number'],
  ['nothing', undefined],
  ['null', null],
])('%s is a reason to ask again like any other', async (_, reason) => {
  const { asked, ask } = bench([1], {}, reason)
  expect(Array.from((await ask()).values)).toEqual([0])
  expect(asked).toHaveLength(2)
})

describe('what cannot be mended', () => {
  const gone = new ZerothError('query-failed', 'no such model', { retryable: false })

  test('is not asked again and keeps its reason', async () => {
    const { asked, waits, ask } = bench([0, 1], {}, gone)
    const answers = await ask()
    expect(asked).toHaveLength(1)
    expect(waits).toEqual([])
    expect(answers.reasons[1]).toBe(gone)
  })

  test('holds for errors of others, too', async () => {
    const { asked, ask } = bench([1], {}, Object.assign(new Error('no'), { retryable: false }))
    await ask()
    expect(asked).toHaveLength(1)
  })

  test('with a single attempt is left as it was', async () => {
    const { ask } = bench([1], { attempts: 1 }, gone)
    expect((await ask()).reasons[0]).toBe(gone)
  })
})

describe('the other side says when to come back', () => {
  const later = (retryAfter: number) => new ZerothError('query-failed', 'too many requests', { retryAfter })

  test('and is left alone at least that long', async () => {
    const { waits, ask } = bench([2], {}, later(3000))
    await ask()
    expect(waits).toEqual([3000, 3000])
  })

  test('but no shorter than the wait of our own', async () => {
    const { waits, ask } = bench([2], {}, later(300))
    await ask()
    expect(waits).toEqual([300, 400])
  })

  test('and the longest of several is waited for', async () => {
    const waits: number[] = []
    let calls = 0
    const inner = functionObjective(
      (_, { row }) => {
        if (calls++ < 3) throw later([500, 7000, 600][row] as number)
        return 1
      },
      { dim: 3 },
    )
    await answersTo(retried(inner, { jitter: 0, sleep: async (each) => waits.push(each) }), rowsToAsk(3))
    expect(waits).toEqual([7000])
  })

  test('too late, and the row is given up for that reason, the others are not', async () => {
    let calls = 0
    const inner = functionObjective(
      (x, { row }) => {
        if (calls++ < 2) throw later(row === 0 ? 300_000 : 1000)
        return x[0] as number
      },
      { dim: 3 },
    )
    const answers = await answersTo(retried(inner, { sleep: async () => undefined }), rowsToAsk(2))
    expect(Array.from(answers.failed)).toEqual([1, 0])
    expect(answers.reasons[0]).toMatchObject({
      retryAfter: 300_000,
      message:
        'gave up after 1 attempt: a wait of 300000 ms was asked for, above retried.maxRetryAfter (120000 ms): too many requests',
    })
  })
})

describe('waits', () => {
  test('grow up to the longest', async () => {
    const { waits, ask } = bench([9], { attempts: 7, delay: 100, factor: 3, maxDelay: 2000 })
    await ask()
    expect(waits).toEqual([100, 300, 900, 2000, 2000, 2000])
  })

  test('have a jitter that takes away up to its share and is a function of seed, iteration, row and attempt', async () => {
    const waitsOf = async (iteration: number, options: RetriedOptions): Promise<number[]> => {
      const waits: number[] = []
      const inner = functionObjective(() => Promise.reject(new Error('no')), { dim: 3 })
      const sleep = async (each: number) => waits.push(each)
      const objective = limited(retried(inner, { delay: 1000, factor: 1, sleep, ...options }), { concurrency: 1 })
      await answersTo(objective, rowsToAsk(3, iteration))
      return waits
    }
    const waits = await waitsOf(7, {})
    expect(waits).toHaveLength(9)
    expect(new Set(waits).size).toBe(9)
    for (const each of waits) expect(each > 500 && each <= 1000).toBe(true)
    expect(await waitsOf(7, {})).toEqual(waits)
    expect(await waitsOf(8, {})).not.toEqual(waits)
    expect(await waitsOf(7, { seed: 1 })).not.toEqual(waits)
    expect((await waitsOf(7, { jitter: 1 })).some((each) => each < 500)).toBe(true)
  })

  test('of no length keep a synchronous objective synchronous', () => {
    const { objective, waits } = bench([2, 0], { delay: 0 })
    const { answers, work } = asking(objective, rowsToAsk(2))
    expect(work).toBeUndefined()
    expect(Array.from(answers.values)).toEqual([0, 10])
    expect(waits).toEqual([])
  })

  test('end at once when the signal fires, with nothing asked any more and no timer left', async () => {
    vi.useFakeTimers()
    try {
      const controller = new AbortController()
      const f = vi.fn(() => Promise.reject(new Error('no')))
      const objective = retried(functionObjective(f, { dim: 3 }), { delay: 1e6, maxDelay: 1e6 })
      const { work } = asking(objective, rowsToAsk(2), controller.signal)
      await vi.advanceTimersByTimeAsync(10)
      expect(vi.getTimerCount()).toBe(1)
      controller.abort()
      await work
      expect(vi.getTimerCount()).toBe(0)
      expect(f).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a value that is not finite', () => {
  test.each([Number.NaN, Infinity, -Infinity])('is an answer: %d', async (value) => {
    const f = vi.fn(() => value)
    const answers = await answersTo(retried(functionObjective(f, { dim: 3 })), rowsToAsk(1))
    expect(f).toHaveBeenCalledOnce()
    expect(answers.values[0]).toBe(value)
  })

  test('is asked again on request, and kept where it stays what it is', async () => {
    let calls = 0
    const f = (_: unknown, { row }: { row: number }) => (row === 0 || calls++ === 0 ? Infinity : 5)
    const answers = await answersTo(
      retried(functionObjective(f, { dim: 3 }), { retryNonFinite: true, delay: 0 }),
      rowsToAsk(2),
    )
    expect(Array.from(answers.values)).toEqual([Infinity, 5])
    expect(Array.from(answers.failed)).toEqual([0, 0])
    expect(answers.retries).toBe(4)
  })
})

test('a row that a cache answers at the second attempt was asked once, and is not asked again', async () => {
  let calls = 0
  const inner = cached(
    functionObjective(
      (x) => {
        if (calls++ === 0) throw new Error('busy')
        return x[0] as number
      },
      { dim: 3 },
    ),
  )
  const twoAlike = {
    ...rowsToAsk(2),
    sample: () => 1,
    write: (_: number, into: Float64Array | Float32Array) => into.fill(4),
  }
  // While the first waits for its second attempt, somebody else asks the same and is answered.
  const sleep = async () => answersTo(inner, { ...twoAlike, rows: 1 })
  const answers = await answersTo(retried(inner, { sleep }), twoAlike)
  expect(calls).toBe(2)
  expect(Array.from(answers.values)).toEqual([4, 4])
  expect(Array.from(answers.cached ?? [])).toEqual([0, 1])
  expect(answers.retries).toBe(0)
})

test('whatever fails how often, each row is asked until it answers or its attempts are used up', async () => {
  const failures = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 10 })
  const property = fc.asyncProperty(failures, fc.integer({ min: 1, max: 6 }), async (list, attempts) => {
    const { asked, ask } = bench(list, { attempts })
    const answers = await ask()
    list.forEach((count, row) => {
      expect(asked.filter((rows) => rows.includes(row))).toHaveLength(Math.min(count + 1, attempts))
      expect(answers.failed[row]).toBe(count < attempts ? 0 : 1)
      expect(answers.values[row]).toBe(count < attempts ? 10 * row : Number.NaN)
    })
    expect(answers.retries).toBe(asked.slice(1).flat().length)
  })
  await fc.assert(property, { numRuns: 100, seed: 3 })
})
