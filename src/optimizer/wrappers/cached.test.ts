import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../../test/conformance/wrapper.ts'
import type { Queries } from '../core/types.ts'
import { functionObjective, type PointFunction } from '../objectives/function.ts'
import { type CachedOptions, cached, rowCache, rowHash, sameBits } from './cached.ts'

describe('cached', () => {
  /** Rows at the given points of one variable, all with one sample unless told otherwise. */
  function at(points: readonly number[], samples: readonly number[] = []): Queries {
    return {
      key: { seed: 1, iteration: 1 },
      rows: points.length,
      dim: 1,
      centers: 0,
      sample: (row) => samples[row] ?? 0,
      write: (row, into, offset = 0) => into.set([points[row] as number], offset),
    }
  }

  function bench(options: CachedOptions = {}, f: PointFunction = (x) => 10 * (x[0] as number)) {
    const calls = vi.fn(f)
    const objective = cached(functionObjective(calls, { dim: 1 }), options)
    const ask = async (...query: Parameters<typeof at>) => {
      const { values, cached: hits, failed } = await answersTo(objective, at(...query))
      return { values: Array.from(values), hits: Array.from(hits ?? []), failed: Array.from(failed) }
    }
    return { calls, objective, ask }
  }

  test('a row that was answered before is not asked, and costs no query', async () => {
    const { calls, ask } = bench()
    expect(await ask([1, 2])).toMatchObject({ values: [10, 20], hits: [0, 0] })
    expect(await ask([3, 2, 1])).toMatchObject({ values: [30, 20, 10], hits: [0, 1, 1] })
    expect(calls).toHaveBeenCalledTimes(3)
  })

  test('the same row twice in a batch is asked once', async () => {
    const { calls, ask } = bench()
    expect(await ask([5, 4, 5, 5, 4])).toMatchObject({ values: [50, 40, 50, 50, 40], hits: [0, 0, 1, 1, 1] })
    expect(calls).toHaveBeenCalledTimes(2)
  })

  test('another sample is another question', async () => {
    const { calls, ask } = bench({}, (x, { sample }) => (x[0] as number) + sample)
    expect(await ask([1, 1, 1], [7, 8, 7])).toMatchObject({ values: [8, 9, 8], hits: [0, 0, 1] })
    expect(await ask([1], [9])).toMatchObject({ values: [10], hits: [0] })
    expect(calls).toHaveBeenCalledTimes(3)
  })

  test('0 and -0 are different questions', async () => {
    const { ask } = bench({}, (x) => 1 / (1 / (x[0] as number) + 1))
    expect((await ask([0, -0, 0])).hits).toEqual([0, 0, 1])
  })

  test('known rows alone need no promise, even where the objective is asynchronous', async () => {
    const { objective, ask } = bench({}, async (x) => x[0] as number)
    await ask([1, 2])
    const { answers, work } = asking(objective, at([2, 1]))
    expect(work).toBeUndefined()
    expect(Array.from(answers.values)).toEqual([2, 1])
  })

  describe('what failed is asked again', () => {
    test('after a failure', async () => {
      let works = false
      const { ask } = bench({}, (x) => {
        if (!works) throw new Error('busy')
        return x[0] as number
      })
      expect(await ask([1, 1])).toMatchObject({ failed: [1, 1], hits: [0, 1] })
      works = true
      expect(await ask([1])).toMatchObject({ values: [1], hits: [0], failed: [0] })
    })

    test.each([Number.NaN, Infinity])('after the answer %d', async (value) => {
      const { calls, ask } = bench({}, () => value)
      await ask([1])
      expect((await ask([1])).hits).toEqual([0])
      expect(calls).toHaveBeenCalledTimes(2)
    })
  })

  describe('memory is bounded', () => {
    test('by the number of rows', async () => {
      const { ask } = bench({ size: 2 })
      await ask([1, 2])
      await ask([1, 3])
      expect((await ask([1, 2, 3])).hits).toEqual([1, 0, 1])
    })

    test('by their bytes', async () => {
      const { ask } = bench({ maxBytes: 500 })
      await ask([1, 2, 3])
      expect((await ask([1, 2, 3])).hits.reduce((sum, hit) => sum + hit)).toBe(2)
      expect((await bench({ maxBytes: 1 }).ask([1, 1])).hits).toEqual([0, 1])
    })
  })

  test('what comes in after the signal fired is not remembered', async () => {
    const controller = new AbortController()
    const { calls, objective } = bench({}, async (x) => {
      controller.abort()
      return x[0] as number
    })
    await asking(objective, at([1]), controller.signal).work
    await asking(objective, at([1])).work
    expect(calls).toHaveBeenCalledTimes(2)
  })

  test('an answer that comes when the queries have become others is not remembered for these', async () => {
    const points = [1]
    let answer: (value: number) => void = () => undefined
    const { objective } = bench({}, (x) => (x[0] === 1 ? new Promise((resolve) => (answer = resolve)) : 10))
    const late = asking(objective, at(points))
    points[0] = 2
    answer(7)
    await late.work
    expect(Array.from((await answersTo(objective, at([2]))).values)).toEqual([10])
  })

  test('an objective without any cached rows is asked with the very same queries', async () => {
    const evaluate = vi.fn()
    const queries = rowsToAsk(3)
    await answersTo(cached({ dim: 3, evaluate }), queries)
    expect(evaluate.mock.calls[0]?.[0]).toBe(queries)
  })

  test('a cache that is told what was answered before an interruption goes on as if it had never been lost', async () => {
    const asked = [
      [1, 2, 3],
      [2, 4, 2],
      [5, 1],
      [4, 3, 2],
    ]
    const whole = bench({ size: 3 })
    const hits = []
    for (const points of asked) hits.push((await whole.ask(points)).hits)
    const { objective, ask, calls } = bench({ size: 3 })
    const first = bench({ size: 3 })
    for (const points of asked.slice(0, 3)) objective.recall?.(at(points), await answersTo(first.objective, at(points)))
    expect(calls).not.toHaveBeenCalled()
    expect((await ask(asked[3] as number[])).hits).toEqual(hits[3])
    expect(hits[3]).toContain(1)
    expect(hits[3]).toContain(0)
  })
})

describe('row cache', () => {
  const point = (...coordinates: number[]) => Float64Array.from(coordinates)

  test('gives back what was stored for the same point and sample, and nothing else', () => {
    const cache = rowCache(10)
    const x = point(1, -0, Math.PI)
    cache.set(rowHash(x, 3), x, 3, 0.1)
    x[0] = 9
    for (const [other, sample, value] of [
      [point(1, -0, Math.PI), 3, 0.1],
      [point(1, 0, Math.PI), 3, undefined],
      [point(1, -0, Math.PI), 4, undefined],
      [point(1, -0, Math.PI + 4e-16), 3, undefined],
    ] as const) {
      expect(cache.get(rowHash(other, sample), other, sample)).toBe(value)
    }
  })

  test('rows that share a hash are never taken for each other', () => {
    const cache = rowCache(10)
    cache.set(42, point(1, 2), 0, 10)
    expect(cache.get(42, point(2, 1), 0)).toBeUndefined()
    expect(cache.get(42, point(1, 2), 1)).toBeUndefined()
    cache.set(42, point(2, 1), 0, 20)
    expect(cache.get(42, point(2, 1), 0)).toBe(20)
    expect(cache.get(42, point(1, 2), 0)).toBeUndefined()
  })

  test('forgets what was not used for longest', () => {
    const cache = rowCache(3)
    const has = (i: number) => cache.get(i, point(i), 0) === i
    for (const i of [1, 2, 3]) cache.set(i, point(i), 0, i)
    expect(has(1)).toBe(true)
    cache.set(4, point(4), 0, 4)
    expect([1, 2, 3, 4].map(has)).toEqual([true, false, true, true])
    cache.set(3, point(3), 0, 3)
    expect([1, 3, 4].map(has)).toEqual([true, true, true])
  })

  test('without room it remembers nothing', () => {
    const cache = rowCache(0)
    cache.set(1, point(1), 0, 1)
    expect(cache.get(1, point(1), 0)).toBeUndefined()
  })

  test('hashes differ for points that differ in anything', () => {
    const seen = new Set<number>()
    for (let i = 0; i < 20_000; i++) seen.add(rowHash(point(i, 0), 0)).add(rowHash(point(0, i + 1), 0))
    for (let i = 0; i < 100; i++) seen.add(rowHash(point(0.5, 0.5), i))
    for (const x of [point(-0, 0), point(0, -0), point(0), point(0, 0, 0), point()]) seen.add(rowHash(x, 0))
    expect(seen.size).toBe(40_105)
  })

  test('the same bits are the same, and only they', () => {
    const numbers = fc.array(fc.double(), { maxLength: 5 })
    const property = fc.property(numbers, numbers, fc.nat(), (a, b, sample) => {
      const [x, y] = [point(...a), point(...b)]
      expect(sameBits(x, x.slice())).toBe(true)
      expect(rowHash(x, sample)).toBe(rowHash(x.slice(), sample))
      expect(sameBits(x, y)).toBe(a.length === b.length && a.every((each, i) => Object.is(each, b[i])))
    })
    fc.assert(property, { numRuns: 300, seed: 4 })
  })

  test('points inside larger memory count by their own part of it', () => {
    const memory = point(7, 1, 2, 9)
    expect(rowHash(memory.subarray(1, 3), 0)).toBe(rowHash(point(1, 2), 0))
    expect(sameBits(memory.subarray(1, 3), point(1, 2))).toBe(true)
  })
})
