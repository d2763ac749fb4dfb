import { describe, expect, test } from 'vitest'
import { lineSearch } from './line-search.ts'
import type { Batch } from './staged-search.ts'

/** Runs a search over f(t), begun at t = first; returns what it found and where it asked. */
function search(
  f: (t: number) => number,
  first: number,
  options: { slope?: number; most?: number; tiny?: number } = {},
) {
  const tried: number[] = []
  const running = lineSearch({
    value: f(0),
    slope: options.slope ?? (f(1e-6) - f(-1e-6)) / 2e-6,
    at: (t) => Float64Array.of(t),
    first,
    most: options.most ?? 4,
    extra: 0.1,
    tiny: options.tiny ?? 1e-12,
  })
  let next = running.next()
  while (next.done !== true) {
    const point = new Float64Array(1)
    const batch: Batch = next.value
    batch.write(0, point, 0)
    tried.push(point[0] as number)
    next = running.next(Float64Array.of(f(point[0] as number)))
  }
  return { ...next.value, tried }
}

describe('a line search', () => {
  test('asks once where the first step is the minimum of a parabola', () => {
    expect(search((t) => (t - 1) ** 2, 1)).toMatchObject({ distance: 1, value: 0, tried: [1] })
  })

  test('goes on to the minimum of the parabola where that is worth a query, at most four times as far', () => {
    const { tried, distance } = search((t) => (t - 3) ** 2, 1)
    expect(tried[1]).toBeCloseTo(3, 6)
    expect(distance).toBeCloseTo(3, 6)
    expect(search((t) => (t - 30) ** 2, 1).tried.slice(0, 3)).toEqual([1, 4, 16])
  })

  test('ends after `most` queries once a point is good enough', () => {
    expect(search((t) => -t, 1, { most: 3 })).toMatchObject({ tried: [1, 4, 16], distance: 16, asked: 3 })
  })

  test('comes back where the first step is too long, by half at least and a tenth at most', () => {
    const { tried, distance } = search((t) => (t - 0.2) ** 2, 1)
    expect(tried[1]).toBeCloseTo(0.2, 6)
    expect(distance).toBeCloseTo(0.2, 6)
    expect(search((t) => (t - 0.001) ** 2, 1).tried.slice(0, 3)).toEqual([1, 0.1, 0.010000000000000002])
  })

  test('takes a failed query for infinitely high', () => {
    const { value, distance } = search((t) => (t > 0.3 ? Number.NaN : (t - 1) ** 2), 1)
    expect(distance).toBe(0.1)
    expect(value).toBeCloseTo(0.81, 12)
  })

  test('gives up where nothing is lower: after 25 queries, or at tiny distances', () => {
    expect(search((t) => Math.abs(t), 1, { slope: -1, tiny: 0 })).toMatchObject({ point: null, distance: 0, asked: 25 })
    expect(search((t) => Math.abs(t), 1, { slope: -1, tiny: 0.2 }).tried.length).toBeLessThan(5)
  })
})
