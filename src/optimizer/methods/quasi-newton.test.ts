import { describe, expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts'
import { createSession, type Session } from '../core/session.ts'
import type { Checkpoint, ConvexSet, Solver } from '../core/types.ts'
import type { Result } from '../minimize/minimize.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { l1Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { halfspace, simplex } from '../parts/sets/planes.ts'
import { auto } from './auto-part.ts'
import { noisyDescent } from './noisy-descent.ts'
import { quasiNewton } from './quasi-newton.ts'

/** Straight lines from 1 off the minimum at 100 on: no curvature is seen from 0. */
const huber = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, each) => {
    const off = Math.abs(each - 100)
    return sum + (off < 1 ? (off * off) / 2 : off - 0.5)
  }, 0)

/** A run from 0, and the largest magnitude among the coordinates that it asked about. */
function run(solver: Solver, dim: number, set?: ConvexSet): { result: Result; farthest: number } {
  let farthest = 0
  const f = (x: Float64Array): number => {
    for (const each of x) farthest = Math.max(farthest, Math.abs(each))
    return huber(x)
  }
  const result = minimizeSync(f, new Float64Array(dim), { solver, set, maxQueries: 3000 })
  return { result, farthest }
}

describe('where no curvature is seen', () => {
  test.each([
    ['dense', quasiNewton({ matrix: 'dense' }), 2],
    ['dense', quasiNewton({ matrix: 'dense' }), 12],
    ['limited', quasiNewton({ matrix: 'limited' }), 2],
    ['limited', quasiNewton({ matrix: 'limited' }), 12],
    ['noisy', noisyDescent(), 2],
    ['noisy', noisyDescent(), 12],
  ])('%s steps stay within sight, and the minimum is found (%#)', (_, solver, dim) => {
    const { result, farthest } = run(solver, dim)
    expect(result.value).toBeLessThan(1e-9)
    expect(farthest).toBeLessThan(1e5)
  })

  test('so do steps in a set that is no box', () => {
    const { result, farthest } = run(quasiNewton(), 2, halfspace({ normal: [-1, -1], offset: 300 }))
    expect(result.value).toBeLessThan(1e-9)
    expect(farthest).toBeLessThan(1e5)
  })
})

test.each([['limited', 300]] as const)(
  'curvatures that differ by factors of up to 25 are looked at one by one: %s',
  (matrix, dim) => {
    const f = (x: Float64Array): number =>
      x.reduce((sum, each, i) => sum + (1 + (i % 5)) * (1 + (i % 5)) * (each - 1) * (each - 1), 0)
    const { value } = minimizeSync(f, new Float64Array(dim), { solver: quasiNewton({ matrix }), maxQueries: 3 * dim })
    expect(value / f(new Float64Array(dim))).toBeLessThan(1e-7)
  },
)

const rosenbrock = (x: Float64Array): number => {
  let sum = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const [a, b] = [x[i] as number, x[i + 1] as number]
    sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)
  }
  return sum
}
const start = (dim: number): Float64Array => Float64Array.from({ length: dim }, (_, i) => (i % 2 === 0 ? -1.2 : 1))

/** Queries until the run has asked a point at or below this value. */
function queriesTo(target: number, dim: number, options: Parameters<typeof quasiNewton>[0]): number {
  const { value, queries } = minimizeSync(rosenbrock, start(dim), {
    solver: quasiNewton(options),
    target,
    maxQueries: 60_000,
  })
  expect(value).toBeLessThanOrEqual(target)
  return queries
}

describe('Rosenbrock to 1e-12', () => {
  test.each([
    [2, 'dense', 140],
    [10, 'dense', 850],
    [50, 'dense', 12_500],
    [2, 'limited', 170],
    [10, 'limited', 1300],
    [50, 'limited', 20_000],
  ] as const)('in %i variables with a %s matrix takes at most %i queries', (dim, matrix, most) => {
    expect(queriesTo(1e-12, dim, { matrix })).toBeLessThanOrEqual(most)
  })
})

describe('constraints', () => {
  test.each(['dense', 'limited'] as const)('of a box hold, and its minimum is found (%s)', (matrix) => {
    const set = box({ lower: -2, upper: [0.5, 2] })
    const f = (x: Float64Array): number => {
      expect(set.contains(x)).toBe(true)
      return rosenbrock(x)
    }
    const { point, value } = minimizeSync(f, [-1.2, 1], { solver: quasiNewton({ matrix }), set, maxQueries: 500 })
    expect(point[0]).toBe(0.5)
    expect(point[1]).toBeCloseTo(0.25, 8)
    expect(value).toBeCloseTo(0.25, 12)
  })

  test('of a simplex: the nearest point to (0.9, 0.5, -1) is (0.7, 0.3, 0)', () => {
    const set = simplex({ sum: 1 })
    const goal = [0.9, 0.5, -1]
    const f = (x: Float64Array): number => {
      expect(set.contains(x)).toBe(true)
      return x.reduce((sum, each, i) => sum + (each - (goal[i] as number)) ** 2, 0)
    }
    const { point } = minimizeSync(f, [1 / 3, 1 / 3, 1 / 3], { solver: quasiNewton(), set, maxQueries: 400 })
    for (const [i, expected] of [0.7, 0.3, 0].entries())
      expect(Math.abs((point[i] as number) - expected)).toBeLessThan(1e-6)
  })

  test('of an l1 ball: the nearest point to (2, -1, 0.1) is (1, 0, 0)', () => {
    const set = l1Ball({ radius: 1 })
    const goal = [2, -1, 0.1]
    const f = (x: Float64Array): number => {
      expect(set.contains(x)).toBe(true)
      return x.reduce((sum, each, i) => sum + (each - (goal[i] as number)) ** 2, 0)
    }
    const { point } = minimizeSync(f, [0, 0, 0], { solver: quasiNewton(), set, maxQueries: 400 })
    for (const [i, expected] of [1, 0, 0].entries())
      expect(Math.abs((point[i] as number) - expected)).toBeLessThan(1e-6)
  })
})

test('float32 points get to where float32 can', () => {
  const options = { solver: quasiNewton(), precision: 'float32' as const, maxQueries: 1000 }
  expect(minimizeSync(rosenbrock, start(2), options).value).toBeLessThan(1e-8)
})

test('scale is the metric: a problem in other units takes the same way', () => {
  const sizes = [1e-6, 1e6]
  const scaled = (x: Float64Array): number => rosenbrock(x.map((each, i) => each / (sizes[i] as number)))
  for (const matrix of ['dense', 'limited'] as const) {
    const from = [-1.2e-6, 1e6]
    const solver = quasiNewton({ matrix, scale: sizes })
    expect(minimizeSync(scaled, from, { solver, maxQueries: 2000 }).value).toBeLessThan(1e-12)
  }
})

test('a run that is extended keeps the matrix that it began with', () => {
  const solver = quasiNewton()
  const advance = (session: Session): Checkpoint => {
    while (session.outcome === undefined) session.tell(points(session.ask()).map((x) => rosenbrock(x as Float64Array)))
    return decodeCheckpoint(encodeCheckpoint(session.checkpoint()))
  }
  const resume = advance(createSession(start(30), { solver, maxQueries: 300 }))
  const longer = createSession(start(30), { solver, maxQueries: 3000, resume })
  expect(advance(longer).queries).toBeGreaterThan(2900)
  expect(longer.best.value).toBeLessThan(resume.best.value)
})

test('the memory of the limited matrix is (2 pairs + 6) d numbers, and the answers of the stage at work', () => {
  const dim = 100_000
  const options = { solver: quasiNewton({ matrix: 'limited', pairs: 3 }), maxQueries: 1_000_000 }
  const session = createSession(new Float64Array(dim), options)
  session.ask()
  session.tell([5])
  session.tell(new Float64Array(session.ask().rows).fill(5))
  const lengths = Object.values(session.checkpoint().memory.vectors).map(({ length }) => length)
  expect(lengths.reduce((sum, each) => sum + each, 0)).toBe((2 * 3 + 6) * dim)
})

describe('where slopes say nothing', () => {
  const camel = ([a = 0, b = 0]: Float64Array): number =>
    (4 - 2.1 * a * a + (a * a * a * a) / 3) * a * a + a * b + (-4 + 4 * b * b) * b * b

  test.each<[string, (x: Float64Array) => number, number[], number]>([
    ['a maximum between two minima', ([x = 0]) => (x * x - 1) * (x * x - 1), [0], 0],
    ['a maximum of a wave', ([x = 0]) => Math.cos(x), [0], -1],
    ['a saddle', camel, [0, 0], -1.0316284534898774],
    ['a saddle that a run comes to', ([x = 0, y = 0]) => (x - 1) * (x - 1) + (y * y - 1) * (y * y - 1), [3, 0], 0],
  ])('%s is left for a minimum', (_, f, from, lowest) => {
    for (const matrix of ['dense', 'limited'] as const) {
      const { value, stopReason } = minimizeSync(f, from, { solver: quasiNewton({ matrix }) })
      expect(stopReason).toBe('converged')
      expect(value).toBeCloseTo(lowest, 12)
    }
  })

  test('a maximum that bounds make a minimum is one', () => {
    const arch = ([x = 0]: Float64Array): number => 1 - x * x
    const { value, queries } = minimizeSync(arch, [0.5], {
      solver: quasiNewton(),
      set: box({ lower: 0.25, upper: 1 }),
    })
    expect(value).toBe(0)
    expect(queries).toBeLessThan(20)
  })
})

test('a minimum in a corner of a box is one: nothing is rough about it', () => {
  const slope = ([x = 0, y = 0]: Float64Array): number => 3 * x + 2 * y
  const set = box({ lower: 0, upper: 1 })
  const { value, queries, phases } = minimizeSync(slope, [0.5, 0.5], { solver: auto(), set })
  expect(value).toBe(0)
  expect(queries).toBeLessThan(25)
  expect(phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton'])
})
