import { describe, expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import type { Outcome } from '../core/errors.ts'
import { createSession } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Checkpoint } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'
import { box } from '../parts/sets/boxes.ts'
import { simplex } from '../parts/sets/planes.ts'
import { blockDescent, blockDescentSolver } from './block-descent.ts'
import { zoAdaMM } from './presets.ts'

type Func = (x: ArrayLike<number>) => number

const list = (length: number, entry: (i: number) => number): Float64Array =>
  Float64Array.from({ length }, (_, i) => entry(i))

const minimum = (i: number): number => randomUniform({ seed: 9, iteration: 0, row: 0 }, 'data', i) * 2 - 1

/** An ellipsoid with half-axes from 1 to 1/100 in random order; the start 0 has the relative value 1. */
function ellipsoid(dim: number): Func {
  const weight = list(dim, (i) => 10 ** (4 * randomUniform({ seed: 8, iteration: 0, row: 0 }, 'data', i)))
  const f: Func = (x) =>
    weight.reduce((sum, w, i) => sum + w * ((x[i] as number) - minimum(i)) * ((x[i] as number) - minimum(i)), 0)
  const scale = f(new Float64Array(dim))
  return (x) => f(x) / scale
}

const rosenbrock: Func = (x) => {
  let sum = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const [a, b] = [x[i] as number, x[i + 1] as number]
    sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)
  }
  return sum
}

/** Noise of deviation 1 from a count of its own. */
function noise(deviation: number): () => number {
  let count = 0
  return () => {
    let sum = -6
    for (let k = 0; k < 12; k++) sum += randomUniform({ seed: 77, iteration: count, row: k }, 'noise', 0)
    count++
    return deviation * sum
  }
}

function run(f: Func, start: ArrayLike<number>, options: Partial<SessionOptions> = {}): Outcome & { rows: number } {
  const session = createSession(start, { solver: blockDescent(), seed: 3, ...options })
  let rows = 0
  while (session.outcome === undefined) {
    const asked = points(session.ask())
    rows += asked.length
    session.tell(asked.map(f))
  }
  return { ...session.outcome, rows }
}

describe('with few queries', () => {
  const dim = 400
  const [even, uneven] = [rosenbrock, ellipsoid(dim)]
  const hard = list(dim, (i) => (i % 2 === 0 ? -1.2 : 1))

  test.each([
    [0.5, 0.45],
    [1, 0.22],
    [2, 0.1],
  ])('%f per variable take the ellipsoid below %f of where it began', (share, most) => {
    const { value, queries } = run(uneven, new Float64Array(dim), { maxQueries: share * dim })
    expect(value).toBeLessThan(most)
    expect(queries).toBeLessThanOrEqual(share * dim)
    expect(queries).toBeGreaterThan(0.9 * share * dim)
  })

  test.each([
    [1, 0.3],
    [2, 0.05],
    [4, 0.01],
  ])('%i per variable take the Rosenbrock function below %f of where it began', (share, most) => {
    expect(run(even, hard, { maxQueries: share * dim }).value / even(hard)).toBeLessThan(most)
  })

  test('it is below what zo-adamm reaches with any of its rates', () => {
    const maxQueries = dim
    const own = run(even, hard, { maxQueries }).value
    for (const value of [0.001, 0.01, 0.1, 1]) {
      const solver = zoAdaMM({ learningRate: { value, decay: 'none' } })
      expect(own).toBeLessThan(0.7 * run(even, hard, { maxQueries, solver }).value)
    }
  })

  test('4 per variable buy a scale for each, and with it the minimum of an ellipsoid', () => {
    expect(run(uneven, new Float64Array(dim), { maxQueries: 4 * dim }).value).toBeLessThan(1e-8)
  })
})

test('one variable is enough', () => {
  const { point, stopReason } = run((x) => ((x[0] as number) - 3) * ((x[0] as number) - 3) + 1, [0])
  expect(stopReason).toBe('converged')
  expect(point[0]).toBeCloseTo(3, 6)
})

test('a constant function ends the run, once a sweep with better differences has shown nothing either', () => {
  const { stopReason, queries, value } = run(() => 7, new Float64Array(30), { maxQueries: 1000 })
  expect({ stopReason, value }).toEqual({ stopReason: 'converged', value: 7 })
  // The start twice, 10 pairs, a sweep of single points and one of pairs, and the last point.
  expect(queries).toBe(2 + 20 + 30 + 60 + 1)
})

test('a linear function in a box ends in its corner, and every point asked is in the box', () => {
  const dim = 40
  const [lower, upper] = [list(dim, (i) => -1 - (i % 3)), list(dim, (i) => (i % 4) / 2)]
  const set = box({ lower, upper })
  let outside = 0
  const f: Func = (x) => {
    if (!set.contains(Float64Array.from(x))) outside++
    return lower.reduce((sum, _, i) => sum + (i % 2 === 0 ? 1 : -1) * (x[i] as number), 0)
  }
  const { value } = run(f, new Float64Array(dim), { set, maxQueries: 2000 })
  const corner = list(dim, (i) => (i % 2 === 0 ? (lower[i] as number) : (upper[i] as number)))
  expect(value).toBeCloseTo(f(corner), 6)
  expect(outside).toBe(0)
})

test('on a simplex every point asked is in it, and the value comes close to the lowest', () => {
  const dim = 30
  const set = simplex()
  const target = list(dim, (i) => (i < 3 ? 1 / 3 : 0))
  let outside = 0
  const f: Func = (x) => {
    if (!set.contains(Float64Array.from(x))) outside++
    return target.reduce((sum, each, i) => sum + ((x[i] as number) - each) * ((x[i] as number) - each), 0)
  }
  const start = new Float64Array(dim).fill(1 / dim)
  expect(run(f, start, { set, maxQueries: 1500 }).value).toBeLessThan(0.05 * f(start))
  expect(outside).toBe(0)
})

test('points in float32 are as good as float32 allows', () => {
  const dim = 100
  const start = new Float64Array(dim)
  const f = ellipsoid(dim)
  const { value } = run(f, start, { precision: 'float32', maxQueries: 200 })
  expect(value).toBeLessThan(1.1 * run(f, start, { maxQueries: 200 }).value)
})

test('queries that fail are left out', () => {
  const dim = 60
  const f = ellipsoid(dim)
  let count = 0
  const some: Func = (x) => (count++ % 5 === 4 ? Number.NaN : f(x))
  const { value, failures } = run(some, new Float64Array(dim), { maxQueries: 240, failures: 'skip' })
  expect(failures.count).toBe(48)
  expect(value).toBeLessThan(0.5)
})

describe('under noise', () => {
  const dim = 300
  const start = list(dim, (i) => (i % 2 === 0 ? -1.2 : 1))
  const scale = rosenbrock(start)

  test.each([
    [1e-4, 0.15],
    [1e-3, 0.25],
    [1e-2, 0.7],
  ])('of %f of the first value, 4 queries per variable lead below %f of it', (deviation, most) => {
    const disturb = noise(deviation)
    const { point, queries } = run((x) => rosenbrock(x) / scale + disturb(), start, { maxQueries: 4 * dim })
    expect(queries).toBeLessThanOrEqual(4 * dim)
    expect(rosenbrock(point) / scale).toBeLessThan(most)
  })

  test('nothing but noise is no reason to go anywhere far', () => {
    const disturb = noise(1)
    const { point } = run(() => disturb(), new Float64Array(dim), { maxQueries: 4 * dim })
    expect(Math.max(...point.map(Math.abs))).toBeLessThan(1)
  })

  test('a known deviation is not found out again', () => {
    const disturb = noise(1e-3)
    const solver = blockDescentSolver({ deviation: 1e-3 })
    const { point } = run((x) => rosenbrock(x) / scale + disturb(), start, { maxQueries: 4 * dim, solver })
    expect(rosenbrock(point) / scale).toBeLessThan(0.25)
  })
})

test.each([
  ['exact', 0, 2],
  ['uneven and exact', 0, 5],
  ['noisy', 1e-3, 3],
])('a run that is %s goes on from each checkpoint with the same bits', (_, deviation, share) => {
  const dim = 40
  const f = ellipsoid(dim)
  // Noise that depends on the query alone, so that both runs meet the same.
  const g: Func = (x) => f(x) + deviation * (minimum(Math.floor(1e9 * Math.abs(f(x))) % 1_000_003) + (asked++ % 2))
  let asked = 0
  const options = { maxQueries: share * dim }
  const saved: [Checkpoint, number][] = []
  const session = createSession(new Float64Array(dim), { solver: blockDescent(), seed: 3, ...options })
  while (session.outcome === undefined) {
    saved.push([session.checkpoint(), asked])
    session.tell(points(session.ask()).map(g))
  }
  expect(saved.length).toBeGreaterThan(10)
  for (const [checkpoint, before] of saved) {
    asked = before
    const { rows: _rows, ...outcome } = run(g, new Float64Array(dim), { ...options, resume: checkpoint })
    expect(outcome).toEqual(session.outcome)
  }
})

test('many variables take a handful of vectors', () => {
  const dim = 100_000
  const session = createSession(new Float64Array(dim), { solver: blockDescent(), seed: 3, maxQueries: 1300 })
  const row = new Float64Array(dim)
  let last = 0
  while (session.outcome === undefined) {
    const queries = session.ask()
    last = Math.max(last, queries.rows)
    const values = Array.from({ length: queries.rows }, (_, r) => {
      if (r > 3) return 1 - 1e-9 * r
      queries.write(r, row)
      return row.reduce((sum, each) => sum + (each - 1) * (each - 1), 0) / dim
    })
    session.tell(values)
  }
  expect(last).toBe(65)
  const kept = Object.values(session.checkpoint().memory.vectors).reduce((sum, each) => sum + each.length, 0)
  expect(kept).toBeLessThanOrEqual(3 * dim + 100)
})
