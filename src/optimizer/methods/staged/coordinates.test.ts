import { describe, expect, test } from 'vitest'
import { simba } from '../../../robustness/methods/simba.ts'
import { parseOptions } from '../../core/options.ts'
import { makeRunContext } from '../../core/session.ts'
import { type SessionOptions, sessionOptions } from '../../core/session-options.ts'
import type { RunContext } from '../../core/types.ts'
import { scalarKernels } from '../../kernels/scalar.ts'
import { minimizeSync } from '../../minimize/minimize-sync.ts'
import { box } from '../../parts/sets/boxes.ts'
import { quasiNewton } from '../quasi-newton.ts'
import {
  type Coordinates,
  coordinatesOf,
  type Differences,
  differences,
  lineSearch,
  longestStep,
  randomCoordinates,
  settle,
  sizeOf,
} from './coordinates.ts'
import type { Batch } from './staged-search.ts'

const of = (precision: 'float64' | 'float32', set: object = { unbounded: true }) =>
  coordinatesOf({ dim: 3, precision, set, kernels: scalarKernels } as never)

describe('settling a point', () => {
  test('rounds it to the precision of the run', () => {
    const x = Float64Array.of(0.1, 1, -0.3)
    expect(settle(of('float64'), x.slice())).toEqual(x)
    expect(settle(of('float32'), x.slice())).toEqual(x.map(Math.fround))
  })

  test('brings it into the box', () => {
    const set = box({ lower: -1, upper: [1, 2, 3] })
    expect(settle(of('float64', set), Float64Array.of(5, -5, 2))).toEqual(Float64Array.of(1, -1, 2))
  })

  test('keeps it finite where nothing bounds it', () => {
    for (const [precision, most] of [
      ['float64', Number.MAX_VALUE / 4],
      ['float32', 3.4028234663852886e38 / 4],
    ] as const) {
      const settled = settle(of(precision), Float64Array.of(1e308, -Infinity, 7))
      expect(settled).toEqual(Float64Array.of(most, -most, 7))
    }
  })
})

test.each([1, 3, 150])('a line that falls forever is followed in steps of limited length: %i variables', (dim) => {
  let farthest = 3
  let growth = 0
  const line = (x: ArrayLike<number>): number => {
    const far = Math.max(...Array.from(x, Math.abs))
    growth = Math.max(growth, far / farthest)
    farthest = Math.max(farthest, far)
    return Array.from(x).reduce((sum, each) => sum + each, 0)
  }
  const start = Array<number>(dim).fill(3)
  const { value } = minimizeSync(line, start, { solver: quasiNewton(), maxQueries: 40 + 4 * dim })
  expect(value).toBeLessThan(-100)
  expect(growth).toBeLessThan(2 * longestStep)
})

function begin(start: number[], options: Partial<SessionOptions> = {}): RunContext {
  return makeRunContext(
    start,
    parseOptions('session', sessionOptions, { solver: simba(), ...options }),
    () => undefined,
  )
}

describe('coordinates', () => {
  test('have size 1 at least, or the width of a narrower box, or what the user says', () => {
    const free = coordinatesOf(begin([0, 5]))
    expect([sizeOf(free, Float64Array.of(0, 5), 0), sizeOf(free, Float64Array.of(0, 5), 1)]).toEqual([1, 5])
    const boxed = coordinatesOf(begin([0, 5], { set: box({ lower: [0, 5], upper: [0.25, 5] }) }))
    expect([...boxed.typical]).toEqual([0.25, 1])
    expect([...coordinatesOf(begin([0, 5]), [1e-3]).typical]).toEqual([1e-3, 1e-3])
    expect([...coordinatesOf(begin([0, 5]), [1e-3, 7]).typical]).toEqual([1e-3, 7])
  })

  test('know how they are rounded', () => {
    expect(coordinatesOf(begin([1])).unit).toBe(2 ** -53)
    const single = coordinatesOf(begin([1], { precision: 'float32' }))
    expect(single.unit).toBe(2 ** -24)
    expect(single.round(0.1)).toBe(Math.fround(0.1))
  })

  test('settle in the box, at the precision of the run, and never beyond what a number holds', () => {
    const boxed = coordinatesOf(begin([0.5, 0.5], { precision: 'float32', set: box({ lower: 0.1, upper: 0.9 }) }))
    const [low, high] = settle(boxed, Float64Array.of(-3, 5)) as unknown as [number, number]
    expect([Math.fround(low), Math.fround(high)]).toEqual([low, high])
    expect(low >= 0.1 && low < 0.1001 && high <= 0.9 && high > 0.8999).toBe(true)
    const free = coordinatesOf(begin([1, 1]))
    expect([...settle(free, Float64Array.of(Infinity, 0.1))]).toEqual([Number.MAX_VALUE / 4, 0.1])
  })
})

test('random coordinates are distinct, and the same for the same address', () => {
  const address = { seed: 1, iteration: 2, row: 3 }
  const chosen = randomCoordinates(100, 10, address)
  expect(new Set(chosen).size).toBe(10)
  expect(chosen.every((each) => each >= 0 && each < 100)).toBe(true)
  expect(randomCoordinates(100, 10, address)).toEqual(chosen)
  expect(randomCoordinates(100, 10, { ...address, iteration: 4 })).not.toEqual(chosen)
  expect([...randomCoordinates(4, 4, address)].sort()).toEqual([0, 1, 2, 3])
})

describe('differences along coordinates', () => {
  const free = (dim: number): Coordinates => ({
    dim,
    bounds: undefined,
    typical: new Float64Array(dim).fill(1),
    round: (value) => value,
    unit: 2 ** -53,
  })
  const within = (lower: number[], upper: number[]): Coordinates => ({
    ...free(lower.length),
    bounds: { lower: Float64Array.from(lower), upper: Float64Array.from(upper) },
  })

  /** Runs differences; returns what they found and the points they asked. */
  function measured(
    at: Coordinates,
    f: (x: Float64Array) => number,
    x: number[],
    how: { step: number; central: boolean; along?: number[] },
  ): Differences & { asked: number[][] } {
    const point = Float64Array.from(x)
    const running = differences(at, { x: point, value: f(point), step: () => how.step, ...pick(how) })
    const asked: number[][] = []
    let next = running.next()
    while (next.done !== true) {
      const { rows, write } = next.value
      const values = Float64Array.from({ length: rows }, (_, row) => {
        const into = new Float64Array(x.length)
        write(row, into, 0)
        asked.push([...into])
        return f(into)
      })
      next = running.next(values)
    }
    return { ...next.value, asked }
  }

  function pick({ central, along }: { central: boolean; along?: number[] }): { central: boolean; along?: number[] } {
    return along === undefined ? { central } : { central, along }
  }

  const parabola = ([a = 0, b = 0]: Float64Array): number => 3 * a * a + b

  describe('differences', () => {
    test('on one side are one query per coordinate', () => {
      const { slopes, curvatures, asked, ahead, steps, reached } = measured(free(2), parabola, [1, 2], {
        step: 0.5,
        central: false,
      })
      expect(asked).toEqual([
        [1.5, 2],
        [1, 2.5],
      ])
      expect([...slopes, ...curvatures]).toEqual([7.5, 1, 0, 0])
      expect([...ahead, ...steps, ...reached]).toEqual([8.75, 5.5, 0.5, 0.5, 1.5, 2.5])
    })

    test('on both sides are exact for a parabola', () => {
      const { slopes, curvatures, asked } = measured(free(2), parabola, [1, 2], { step: 0.5, central: true })
      expect(asked).toHaveLength(4)
      expect([...slopes, ...curvatures]).toEqual([6, 1, 6, 0])
    })

    test('ask only about the coordinates that they are told', () => {
      const { slopes, asked } = measured(free(2), parabola, [1, 2], { step: 0.5, central: false, along: [1] })
      expect(asked).toEqual([[1, 2.5]])
      expect([...slopes]).toEqual([1])
    })

    test('turn inwards at a bound, with both points of a pair there, and are still exact for a parabola', () => {
      const { slopes, curvatures, asked } = measured(within([0, 0], [1, 9]), parabola, [1, 0], {
        step: 0.25,
        central: true,
      })
      expect(asked.map(([a]) => a)).toEqual([0.75, 0.875, 1, 1])
      expect(asked.map(([, b]) => b)).toEqual([0, 0, 0.25, 0.125])
      expect([...slopes, ...curvatures]).toEqual([6, 1, 6, 0])
    })

    test('are at most a quarter of the width of the box', () => {
      const { asked } = measured(within([0, 0], [1, 9]), parabola, [0.5, 1], { step: 4, central: false })
      expect(asked).toEqual([
        [0.75, 1],
        [0.5, 3.25],
      ])
    })

    test('do not ask about a coordinate that cannot move', () => {
      const { slopes, asked, reached } = measured(within([1, 0], [1, 9]), parabola, [1, 2], {
        step: 0.5,
        central: true,
      })
      expect(asked.every(([a]) => a === 1)).toBe(true)
      expect([...slopes]).toEqual([0, 1])
      expect(reached[0]).toBe(1)
      expect(measured(within([1, 2], [1, 2]), parabola, [1, 2], { step: 0.5, central: true }).asked).toEqual([])
    })

    test('take the other side where one failed, and 0 where both did', () => {
      const cut = (x: Float64Array): number => ((x[0] as number) > 1 ? Number.NaN : parabola(x))
      expect([...measured(free(2), cut, [1, 2], { step: 0.5, central: true }).slopes]).toEqual([4.5, 1])
      const lost = (x: Float64Array): number => (x[0] === 1 ? parabola(x) : Number.NaN)
      expect([...measured(free(2), lost, [1, 2], { step: 0.5, central: true }).slopes]).toEqual([0, 1])
    })
  })
})

describe('a line search', () => {
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
      expect(search((t) => Math.abs(t), 1, { slope: -1, tiny: 0 })).toMatchObject({
        point: null,
        distance: 0,
        asked: 25,
      })
      expect(search((t) => Math.abs(t), 1, { slope: -1, tiny: 0.2 }).tried.length).toBeLessThan(5)
    })
  })
})
