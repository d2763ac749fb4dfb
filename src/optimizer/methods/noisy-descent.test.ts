import { describe, expect, test } from 'vitest'
import { simba } from '../../robustness/methods/simba.ts'
import { points } from '../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts'
import type { Outcome } from '../core/errors.ts'
import { parseOptions } from '../core/options.ts'
import { createSession, makeRunContext, type Session } from '../core/session.ts'
import { type SessionOptions, sessionOptions } from '../core/session-options.ts'
import type { Checkpoint } from '../core/types.ts'
import { normalTile } from '../kernels/normals.ts'
import { l2Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { denseCurvature } from './curvature.ts'
import { lowestOf, NoisyQuasiNewton, noisyDescent, throughProjection } from './noisy-descent.ts'
import { withinSet } from './points.ts'
import { type NoisyGround, noiseLevel } from './quadratic-regression.ts'
import { type Batch, onlyPoint, type Stage, type StagedMethod } from './staged/staged-search.ts'

type Function = (x: ArrayLike<number>) => number

/** A normal number that depends on nothing but its place in the run. */
const normal = (k: number): number => {
  const into = new Float32Array(8)
  normalTile({ seed: 99, iteration: k, row: 0 }, 0, 8, into)
  return into[0] as number
}

/** Coupled, badly scaled, with minimum 0 at 1, 1/2, 1/3, ... */
const valley: Function = (x) => {
  let sum = 0
  for (let i = 0; i < x.length; i++) {
    const own = (x[i] as number) - 1 / (i + 1)
    const last = i === 0 ? 0 : (x[i - 1] as number) - 1 / i
    sum += (1 + 10 * (i % 3)) * (own - 0.5 * last) * (own - 0.5 * last)
  }
  return sum
}
const additive =
  (f: Function, sigma: number) =>
  (x: ArrayLike<number>, k: number): number =>
    f(x) + sigma * normal(k)

function finish(
  session: Session,
  f: (x: ArrayLike<number>, k: number) => number,
  each?: (rows: number) => void,
): Outcome {
  while (session.outcome === undefined) {
    const { queries } = session.checkpoint()
    const rows = points(session.ask())
    session.tell(rows.map((x, row) => f(x, queries + row)))
    each?.(rows.length)
  }
  return session.outcome
}

const begin = (dim: number, options: Partial<SessionOptions>): Session =>
  createSession(new Float64Array(dim), { solver: noisyDescent(), seed: 5, ...options })

const start = (dim: number): number => valley(new Float64Array(dim))

describe('under constant noise of a thousandth of the way', () => {
  test.each([
    [1, 40],
    [2, 150],
    [5, 400],
    [10, 900],
  ])('ends within the noise of the minimum with %i variables and %i queries', (dim, maxQueries) => {
    const sigma = 1e-3 * start(dim)
    const outcome = finish(begin(dim, { maxQueries }), additive(valley, sigma))
    expect(outcome).toMatchObject({ status: 'finished', stopReason: 'max-queries', queries: maxQueries })
    expect(valley(outcome.point)).toBeLessThan(sigma)
  })

  test.each([
    [40, 4000],
    [250, 6000],
  ])('comes near with %i variables, too, where no regression is possible', (dim, maxQueries) => {
    const sigma = 1e-3 * start(dim)
    const outcome = finish(begin(dim, { maxQueries }), additive(valley, sigma))
    expect(valley(outcome.point)).toBeLessThan(0.05 * start(dim))
    expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
  })

  test('above 200 variables it remembers no more than 30 vectors of their number', () => {
    const dim = 1000
    const session = begin(dim, { maxQueries: 5000 })
    finish(session, additive(valley, 1e-3 * start(dim)))
    const { vectors } = session.checkpoint().memory
    expect(Object.values(vectors).reduce((sum, vector) => sum + vector.length, 0)).toBeLessThan(30 * dim)
  })
})

test('under noise in proportion to the value it gets far below the noise of the start', () => {
  const noisy = (x: ArrayLike<number>, k: number): number => valley(x) * (1 + 1e-3 * normal(k))
  const outcome = finish(begin(4, { maxQueries: 1000 }), noisy)
  expect(valley(outcome.point)).toBeLessThan(1e-6 * start(4))
})

test('ends with the value of the answer when it is asked again, not with the luckiest', () => {
  const sigma = 1e-3 * start(3)
  let least = Infinity
  const noisy = additive(valley, sigma)
  const outcome = finish(begin(3, { maxQueries: 300 }), (x, k) => {
    const value = noisy(x, k)
    least = Math.min(least, value)
    return value
  })
  expect(least).toBeLessThan(outcome.value)
  expect(outcome.value).toBe(outcome.last.value)
  expect(outcome.point).toEqual(outcome.last.point)
})

test('an exact function is minimised to rounding, and the run ends converged with the lowest value', () => {
  const outcome = finish(begin(5, { maxQueries: 5000 }), valley)
  expect(outcome).toMatchObject({ status: 'finished', stopReason: 'converged' })
  expect(outcome.value).toBeLessThan(1e-12)
  expect(outcome.value).toBe(valley(outcome.point))
})

test('a constant function ends the run', () => {
  expect(finish(begin(3, { maxQueries: 500 }), () => 4)).toMatchObject({ stopReason: 'converged', value: 4 })
})

test('noise alone spends the budget and no more', () => {
  for (const maxQueries of [1, 2, 3, 5, 6, 8, 17, 60, 301]) {
    let asked = 0
    const outcome = finish(
      begin(3, { maxQueries }),
      (_, k) => normal(k),
      (rows) => {
        asked += rows
      },
    )
    expect(asked).toBe(outcome.queries)
    expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
    expect(outcome.stopReason).toBe('max-queries')
  }
})

test('never leaves a box, and finds a minimum on its border', () => {
  const set = box({ lower: -1, upper: [0.5, 1, 1, 0.1] })
  const outside: number[][] = []
  const sigma = 1e-3 * start(4)
  const noisy = additive(valley, sigma)
  const session = begin(4, { maxQueries: 600, set })
  const outcome = finish(session, (x, k) => {
    if (!set.contains(Float64Array.from(x))) outside.push(Array.from(x))
    return noisy(x, k)
  })
  expect(outside).toEqual([])
  const exact = finish(begin(4, { maxQueries: 5000, set }), valley)
  expect(valley(outcome.point) - valley(exact.point)).toBeLessThan(2 * sigma)
})

test('half of the queries may fail', () => {
  const sigma = 1e-3 * start(3)
  const noisy = additive(valley, sigma)
  const outcome = finish(begin(3, { maxQueries: 800, failures: 'skip' }), (x, k) =>
    normal(k + 100_000) > 0 ? Number.NaN : noisy(x, k),
  )
  expect(valley(outcome.point)).toBeLessThan(5 * sigma)
  expect(outcome.failures.count).toBeGreaterThan(300)
})

describe.each([
  ['all models made anew', 3, 150, 1],
  ['models that take in answers', 9, 700, 5],
  ['no regression', 31, 600, 3],
])('with %s', (_, dim, maxQueries, every) => {
  test('goes on from a checkpoint with the same bits, through JSON', () => {
    const noisy = additive(valley, 1e-3 * start(dim))
    const whole = begin(dim, { maxQueries })
    const saved: Checkpoint[] = [whole.checkpoint()]
    const outcome = finish(whole, noisy, () => saved.push(whole.checkpoint()))
    expect(saved.length).toBeGreaterThan(10)
    saved.forEach((checkpoint, k) => {
      if (k % every !== 0) return
      const resume = decodeCheckpoint(encodeCheckpoint(checkpoint))
      expect(finish(begin(dim, { maxQueries, resume }), noisy)).toEqual(outcome)
    })
  })
})

test('the mean of the answers at the reported point is nearer to its value than one answer, as its error says', () => {
  const sigma = 0.1
  const runs = Array.from({ length: 12 }, (_, i) => {
    const shifted = (x: ArrayLike<number>, k: number): number => additive(valley, sigma)(x, k + 1000 * i)
    const outcome = finish(begin(3, { maxQueries: 400 }), shifted)
    const { mean = Number.NaN, error = Number.NaN, answers = 0 } = outcome.estimate ?? {}
    expect(answers).toBeGreaterThan(4)
    expect(error / (sigma / Math.sqrt(answers))).toBeGreaterThan(0.5)
    expect(error / (sigma / Math.sqrt(answers))).toBeLessThan(2)
    return {
      off: Math.abs(mean - valley(outcome.point)) / error,
      single: Math.abs(outcome.value - valley(outcome.point)) / error,
    }
  })
  // Within three errors nearly always, though some of the answers chose the point.
  expect(runs.filter(({ off }) => off < 3).length).toBeGreaterThanOrEqual(11)
  const median = (of: 'off' | 'single') => runs.map((each) => each[of]).sort((a, b) => a - b)[6] as number
  expect(median('off')).toBeLessThan(0.7 * median('single'))
  expect(finish(begin(3, { maxQueries: 400 }), additive(valley, 0)).estimate).toBeUndefined()
})

test('a run whose budget grows goes on', () => {
  const sigma = 1e-3 * start(5)
  const noisy = additive(valley, sigma)
  const first = begin(5, { maxQueries: 60 })
  const before = finish(first, noisy)
  const after = finish(begin(5, { maxQueries: 500, resume: first.checkpoint() }), noisy)
  expect(after.queries).toBe(500)
  expect(valley(after.point)).toBeLessThan(Math.min(sigma, valley(before.point)))
})

describe('noisy quasi newton', () => {
  /** 100 (x - 1)^2 + (y + 1)^2 from the origin, at a noise level of `sigma`. */
  const f = (x: ArrayLike<number>): number =>
    100 * ((x[0] as number) - 1) * ((x[0] as number) - 1) + ((x[1] as number) + 1) * ((x[1] as number) + 1)

  function groundOf(sigma: number, left = Infinity): NoisyGround {
    const at = { dim: 2, bounds: undefined, typical: Float64Array.of(1, 1), round: (x: number) => x, unit: 2 ** -53 }
    const noise = noiseLevel()
    noise.add([0, sigma * Math.SQRT2])
    const state = { value: 101, answers: 2 }
    return { at, noise, curvature: denseCurvature(at), center: new Float64Array(2), state, left: () => left }
  }

  /** Answers all batches; returns what came of them, and how many rows each had. */
  function answered<T>(work: Generator<Batch, T, Float64Array>): { result: T; rows: number[] } {
    const rows: number[] = []
    let next = work.next()
    while (next.done !== true) {
      const batch = next.value
      rows.push(batch.rows)
      const x = new Float64Array(2)
      next = work.next(
        Float64Array.from({ length: batch.rows }, (_, row) => {
          batch.write(row, x, 0)
          return f(x)
        }),
      )
    }
    return { result: next.value, rows }
  }

  test('all pairs of a gradient are one batch; intervals that show too little are tried again together', () => {
    const ground = groundOf(0.01)
    const newton = new NoisyQuasiNewton(ground)
    newton.begin()
    // Second differences at 0.05: 0.5 along x is 50 sigma; 0.005 along y is half of it, but the slope of 0.2 stands out.
    expect(answered(newton.gradient())).toEqual({ result: true, rows: [4] })
    expect(ground.curvature.along(0)).toBeCloseTo(200, 6)
    expect(ground.curvature.along(1)).toBeCloseTo(8, 6)
  })

  test('longer intervals are tried for the coordinates that need them alone', () => {
    const ground = groundOf(1)
    const newton = new NoisyQuasiNewton(ground)
    newton.begin()
    const { rows } = answered(newton.gradient())
    expect(rows).toEqual([4, 2, 2, 2])
  })

  test('takes the step of a quadratic, shortened to the size of the variables at first', () => {
    const ground = groundOf(1e-6)
    const newton = new NoisyQuasiNewton(ground)
    newton.begin()
    answered(newton.gradient())
    const { result, rows } = answered(newton.search())
    expect(result).toBe(true)
    expect(rows).toEqual([1])
    expect(ground.center[0]).toBeCloseTo(1, 3)
    expect(ground.center[1]).toBeCloseTo(-1, 3)
    expect(ground.state).toMatchObject({ answers: 1, value: f(ground.center) })
  })

  test('confirming averages the answers at the center', () => {
    const ground = groundOf(1)
    ground.state.value = 104
    answered(new NoisyQuasiNewton(ground).confirm())
    expect(ground.state).toEqual({ value: 103, answers: 3 })
  })

  test('asks no gradient that the queries left do not pay for', () => {
    const newton = new NoisyQuasiNewton(groundOf(1, 3))
    newton.begin()
    expect(answered(newton.gradient())).toEqual({ result: false, rows: [] })
  })

  test('ends at the second iteration that gains less than the noise', () => {
    const ground = groundOf(0.1)
    ground.center.set([1, -1])
    ground.state.value = 0
    const newton = new NoisyQuasiNewton(ground)
    newton.begin()
    const goesOn: boolean[] = []
    for (let k = 0; k < 2; k++) {
      answered(newton.gradient())
      goesOn.push(answered(newton.search()).result)
    }
    expect(goesOn).toEqual([true, false])
  })
})

describe('lowest of', () => {
  /** Answers with the first coordinate of a row; returns the choice and the rows of each batch. */
  function choose(
    points: number[],
    queries: number,
    answer = (x: number): number => x,
  ): { chosen?: number; rows: number[] } {
    const work = lowestOf(
      points.map((point) => Float64Array.of(point)),
      queries,
    )
    const rows: number[] = []
    let next = work.next()
    while (next.done !== true) {
      const batch = next.value
      rows.push(batch.rows)
      const x = new Float64Array(1)
      next = work.next(
        Float64Array.from({ length: batch.rows }, (_, row) => {
          batch.write(row, x, 0)
          return answer(x[0] as number)
        }),
      )
    }
    return next.value === null ? { rows } : { chosen: next.value.point[0] as number, rows }
  }

  test('asks all, then the better half, until two are left', () => {
    expect(choose([5, 3, 8, 1, 9, 2, 7, 4], 72)).toEqual({ chosen: 1, rows: [24, 24, 24] })
    expect(choose([5, 3, 8], 20)).toEqual({ chosen: 3, rows: [9, 10] })
  })

  test('never asks more than it may', () => {
    for (let queries = 0; queries < 60; queries++) {
      for (let count = 1; count < 9; count++) {
        const { rows } = choose(
          Array.from({ length: count }, (_, k) => k),
          queries,
        )
        expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(queries)
      }
    }
  })

  test('has no answer where nothing was asked or answered', () => {
    expect(choose([1, 2], 1)).toEqual({ rows: [] })
    expect(choose([], 10)).toEqual({ rows: [] })
    expect(choose([1, 2], 4, () => Number.NaN)).toEqual({ rows: [4] })
  })

  test('a point that failed loses against any that was answered', () => {
    expect(choose([1, 2], 4, (x) => (x === 1 ? Number.NaN : x)).chosen).toBe(2)
  })
})

describe('through projection', () => {
  test('a method asks about projections, keeps its own point, and shows that of the set', () => {
    const at = makeRunContext(
      [0, 0],
      parseOptions('session', sessionOptions, { solver: simba(), set: l2Ball({ radius: 1 }) }),
      () => undefined,
    )
    const own = Float64Array.of(3, 4)
    const told: number[] = []
    const method: StagedMethod = {
      point: own,
      memory: { vectors: { own } },
      noisy: true,
      stages: {
        *start(): Stage {
          told.push((yield onlyPoint(own))[0] as number)
          own[0] = 0
          return 'converged'
        },
      },
    }
    const inside = throughProjection(at, method, withinSet(at))
    const stage = inside.stages.start?.({ seed: 0, iteration: 0 })
    const into = new Float64Array(3)
    const first = stage?.next()
    if (first?.done !== false) throw new Error('nothing was asked')
    first.value.write(0, into, 1)
    expect(into[1]).toBeCloseTo(0.6, 12)
    expect(into[2]).toBeCloseTo(0.8, 12)
    expect(stage?.next(Float64Array.of(7))).toEqual({ done: true, value: 'converged' })
    expect(told).toEqual([7])
    expect([...own]).toEqual([0, 4])
    expect(inside.point[1]).toBeCloseTo(1, 12)
    expect(inside.memory).toBe(method.memory)
    expect(inside.noisy).toBe(true)
  })
})
