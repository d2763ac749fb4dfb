import { describe, expect, test, vi } from 'vitest'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Answers } from '../core/types.ts'
import { type BatchFunction, batchedObjective } from './batched.ts'
import type { BatchOptions } from './function-options.ts'

function evaluate(f: BatchFunction, rows: number, options: Partial<BatchOptions> = {}, signal?: AbortSignal) {
  const answers = makeAnswers(rows)
  const work = batchedObjective(f, { dim: 2, ...options }).evaluate(sampleQueries(rows), answers, signal)
  return { answers, work }
}

const sums: BatchFunction = (points) => points.map((x) => (x[0] as number) + (x[1] as number))
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe.each(['synchronous', 'asynchronous'])('a %s function of many points', (kind) => {
  const also = (f: BatchFunction): BatchFunction => (kind === 'synchronous' ? f : async (...query) => f(...query))

  test('is called once with all rows', async () => {
    const f = vi.fn(also(sums))
    const { answers, work } = evaluate(f, 4)
    expect(work === undefined).toBe(kind === 'synchronous')
    await work
    expect(f).toHaveBeenCalledOnce()
    expect(Array.from(answers.values)).toEqual([0, 11, 22, 33])
  })

  test.each([
    [1, [1, 1, 1, 1, 1, 1, 1]],
    [2, [2, 2, 2, 1]],
    [3, [3, 3, 1]],
    [7, [7]],
    [9, [7]],
  ])('in batches of at most %i', async (batchSize, sizes) => {
    const seen: number[] = []
    const { answers, work } = evaluate(
      also((points, context) => {
        seen.push(points.length)
        return sums(points, context)
      }),
      7,
      { batchSize },
    )
    await work
    expect(seen).toEqual(sizes)
    expect(Array.from(answers.values)).toEqual([0, 11, 22, 33, 44, 55, 66])
  })

  test('is told the samples, the iteration and the signal', async () => {
    const { signal } = new AbortController()
    const f = vi.fn(also(sums))
    await evaluate(f, 4, { batchSize: 3 }, signal).work
    expect(f).toHaveBeenNthCalledWith(1, expect.anything(), { samples: [100, 101, 102], iteration: 7, signal })
    expect(f).toHaveBeenNthCalledWith(2, expect.anything(), { samples: [103], iteration: 7, signal })
  })

  test.each<[string, unknown, string]>([
    ['too few numbers', [1], 'the objective returned Array(1) for 2 points; one number each is needed'],
    ['too many numbers', [1, 2, 3], 'the objective returned Array(3) for 2 points; one number each is needed'],
    ['a number', 5, 'the objective returned 5 for 2 points; one number each is needed'],
    ['nothing', undefined, 'the objective returned undefined for 2 points; one number each is needed'],
    ['a string of that length', '12', 'the objective returned "12" for 2 points; one number each is needed'],
  ])('that returns %s fails its batch and no other', async (_, value, reason) => {
    let calls = 0
    const { answers, work } = evaluate(
      also((points, context) => (calls++ === 1 ? (value as never) : sums(points, context))),
      5,
      { batchSize: 2 },
    )
    await work
    expect(Array.from(answers.failed)).toEqual([0, 0, 1, 1, 0])
    expect(answers.reasons[2]).toBe(reason)
    expect(Array.from(answers.values)).toEqual([0, 11, Number.NaN, Number.NaN, 44])
  })

  test('that answers nonsense for one point fails that one', async () => {
    const { answers, work } = evaluate(
      also((points) => points.map((_, i) => (i === 1 ? ('x' as never) : 7))),
      3,
    )
    await work
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
    expect(answers.reasons[1]).toBe('the objective returned "x" instead of a number')
  })

  test('that throws fails its batch, for the reason it gave', async () => {
    const error = new Error('burnt')
    let calls = 0
    const { answers, work } = evaluate(
      also((points, context) => {
        if (calls++ === 0) throw error
        return sums(points, context)
      }),
      3,
      { batchSize: 2 },
    )
    await work
    expect(Array.from(answers.failed)).toEqual([1, 1, 0])
    expect(answers.reasons.slice(0, 2)).toEqual([error, error])
  })

  test('may answer with a typed array', async () => {
    const { answers, work } = evaluate(
      also((points) => Float32Array.from(points, (x) => x[0] as number)),
      3,
    )
    await work
    expect(Array.from(answers.values)).toEqual([0, 1, 2])
  })
})

test('a call that takes too long fails after the time for all its points, and the next one gets other points', async () => {
  const kept: Float64Array[][] = []
  const { answers, work } = evaluate(
    async (points) => {
      kept.push([...points])
      if (kept.length === 1) await wait(60)
      return points.map((x) => x[0] as number)
    },
    4,
    { batchSize: 2, timeout: 10 },
  )
  await work
  expect(Array.from(answers.failed)).toEqual([1, 1, 0, 0])
  expect(answers.reasons[0]).toMatchObject({
    name: 'ZerothError',
    code: 'query-failed',
    message: 'the objective did not answer within 20 ms',
  })
  expect(kept[0]?.map((x) => x[0])).toEqual([0, 1])
  expect(kept[1]?.map((x) => x[0])).toEqual([2, 3])
})

test('each call has a signal of its own where there is a time-out, which fires then and when the run is stopped', async () => {
  const controller = new AbortController()
  const signals: (AbortSignal | undefined)[] = []
  vi.useFakeTimers()
  const { answers } = evaluate(
    (_, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    },
    4,
    { batchSize: 2, timeout: 5 },
    controller.signal,
  )
  await vi.advanceTimersByTimeAsync(15)
  vi.useRealTimers()
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
  expect(signals[0]?.reason).toBe(answers.reasons[1])
  controller.abort('enough')
  expect(signals[1]?.reason).toBe('enough')
})

test('calls that are under way at once, for several runs, have points of their own', async () => {
  const objective = batchedObjective(
    async (points) => {
      await wait(2)
      return points.map((x) => x[0] as number)
    },
    { dim: 2 },
  )
  const rows = [3, 5, 2]
  const answers = rows.map(makeAnswers)
  const asked = rows.map((count, i) => ({
    ...sampleQueries(count),
    write: (row: number, into: Float64Array | Float32Array) => into.fill(10 * i + row),
  }))
  await Promise.all(asked.map((each, i) => objective.evaluate(each, answers[i] as Answers)))
  expect(answers.map(({ values }) => values.join())).toEqual(['0,1,2', '10,11,12,13,14', '20,21'])
})

test('points are reused once their call has answered', async () => {
  const seen = new Set<unknown>()
  const f: BatchFunction = (points) => {
    points.forEach((point) => seen.add(point))
    return Promise.resolve(points.map(() => 1))
  }
  const objective = batchedObjective(f, { dim: 2, batchSize: 2 })
  for (let i = 0; i < 3; i++) await objective.evaluate(sampleQueries(6), makeAnswers(6))
  expect(seen.size).toBe(2)
})

describe('once the signal fired', () => {
  test('an asynchronous function is not called any more', async () => {
    const controller = new AbortController()
    const f = vi.fn(async (points: readonly Float64Array[]) => {
      controller.abort()
      return points.map(() => 1)
    })
    await evaluate(f, 6, { batchSize: 2 }, controller.signal).work
    expect(f).toHaveBeenCalledOnce()
  })

  test('a synchronous one finishes its rows, so that none is missing from the account', () => {
    const controller = new AbortController()
    const { answers } = evaluate(
      (points) => {
        controller.abort()
        return points.map(() => 1)
      },
      6,
      { batchSize: 2 },
      controller.signal,
    )
    expect(Array.from(answers.values)).toEqual([1, 1, 1, 1, 1, 1])
  })
})

test.each<[object, string]>([
  [{}, 'batchedObjective.dim is required (a number), got undefined'],
  [{ dim: 2, batchSize: 0 }, 'batchedObjective.batchSize must be at least 1, got 0'],
  [{ dim: 2, timeout: -1 }, 'batchedObjective.timeout must be above 0, got -1'],
  [{ dim: 2, batchsize: 5 }, 'batchedObjective has no option batchsize; did you mean batchSize?'],
])('%o is refused: %s', (options, message) => {
  expect(() => batchedObjective(sums, options as never)).toThrow(message)
})

test('what is no function is refused', () => {
  expect(() => batchedObjective([] as never, { dim: 2 })).toThrow(
    'the objective must be a function of points, got Array(0)',
  )
})
