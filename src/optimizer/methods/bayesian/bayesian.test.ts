import { describe, expect, test } from 'vitest'
import { points } from '../../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../core/checkpoint.ts'
import type { Outcome } from '../../core/errors.ts'
import { savedPart } from '../../core/part.ts'
import { createSession, type Session } from '../../core/session.ts'
import type { SessionOptions } from '../../core/session-options.ts'
import type { Checkpoint } from '../../core/types.ts'
import type { Variables } from '../../core/variable-types.ts'
import { makeVariables } from '../../core/variables.ts'
import { randomUniform } from '../../kernels/random.ts'
import { box } from '../../parts/sets/boxes.ts'
import { bayesian } from './bayesian.ts'

type Objective = (x: Float64Array, query: number) => number

/** All that was asked and answered, and how the run ended. */
interface Run {
  readonly asked: readonly Float64Array[]
  readonly values: readonly number[]
  readonly outcome: Outcome
}

function follow(session: Session, f: Objective, after: () => void = () => undefined): Run {
  const asked: Float64Array[] = []
  const values: number[] = []
  while (session.outcome === undefined) {
    const rows = points(session.ask()).map((row) => Float64Array.from(row))
    const answers = rows.map((row, i) => f(row, asked.length + i))
    asked.push(...rows)
    values.push(...answers)
    session.tell(answers)
    after()
  }
  return { asked, values, outcome: session.outcome }
}

function search(f: Objective, start: readonly number[], options: Partial<SessionOptions>): Run {
  return follow(createSession(start, { solver: bayesian(), seed: 1, ...options }), f)
}

function named(variables: Variables, f: Objective, options: Partial<SessionOptions>): Run {
  const session = createSession(undefined, {
    solver: bayesian(),
    seed: 1,
    variables: makeVariables(variables),
    ...options,
  })
  return follow(session, f)
}

const square = box({ lower: -5, upper: 5 })

/** Ill-conditioned and turned, minimum 0 at (1, 2, 3, ...) / 4. */
const ellipsoid: Objective = (x) => {
  let [all, before] = [0, 0]
  x.forEach((each, i) => {
    const gap = each - (i + 1) / 4
    all += (1 + 20 * i) * (gap + 0.5 * before) * (gap + 0.5 * before)
    before = gap
  })
  return all
}

const rosenbrock: Objective = ([a = 0, b = 0]) => 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)

/** Three minima of about the same value, the lowest of which is .397887. */
const branin: Objective = ([u = 0, v = 0]) => {
  const [x, y] = [7.5 * (1 + u / 5) - 5, 7.5 * (1 + v / 5)]
  const bend = y - (5.1 * x * x) / (4 * Math.PI * Math.PI) + (5 * x) / Math.PI - 6
  return bend * bend + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10
}

describe('on smooth functions it comes as near as this, with so many queries', () => {
  test.each<[string, Objective, number[], number, number]>([
    ['an ellipsoid in 3 variables', ellipsoid, [-4, 4, -4], 40, 1e-3],
    ['an ellipsoid in 5 variables', ellipsoid, [-4, 4, -4, 4, 0], 90, 1e-6],
    ['a bent valley', rosenbrock, [-4, 3], 120, 1e-8],
    ['Branin', branin, [4, 4], 40, 0.3979],
  ])('%s', (_, f, start, maxQueries, below) => {
    for (const seed of [1, 2, 3]) {
      const { outcome } = search(f, start, { set: square, maxQueries, seed })
      expect(outcome.value).toBeLessThan(below)
      expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
    }
  })
})

test('it looks around: a wide basin away from the start is found beside a deep one at it', () => {
  const two: Objective = ([a = 0, b = 0]) => {
    const near = (a + 3) * (a + 3) + (b + 3) * (b + 3)
    const far = (a - 3) * (a - 3) + (b - 2) * (b - 2)
    return Math.min(near, 0.5 * far - 2)
  }
  for (const seed of [1, 2, 3]) {
    expect(search(two, [-3, -3], { set: square, maxQueries: 40, seed }).outcome.value).toBeLessThan(-1.99)
  }
})

test('it ends where nothing more is to be gained, and says so', () => {
  const { outcome } = search(ellipsoid, [-4, 4], { set: square, maxQueries: 400 })
  expect(outcome).toMatchObject({ status: 'finished', stopReason: 'converged' })
  expect(outcome.queries).toBeLessThan(150)
  expect(outcome.value).toBeLessThan(1e-9)
  const sooner = search(ellipsoid, [-4, 4], { set: square, maxQueries: 400, solver: bayesian({ tolerance: 0.01 }) })
  expect(sooner.outcome.queries).toBeLessThan(outcome.queries)
})

test('a rugged function is not given up at a local minimum while queries are left', () => {
  const waves: Objective = (x) =>
    x.reduce((all, each) => all + (each - 1.3) * (each - 1.3) + 10 - 10 * Math.cos(2 * Math.PI * (each - 1.3)), 0)
  for (const seed of [1, 3]) {
    const { outcome } = search(waves, [-3, -3], { set: square, maxQueries: 160, seed })
    expect(outcome).toMatchObject({ stopReason: 'max-queries', queries: 160 })
  }
})

test('the design is the start, the middle, and one point in each stratum of every variable', () => {
  const session = createSession([4, 4, 4], { solver: bayesian(), set: square, maxQueries: 30, seed: 4 })
  const [start, middle, ...others] = points(session.ask())
  expect(Array.from(start as Float64Array)).toEqual([4, 4, 4])
  expect(Array.from(middle as Float64Array)).toEqual([0, 0, 0])
  expect(others.length).toBe(4)
  for (const i of [0, 1, 2]) {
    const strata = others.map((row) => Math.floor((6 * ((row[i] as number) + 5)) / 10))
    expect(new Set(strata).size).toBe(4)
  }
})

test('whole numbers, choices and conditions: the best combination is found, and none is asked twice', () => {
  const variables: Variables = {
    layers: { from: 1, to: 8, step: 1 },
    mode: { choices: ['slow', 'fast', 'best'] },
    rate: { from: 1e-4, to: 1, scale: 'log', when: { mode: ['fast', 'best'] } },
    depth: { from: 1, to: 64, step: 1, scale: 'log', when: { mode: 'best' } },
  }
  const f: Objective = ([layers = 0, mode = 0, rate = 0, depth = 0]) => {
    const base = 0.2 * (layers - 6) * (layers - 6) + ([2, 1, 0.5][mode] as number)
    if (mode === 0) return base
    const off = Math.log10(rate) + 2
    return base + 0.3 * off * off + (mode === 2 ? 0.1 * Math.abs(Math.log2(depth / 20)) : 0)
  }
  for (const seed of [1, 2, 3]) {
    const { asked, values, outcome } = named(variables, f, { maxQueries: 70, seed })
    expect(outcome.value).toBeLessThan(0.53)
    expect(outcome.point[0]).toBe(6)
    expect(outcome.point[1]).toBe(2)
    // The last query evaluates the best point again, and one more may tell whether answers vary.
    const texts = asked.map((row) => Array.from(row).join())
    expect(new Set(texts).size).toBeGreaterThanOrEqual(texts.length - 2)
    expect(values.every(Number.isFinite)).toBe(true)
  }
})

test('a space of few points is asked through, and the run ends', () => {
  const variables: Variables = { a: { from: 1, to: 5, step: 1 }, b: { choices: [false, true] }, c: { choices: [7, 8] } }
  const { asked, outcome } = named(variables, ([a = 0, b = 0, c = 0]) => ((a * 7 + b * 3 + c * 5) % 11) + 0.1 * a, {
    maxQueries: 300,
    solver: bayesian({ tolerance: 0 }),
  })
  expect(outcome.stopReason).toBe('converged')
  expect(new Set(asked.map((row) => Array.from(row).join())).size).toBe(20)
  expect(asked.length).toBeLessThan(24)
})

describe('where answers vary', () => {
  const noise = (query: number): number => randomUniform({ seed: 77, iteration: 1, row: query }, 'noise', 0) - 0.5
  const noisy: Objective = (x, query) => ellipsoid(x, 0) / 10 + noise(query)

  test('it notices, and ends near the minimum at a point that it believes in, not at the luckiest answer', () => {
    const ends = [1, 2, 3].map((seed) => search(noisy, [-4, 4, -4], { set: square, maxQueries: 80, seed }))
    for (const { asked, values, outcome } of ends) {
      const lowest = values.slice(0, -1).reduce((a, b) => Math.min(a, b))
      expect(outcome.value).toBeGreaterThan(lowest)
      expect(asked.some((row) => Array.from(row).join() === Array.from(outcome.point).join())).toBe(true)
    }
    const errors = ends.map(({ outcome }) => ellipsoid(outcome.point as Float64Array, 0) / 10)
    expect(Math.max(...errors)).toBeLessThan(0.35)
  })
})

describe('where queries fail', () => {
  // The minimum lies next to the part where nothing is answered.
  const failing: Objective = ([a = 0, b = 0]) => (a + b > 1 ? Number.NaN : (a - 1) * (a - 1) + (b - 0.5) * (b - 0.5))

  test('it keeps to where they are answered, and finds the minimum on the edge', () => {
    for (const seed of [1, 2, 3]) {
      const { values, outcome } = search(failing, [-3, -2], { set: square, maxQueries: 60, seed, failures: 'skip' })
      expect(outcome.value).toBeLessThan(0.14)
      expect(values.filter(Number.isNaN).length).toBeLessThan(35)
    }
  })

  test('it goes on from a start that fails', () => {
    const { outcome } = search(failing, [4, 4], { set: square, maxQueries: 60, failures: 'skip' })
    expect(outcome.value).toBeLessThan(0.3)
  })
})

test('it takes any budget, and asks not one query more', () => {
  for (const maxQueries of [1, 2, 3, 5, 8, 9, 10, 23, 37]) {
    const { asked, outcome } = search(ellipsoid, [-4, 4, 1], { set: square, maxQueries })
    expect(asked.length).toBe(maxQueries)
    expect(outcome.queries).toBe(maxQueries)
  }
})

test('coordinates that cannot move stay where they are', () => {
  const set = box({ lower: [-5, 2, -5], upper: [5, 2, 5] })
  const { asked, outcome } = search(ellipsoid, [-4, 2, 4], { set, maxQueries: 50 })
  expect(asked.every((row) => row[1] === 2)).toBe(true)
  expect(outcome.value).toBeLessThan(ellipsoid(Float64Array.of(-0.5, 2, 0.2), 0) + 20)
})

describe('a run goes on to the same bits from a checkpoint of every iteration', () => {
  const cases: [string, Objective, Partial<SessionOptions>][] = [
    ['smooth', rosenbrock, {}],
    ['rugged', ([a = 0, b = 0]) => a * a + b * b - 5 * Math.cos(4 * a) - 5 * Math.cos(4 * b), {}],
    ['noisy', (x, query) => rosenbrock(x, 0) + randomUniform({ seed: 1, iteration: 1, row: query }, 'noise', 0), {}],
    ['failing', (x) => ((x[0] as number) > 0.8 ? Number.NaN : rosenbrock(x, 0)), { failures: 'skip' }],
    ['float32', rosenbrock, { precision: 'float32' }],
  ]

  test.each(cases)('%s', (_, f, options) => {
    const begin = (resume?: Checkpoint): Session =>
      createSession([-3, 4], { solver: bayesian(), seed: 5, set: square, maxQueries: 60, ...options, resume })
    const whole = begin()
    const saved: Checkpoint[] = [whole.checkpoint()]
    const { asked, outcome } = follow(whole, f, () => saved.push(whole.checkpoint()))
    expect(saved.length).toBeGreaterThan(20)
    for (const [i, checkpoint] of saved.entries()) {
      const before = checkpoint.queries
      const resumed = begin(decodeCheckpoint(encodeCheckpoint(checkpoint)))
      expect(resumed.checkpoint()).toEqual(checkpoint)
      // Three iterations further each of these runs must be where another one began; some go on to the end.
      const isWhole = i % 16 === 5
      for (let k = 0; resumed.outcome === undefined && (k < 3 || isWhole); k++) {
        const from = resumed.checkpoint().queries
        const rows = points(resumed.ask()).map((row) => Float64Array.from(row))
        expect(rows).toEqual(asked.slice(from, from + rows.length))
        resumed.tell(rows.map((row, j) => f(row, from + j)))
      }
      expect(resumed.checkpoint().queries).toBeGreaterThan(before - 1)
      if (isWhole) expect(resumed.outcome).toEqual(outcome)
    }
  })
})

test('asking only reads, at every iteration', () => {
  const session = createSession([-3, 4], { solver: bayesian(), seed: 2, set: square, maxQueries: 50 })
  while (session.outcome === undefined) {
    const before = session.checkpoint()
    const rows = points(session.ask())
    expect(session.checkpoint()).toEqual(before)
    session.tell(rows.map((row) => rosenbrock(Float64Array.from(row), 0)))
  }
})

test('a checkpoint is small: the points and what was learned from them', () => {
  const session = createSession(new Float64Array(10), { solver: bayesian(), seed: 2, set: square, maxQueries: 100 })
  follow(session, ellipsoid)
  const { vectors } = savedPart(session.checkpoint().memory, 'method')
  const numbers = Object.values(vectors).reduce((all, { length }) => all + length, 0)
  expect(numbers).toBeLessThan(100 * 11 + 10 * 10 + 300)
})

describe('with several queries under way', () => {
  /** Answers one of those that are open, at random; of a run with one worker, the only one. */
  const shuffled = (session: Session, f: Objective): Run => {
    const asked: Float64Array[] = []
    const values: number[] = []
    for (let k = 0; session.outcome === undefined; k++) {
      const open = session.open()
      const one = Math.floor(open.length * randomUniform({ seed: 9, iteration: k, row: 0 }, 'samples', 0))
      const queries = open[one] ?? session.ask()
      const rows = points(queries).map((row) => Float64Array.from(row))
      const answers = rows.map((row) => f(row, k))
      asked.push(...rows)
      values.push(...answers)
      session.tell(answers, queries)
    }
    return { asked, values, outcome: session.outcome }
  }

  test.each<[string, Objective, number[], number, number]>([
    ['an ellipsoid in 5 variables', ellipsoid, [-4, 4, -4, 4, 0], 150, 1e-4],
    ['Branin', branin, [4, 4], 60, 0.4],
  ])('it finds the minimum of %s', (_, f, start, maxQueries, below) => {
    for (const seed of [1, 2]) {
      const options = { solver: bayesian(), set: square, seed, maxQueries, concurrency: 8 }
      const { outcome } = shuffled(createSession(start, options), f)
      expect(outcome.value).toBeLessThan(below)
      expect(outcome.queries).toBe(maxQueries)
    }
  })

  test('no setting is asked twice but to see whether answers vary, and all of a small space are asked', () => {
    const variables = makeVariables({
      threads: { from: 1, to: 6, step: 1 },
      mode: { choices: ['a', 'b', 'c'] },
      depth: { from: 1, to: 4, step: 1, when: { mode: 'c' } },
    })
    const cost: Objective = ([threads = 0, mode = 0, depth = 0]) =>
      (threads - 4) * (threads - 4) + mode + (mode === 2 ? depth : 0)
    const session = createSession(undefined, { solver: bayesian(), variables, maxQueries: 200, concurrency: 8 })
    const { asked, outcome } = shuffled(session, cost)
    const places = new Set(asked.map(([threads, mode, depth]) => [threads, mode, mode === 2 ? depth : 0].join(' ')))
    expect(places.size).toBe(6 * (2 + 4))
    expect(asked.length).toBeLessThanOrEqual(36 + 3)
    expect(outcome).toMatchObject({ stopReason: 'converged', value: 0 })
  })

  test('one worker goes the way of a run without, to the bit', () => {
    const options = { solver: bayesian(), set: square, seed: 3, maxQueries: 60 }
    const alone = search(rosenbrock, [-4, 3], options)
    const one = shuffled(createSession([-4, 3], { ...options, concurrency: 1 }), rosenbrock)
    expect(one).toEqual(alone)
  })

  test('failed queries are taken in, whichever they are', () => {
    const half: Objective = (x) => ((x[0] as number) > 1 ? Number.NaN : ellipsoid(x, 0))
    const options = { solver: bayesian(), set: square, failures: 'skip' as const, maxQueries: 80, concurrency: 6 }
    const { outcome, values } = shuffled(createSession([-4, 4, 0], options), half)
    expect(outcome.value).toBeLessThan(0.01)
    expect(outcome.failures.count).toBe(values.filter(Number.isNaN).length)
  })
})
