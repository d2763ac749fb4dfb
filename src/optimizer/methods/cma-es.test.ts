import { describe, expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { randomUniform } from '../kernels/random.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { box } from '../parts/sets/boxes.ts'
import { simplex } from '../parts/sets/planes.ts'
import { cmaES, GenerationHistory, rankChange, repeatsOf } from './cma-es.ts'

const sphere = (x: ArrayLike<number>): number => sum(x, (v) => v * v)
const ellipsoid = (x: ArrayLike<number>): number => sum(x, (v, i) => 10 ** ((6 * i) / (x.length - 1)) * v * v)
const rosenbrock = (x: ArrayLike<number>): number =>
  sum(x, (v, i) => (i === 0 ? 0 : 100 * (v - (x[i - 1] as number) ** 2) ** 2 + (1 - (x[i - 1] as number)) ** 2))
const rastrigin = (x: ArrayLike<number>): number => sum(x, (v) => 10 + v * v - 10 * Math.cos(2 * Math.PI * v))

function sum(x: ArrayLike<number>, term: (value: number, i: number) => number): number {
  return Array.from(x).reduce((all, value, i) => all + term(value, i), 0)
}

function ones(dim: number, value = 1): number[] {
  return new Array(dim).fill(value)
}

describe('on one minimum', () => {
  test.each([
    ['sphere', sphere, ones(10), 2500],
    ['ellipsoid of condition 1e6', ellipsoid, ones(10), 8000],
    ['Rosenbrock function', rosenbrock, ones(10, 0), 9000],
  ] as const)('a full matrix finds the minimum of the %s to 1e-10', (_, f, start, maxQueries) => {
    for (const seed of [1, 2, 3]) {
      const { value, queries } = minimizeSync(f, start, { solver: cmaES(), maxQueries, seed, target: 1e-10 })
      expect(value).toBeLessThanOrEqual(1e-10)
      expect(queries).toBeLessThan(maxQueries)
    }
  })

  test('a diagonal learns the scales of 30 variables in a third of the queries of a full matrix', () => {
    const queries = (covariance: 'full' | 'separable'): number =>
      minimizeSync(ellipsoid, ones(30), { solver: cmaES({ covariance }), maxQueries: 40_000, target: 1e-6 }).queries
    expect(queries('separable')).toBeLessThan(queries('full') / 3)
  })

  test('limited memory brings 300 variables down to a thousandth in 25 queries each', () => {
    const { value } = minimizeSync(sphere, ones(300), { solver: cmaES(), maxQueries: 7500 })
    expect(value).toBeLessThan(0.3)
  })

  test('a step size that is a thousand times too small is made good', () => {
    const { value } = minimizeSync(sphere, ones(5), {
      solver: cmaES({ stepSize: 1e-3 }),
      maxQueries: 2000,
      target: 1e-8,
    })
    expect(value).toBeLessThanOrEqual(1e-8)
  })

  test('one variable is enough', () => {
    const { value } = minimizeSync(([x = 0]) => Math.abs(x - 0.3), [5], { solver: cmaES(), maxQueries: 1000 })
    expect(value).toBeLessThan(1e-9)
  })

  test('only the order of values counts: a monotone function of them is the same run', () => {
    const run = (f: (x: ArrayLike<number>) => number) =>
      minimizeSync(f, ones(4), { solver: cmaES({ noisy: false }), maxQueries: 300, seed: 3 }).point
    expect(run((x) => sphere(x) ** 3 - 5)).toEqual(run(sphere))
  })
})

describe('restarts', () => {
  test('find the lowest of many minima, where one run does not', () => {
    const value = (restarts: number, seed: number): number => {
      const solver = cmaES({ restarts, stepSize: 2 })
      return minimizeSync(rastrigin, ones(4, 2.5), { solver, maxQueries: 30_000, target: 1e-8, seed }).value
    }
    const seeds = [1, 2, 3, 4, 5]
    expect(seeds.filter((seed) => value(9, seed) <= 1e-8)).toEqual(seeds)
    expect(seeds.filter((seed) => value(0, seed) <= 1e-8).length).toBeLessThan(4)
  })

  test('there are none without a limit on queries', () => {
    const once = minimizeSync(sphere, ones(3), { solver: cmaES() })
    expect(once).toMatchObject({ stopReason: 'converged' })
    expect(once.queries).toBeLessThan(2000)
    expect(minimizeSync(sphere, ones(3), { solver: cmaES(), maxIterations: 10_000 }).queries).toBe(once.queries)
  })

  test('the population grows from one to the next', () => {
    const sizes = new Set<number>()
    const session = createSession(ones(2, 2.5), { solver: cmaES({ noisy: false }), maxQueries: 5000 })
    while (session.outcome === undefined) {
      const rows = points(session.ask())
      sizes.add(rows.length)
      session.tell(rows.map(rastrigin))
    }
    expect([...sizes]).toEqual([7, 6, 12, 24, 48, 1])
  })
})

describe('a box', () => {
  const bounds = { lower: [0, -2, 1], upper: [5, 3, Infinity] }

  test.each(['float64', 'float32'] as const)(
    'is kept by every query, and a minimum on its edge is found (%s)',
    (precision) => {
      const set = box(bounds)
      let outside = 0
      const shifted = (x: ArrayLike<number>): number => {
        if (!set.contains(Float64Array.from(x))) outside++
        return sum(x, (v) => (v + 1) ** 2)
      }
      const { point, value } = minimizeSync(shifted, [2, 2, 2], { solver: cmaES(), set, precision, maxQueries: 3000 })
      expect(outside).toBe(0)
      expect(value).toBeCloseTo(5, 6)
      expect(point[0]).toBeCloseTo(0, 6)
      expect(point[1]).toBeCloseTo(-1, 3)
      expect(point[2]).toBeCloseTo(1, 6)
    },
  )

  test('of widths that differ by 1e8 is as easy as a cube', () => {
    const set = box({ lower: [0, 0, 0], upper: [1e-4, 1, 1e4] })
    const f = (x: ArrayLike<number>): number => sum(x, (v, i) => (v / 10 ** (4 * i - 4) - 0.3) ** 2)
    const { value } = minimizeSync(f, [5e-5, 0.5, 5e3], { solver: cmaES(), set, maxQueries: 1000 })
    expect(value).toBeLessThan(1e-9)
  })

  test('without room leaves its point', () => {
    const set = box({ lower: [1, 0], upper: [1, 2] })
    const { point } = minimizeSync(sphere, [1, 1], { solver: cmaES(), set, maxQueries: 1000 })
    expect(point[0]).toBe(1)
    expect(point[1]).toBeCloseTo(0, 6)
  })
})

test('on a simplex the minimum is found by projection', () => {
  const f = (x: ArrayLike<number>): number => sum(x, (v, i) => (v - ([0.7, 0.5, -0.2, 0][i] ?? 0)) ** 2)
  const { point, value } = minimizeSync(f, ones(4, 0.25), { solver: cmaES(), set: simplex(), maxQueries: 4000 })
  expect(value).toBeCloseTo(0.06, 6)
  expect(Array.from(point, (each) => Math.round(each * 1000) / 1000)).toEqual([0.6, 0.4, 0, 0])
})

describe('bad answers', () => {
  test('a constant function ends the run with a warning', () => {
    const { stopReason, queries, warnings } = minimizeSync(() => 1, ones(5), { solver: cmaES(), maxQueries: 100_000 })
    expect(stopReason).toBe('converged')
    expect(queries).toBeLessThan(200)
    expect(warnings.join()).toMatch(/stepSize/)
  })

  test('a function that fails on half of the points is minimised on the other', () => {
    const f = (x: ArrayLike<number>): number => ((x[0] as number) < 0.5 ? Number.NaN : sphere(x))
    const { value } = minimizeSync(f, ones(4), { solver: cmaES(), maxQueries: 3000, failures: 'skip' })
    expect(value).toBeCloseTo(0.25, 6)
  })

  test('a function that always fails uses its budget and says so', () => {
    const { warnings } = minimizeSync(() => Number.NaN, ones(4), { solver: cmaES(), maxQueries: 100, failures: 'skip' })
    expect(warnings).toContain('every query failed')
  })
})

describe('noise', () => {
  const noisy = (level: number) => {
    let calls = 0
    return (x: ArrayLike<number>): number => {
      const at = { seed: 11, iteration: calls++, row: 0 }
      const uniform = [0, 1, 2, 3].reduce((all, i) => all + randomUniform(at, 'noise', i) - 0.5, 0)
      return sphere(x) + level * uniform
    }
  }

  test('is noticed at the start, and the run ends with its mean, not with the luckiest query', () => {
    const f = noisy(0.1)
    const { point, stopReason } = minimizeSync(f, ones(5), { solver: cmaES(), maxQueries: 5000 })
    expect(stopReason).toBe('max-queries')
    expect(sphere(point)).toBeLessThan(0.01)
  })

  test('populations grow where it hides the order', () => {
    const rows = (level: number): number => {
      const f = noisy(level)
      const session = createSession(ones(5, 0), { solver: cmaES({ restarts: 0 }), maxQueries: 20_000 })
      let most = 0
      while (session.outcome === undefined) {
        const asked = points(session.ask())
        most = Math.max(most, asked.length)
        session.tell(asked.map(f))
      }
      return most
    }
    expect(rows(1)).toBeGreaterThan(100)
    expect(rows(0)).toBe(10)
  })
})

describe('a run that is taken up', () => {
  const options = (more: Partial<SessionOptions>): SessionOptions => ({
    solver: cmaES(),
    maxQueries: 2500,
    seed: 5,
    ...more,
  })

  test.each(['float64', 'float32'] as const)('has the same bits across restarts (%s)', (precision) => {
    const whole = createSession(ones(3, 2.5), options({ precision }))
    let taken = createSession(ones(3, 2.5), options({ precision }))
    let iteration = 0
    while (whole.outcome === undefined && taken.outcome === undefined) {
      if (iteration++ % 7 === 0) {
        taken = createSession(ones(3, 2.5), options({ precision, resume: taken.checkpoint() }))
      }
      const rows = points(whole.ask())
      expect(points(taken.ask())).toEqual(rows)
      whole.tell(rows.map(rastrigin))
      taken.tell(rows.map(rastrigin))
    }
    expect(taken.outcome).toEqual(whole.outcome)
    expect(whole.checkpoint().memory.state['method.restarts']).toBeGreaterThan(1)
  })

  test('keeps (7 + 3 ln d) d numbers at most where d is large', () => {
    const session = createSession(ones(20_000), options({ solver: cmaES(), maxIterations: 1 }))
    const { vectors } = session.checkpoint().memory
    const numbers = Object.values(vectors).reduce((all, { length }) => all + length, 0)
    expect(numbers).toBeLessThan(38 * 20_000 + 20_000)
    expect(session.ask().rows).toBe(35)
  })
})

describe('generation history', () => {
  test('the range is that of the latest generations, infinite before there are that many', () => {
    const history = new GenerationHistory(5)
    const ranges = [9, 4, 6, 5, 5, 5, 7].map((value) => {
      history.add(value, value)
      return history.range(3)
    })
    expect(ranges).toEqual([Infinity, Infinity, 5, 2, 1, 0, 2])
  })

  test('falling values are no stagnation; values that go up and down are', () => {
    const [falling, wavy] = [new GenerationHistory(30), new GenerationHistory(30)]
    for (let i = 0; i < 100; i++) {
      falling.add(-i, -i)
      wavy.add(i % 2, i % 3)
      if (i < 29) expect(wavy.isStagnant(30)).toBe(false)
    }
    expect(falling.isStagnant(30)).toBe(false)
    expect(wavy.isStagnant(30)).toBe(true)
    wavy.reset()
    expect(wavy.isStagnant(30)).toBe(false)
  })
})

describe('repeated values', () => {
  const values = Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8])

  test('equal repetitions change no rank', () => {
    expect(rankChange(values, Float64Array.from([1, 2]))).toBe(0)
  })

  test('repetitions at the other end change many', () => {
    expect(rankChange(values, Float64Array.from([9, 9.5]))).toBeCloseTo(2.1, 12)
  })

  test('failed queries do not count', () => {
    expect(rankChange(values, Float64Array.from([Number.NaN, 2]))).toBe(0)
    expect(rankChange(values, Float64Array.from([Number.NaN, Number.NaN]))).toBe(0)
  })

  test('a few points of a generation are asked again', () => {
    expect([4, 12, 100].map(repeatsOf)).toEqual([2, 2, 7])
  })
})

describe('with several queries under way', () => {
  /** Answers one of those that are open, at random. */
  const answer = (session: Session, f: (x: ArrayLike<number>) => number, k: number): void => {
    const open = session.open()
    const one = Math.floor(open.length * randomUniform({ seed: 4, iteration: k, row: 0 }, 'samples', 0))
    const queries = open[one] ?? session.ask()
    session.tell(points(queries).map(f), queries)
  }

  test.each([
    ['full', sphere, 8, 4000],
    ['full', rosenbrock, 4, 12_000],
    ['separable', sphere, 8, 3000],
    ['limited', sphere, 8, 6000],
  ] as const)('the minimum is found with covariance %s', (covariance, f, concurrency, maxQueries) => {
    const set = box({ lower: -3, upper: 5 })
    const solver = cmaES({ covariance })
    const session = createSession(ones(6, -1), { solver, set, concurrency, maxQueries, target: 1e-6 })
    for (let k = 0; session.outcome === undefined; k++) {
      expect(session.open()).toHaveLength(concurrency)
      answer(session, f, k)
    }
    expect(session.outcome).toMatchObject({ stopReason: 'target' })
  })

  test('a run is resumed at any answer', () => {
    const options = { solver: cmaES(), concurrency: 5, maxQueries: 90 }
    const whole = createSession(ones(3), options)
    const saved: string[] = []
    for (let k = 0; whole.outcome === undefined; k++) {
      saved.push(encodeCheckpoint(whole.checkpoint()))
      answer(whole, rosenbrock, k)
    }
    for (let after = 1; after < saved.length; after += 7) {
      const resumed = createSession(ones(3), { ...options, resume: decodeCheckpoint(saved[after] as string) })
      for (let k = after; resumed.outcome === undefined; k++) answer(resumed, rosenbrock, k)
      expect(resumed.outcome).toEqual(whole.outcome)
    }
  })
})

test('in a box the first population is narrow enough for a few hundred queries to tell', () => {
  const rosenbrock = (x: Float64Array): number => {
    let sum = 0
    for (let i = 0; i + 1 < x.length; i++) {
      const [a, b] = [x[i] as number, x[i + 1] as number]
      sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)
    }
    return sum
  }
  const set = box({ lower: -5, upper: 10 })
  const values = [1, 2, 3, 4, 5, 6, 7].map(
    (seed) =>
      minimizeSync(rosenbrock, new Float64Array(10).fill(2.5), { solver: cmaES(), set, seed, maxQueries: 200 }).value,
  )
  // With 0.3 of the width the middle one is 2,200.
  expect(values.sort((a, b) => a - b)[3]).toBeLessThan(1000)
})
