import { describe, expect, test, vi } from 'vitest'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Answers } from '../core/types.ts'
import {
  type BatchFunction,
  type BatchOptions,
  batchedObjective,
  type FunctionOptions,
  functionObjective,
  type PointFunction,
} from './function.ts'

describe('function', () => {
  function evaluate(f: PointFunction, rows: number, options: Partial<FunctionOptions> = {}, signal?: AbortSignal) {
    const answers = makeAnswers(rows)
    const work = functionObjective(f, { dim: 2, ...options }).evaluate(sampleQueries(rows), answers, signal)
    return { answers, work }
  }

  async function answered(f: PointFunction, rows: number, options: Partial<FunctionOptions> = {}): Promise<Answers> {
    const { answers, work } = evaluate(f, rows, options)
    await work
    return answers
  }

  const sum = (x: Float64Array): number => (x[0] as number) + (x[1] as number)
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

  describe('a synchronous function', () => {
    test('is called once per row, in order, and makes no promise', () => {
      const rows: number[] = []
      const { answers, work } = evaluate((x, { row }) => (rows.push(row), sum(x)), 4)
      expect(work).toBeUndefined()
      expect(rows).toEqual([0, 1, 2, 3])
      expect(Array.from(answers.values)).toEqual([0, 11, 22, 33])
    })

    test('is told the sample, the iteration, the row and the signal', () => {
      const { signal } = new AbortController()
      const f = vi.fn(() => 1)
      evaluate(f, 2, {}, signal)
      expect(f).toHaveBeenLastCalledWith(expect.anything(), { sample: 101, iteration: 7, row: 1, signal })
    })

    test('gets points whose memory is reused', () => {
      const points = new Set<unknown>()
      evaluate((x) => (points.add(x), 1), 5)
      expect(points.size).toBe(1)
    })

    test('that throws fails its row only, and the reason is what was thrown', () => {
      const error = new Error('burnt')
      const { answers } = evaluate((x, { row }) => {
        if (row === 1) throw error
        return sum(x)
      }, 3)
      expect(Array.from(answers.failed)).toEqual([0, 1, 0])
      expect(answers.reasons[1]).toBe(error)
      expect(Array.from(answers.values)).toEqual([0, Number.NaN, 22])
    })

    test.each([['3'], [undefined], [null], [[3]], [3n], [{}]])('that returns %o fails its row', (value) => {
      const { answers } = evaluate(() => value as never, 1)
      expect(Array.from(answers.failed)).toEqual([1])
      expect(answers.reasons[0]).toMatch(/^the objective returned .* instead of a number$/)
    })
  })

  describe('an asynchronous function', () => {
    test('is awaited, one call at a time', async () => {
      let underWay = 0
      let most = 0
      const answers = await answered(async (x) => {
        most = Math.max(most, ++underWay)
        await wait(1)
        underWay--
        return sum(x)
      }, 5)
      expect(Array.from(answers.values)).toEqual([0, 11, 22, 33, 44])
      expect(most).toBe(1)
    })

    test.each([2, 4, 9])(
      'runs %i calls at once, each with its own point, and the answers keep their rows',
      async (concurrency) => {
        let underWay = 0
        let most = 0
        const answers = await answered(
          async (x, { row }) => {
            most = Math.max(most, ++underWay)
            await wait((7 * row) % 5)
            underWay--
            return sum(x)
          },
          8,
          { concurrency },
        )
        expect(Array.from(answers.values)).toEqual([0, 11, 22, 33, 44, 55, 66, 77])
        expect(most).toBe(Math.min(concurrency, 8))
      },
    )

    test('may keep its point: later calls, of the next batch, too, get others', async () => {
      const kept: Float64Array[] = []
      const objective = functionObjective(async (x) => (kept.push(x), 1), { dim: 2 })
      await objective.evaluate(sampleQueries(3), makeAnswers(3))
      await objective.evaluate(sampleQueries(3), makeAnswers(3))
      expect(new Set(kept).size).toBe(6)
      expect(kept.map((x) => x[0])).toEqual([0, 1, 2, 0, 1, 2])
    })

    test('may answer some rows at once', async () => {
      const answers = await answered((x, { row }) => (row % 2 === 0 ? sum(x) : Promise.resolve(sum(x))), 5)
      expect(Array.from(answers.values)).toEqual([0, 11, 22, 33, 44])
    })

    test('may return any thenable', async () => {
      const answers = await answered((x) => ({ then: (done: (value: number) => void) => done(sum(x)) }) as never, 3)
      expect(Array.from(answers.values)).toEqual([0, 11, 22])
    })

    test('that rejects, throws or answers nonsense fails its row only', async () => {
      const answers = await answered((x, { row }) => {
        if (row === 1) return Promise.reject(new Error('lost'))
        if (row === 2) throw new Error('broken')
        if (row === 3) return Promise.resolve('3' as never)
        return Promise.resolve(sum(x))
      }, 5)
      expect(Array.from(answers.failed)).toEqual([0, 1, 1, 1, 0])
      expect(answers.reasons.slice(1, 4)).toEqual([
        new Error('lost'),
        new Error('broken'),
        'the objective returned "3" instead of a number',
      ])
    })

    test('that does not answer in time fails its row; a late answer is dropped', async () => {
      const answers = await answered(
        async (x, { row }) => {
          if (row === 1) await wait(30)
          return sum(x)
        },
        3,
        { timeout: 10 },
      )
      expect(Array.from(answers.failed)).toEqual([0, 1, 0])
      expect(answers.reasons[1]).toMatchObject({
        name: 'ZerothError',
        code: 'query-failed',
        message: 'the objective did not answer within 10 ms',
      })
      await wait(40)
      expect(Array.from(answers.values)).toEqual([0, Number.NaN, 22])
    })

    test('that never settles fails its row after the time-out', async () => {
      const answers = await answered(() => new Promise(() => undefined), 2, { timeout: 5, concurrency: 2 })
      expect(Array.from(answers.failed)).toEqual([1, 1])
    })

    test('with a time-out longer than any timer can wait is waited for', async () => {
      const answers = await answered((x) => wait(2).then(() => sum(x)), 2, { timeout: 3e9 })
      expect(Array.from(answers.values)).toEqual([0, 11])
    })

    test('is told by a signal of its own when its time is up, and when the run is stopped', async () => {
      const controller = new AbortController()
      const signals: (AbortSignal | undefined)[] = []
      const f: PointFunction = (x, { signal, row }) => {
        signals.push(signal)
        return row === 1 || row === 3 ? new Promise(() => undefined) : Promise.resolve(sum(x))
      }
      vi.useFakeTimers()
      const { answers } = evaluate(f, 4, { timeout: 15 }, controller.signal)
      await vi.advanceTimersByTimeAsync(20)
      vi.useRealTimers()
      expect(new Set(signals).size).toBe(4)
      expect(signals.map((signal) => signal?.aborted)).toEqual([false, true, false, false])
      expect(signals[1]?.reason).toBe(answers.reasons[1])
      controller.abort('enough')
      expect(signals.map((signal) => signal?.aborted)).toEqual([false, true, false, true])
      expect(signals[3]?.reason).toBe('enough')
    })

    test('may stop working when its signal fires: its row failed because of the time', async () => {
      const answers = await answered(
        (_, { signal }) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped working')))),
        2,
        { timeout: 5, concurrency: 2 },
      )
      expect(answers.reasons).toMatchObject([{ code: 'query-failed' }, { code: 'query-failed' }])
    })

    test('leaves no timer and no listener behind, however many calls there are at once', async () => {
      vi.useFakeTimers()
      try {
        const { signal } = new AbortController()
        const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
        await evaluate(async (x) => sum(x), 40, { timeout: 100, concurrency: 20 }, signal).work
        expect(vi.getTimerCount()).toBe(0)
        expect(add.mock.calls.length).toBeGreaterThan(0)
        expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
      } finally {
        vi.useRealTimers()
      }
    })

    test('that stops the run and then rejects has its rejection heard', async () => {
      const controller = new AbortController()
      const { answers, work } = evaluate(
        () => {
          controller.abort()
          return Promise.reject(new Error('lost'))
        },
        2,
        {},
        controller.signal,
      )
      await work
      expect(answers.reasons[0]).toEqual(new Error('lost'))
    })

    test('is not called any more once the signal fired', async () => {
      const controller = new AbortController()
      let calls = 0
      const { work } = evaluate(
        async () => {
          if (++calls === 2) controller.abort()
          return 1
        },
        6,
        {},
        controller.signal,
      )
      await work
      expect(calls).toBe(2)
    })
  })

  test.each<[object, string]>([
    [{}, 'functionObjective.dim is required (a number), got undefined'],
    [{ dim: 0 }, 'functionObjective.dim must be at least 1, got 0'],
    [{ dim: 2, concurrency: 1.5 }, 'functionObjective.concurrency must be a whole number, got 1.5'],
    [{ dim: 2, timeout: 0 }, 'functionObjective.timeout must be above 0, got 0'],
    [{ dim: 2, timeOut: 5 }, 'functionObjective has no option timeOut; did you mean timeout?'],
  ])('%o is refused: %s', (options, message) => {
    expect(() => functionObjective(sum, options as never)).toThrow(message)
  })

  test('what is no function is refused', () => {
    expect(() => functionObjective(3 as never, { dim: 2 })).toThrow(
      'the objective must be a function of a point, got 3',
    )
  })
})

describe('batched', () => {
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
})
