import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import { makeAnswers, points } from '../../optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../optimizer/core/checkpoint.ts'
import { resumeSearch, saveMemory } from '../../optimizer/core/part.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { Checkpoint, RunContext, Search, Solver } from '../../optimizer/core/types.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { blocks } from '../../optimizer/parts/bases/tiles.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { nearestBoundary, restartFromOrigin } from './nearest-boundary.ts'
import { simba } from './simba.ts'

describe('nearest-boundary', () => {
  /**
   * A model of an attack: fooled where a margin is at most 0, the loss 10 times the margin plus the squared length.
   * The margin is linear up to a small curvature, so that the nearest point beyond its boundary is known.
   */
  const normal = Float64Array.from({ length: 64 }, (_, i) => Math.cos(0.3 * i) / (1 + (i % 8)))
  const length = Math.sqrt(normal.reduce((sum, each) => sum + each * each, 0))
  const offset = 1.5
  const marginOf = (x: ArrayLike<number>): number => {
    let margin = offset
    for (let i = 0; i < x.length; i++) margin -= (normal[i] as number) * (x[i] as number)
    return margin
  }
  const squaresOf = (x: ArrayLike<number>): number => {
    let sum = 0
    for (let i = 0; i < x.length; i++) sum += (x[i] as number) * (x[i] as number)
    return sum
  }
  const shape = { channels: 1, height: 8, width: 8 }
  /** The squared distance of the boundary. */
  const nearest = (offset / length) * (offset / length)

  interface Course {
    readonly session: Session
    /** Queries when a center was fooled first. */
    readonly first: number
    readonly asked: number
  }

  function attack(
    options: Partial<SessionOptions> = {},
    told: (session: Session) => void = () => undefined,
    margin: (x: ArrayLike<number>) => number = marginOf,
  ): Course {
    const solver = nearestBoundary({ smoothing: 0.005, directions: 4, refinement: 16 })
    const session = createSession(new Float64Array(64), { solver, shape, seed: 3, maxQueries: 1500, ...options })
    let [asked, first] = [0, Infinity]
    while (session.outcome === undefined) {
      const rows = points(session.ask())
      const answers = makeAnswers(rows.length)
      rows.forEach((x, row) => {
        answers.values[row] = 10 * Math.max(0, margin(x)) + squaresOf(x)
      })
      answers.reached = margin(rows[0] as ArrayLike<number>) <= 0
      asked += rows.length
      if (answers.reached) first = Math.min(first, asked)
      session.tell(answers)
      told(session)
    }
    return { session, first, asked }
  }

  describe('where the objective says what it is for', () => {
    const course = attack()
    const { outcome } = course.session

    test('succeeds within a few dozen queries and ends within a percent of the nearest point beyond the boundary', () => {
      expect(course.first).toBeLessThan(80)
      expect(marginOf(outcome?.last.point as Float64Array)).toBeLessThanOrEqual(0)
      expect(outcome?.last.value).toBeGreaterThanOrEqual(nearest)
      expect(outcome?.last.value).toBeLessThan(1.01 * nearest)
    })

    test('ends at its best point, which was evaluated, and spends its queries', () => {
      expect(outcome?.point).toEqual(outcome?.last.point)
      expect(outcome?.value).toBe(outcome?.last.value)
      expect(outcome?.queries).toBe(course.asked)
      expect(course.asked).toBeLessThanOrEqual(1500)
      expect(course.asked).toBeGreaterThan(1495)
    })

    test('keeps to a box, and finds what is nearest in it', () => {
      const limits = box({ lower: -0.6, upper: 0.6 })
      const { session } = attack({ set: limits, maxQueries: 3000 })
      const last = session.outcome?.last.point as Float64Array
      expect(limits.contains(last)).toBe(true)
      expect(marginOf(last)).toBeLessThanOrEqual(0)
      expect(session.outcome?.last.value).toBeLessThan(1.2 * nearest)
    })

    test('goes on from a checkpoint of every iteration with the same bits, in both precisions', () => {
      for (const precision of ['float64', 'float32'] as const) {
        const saved: Checkpoint[] = []
        const whole = attack({ precision, maxQueries: 300 }, (session) => saved.push(session.checkpoint()))
        for (let i = 0; i < saved.length; i += 3) {
          const resume = decodeCheckpoint(encodeCheckpoint(saved[i] as Checkpoint))
          const { session } = attack({ precision, maxQueries: 300, resume })
          expect(session.outcome).toEqual(whole.session.outcome)
        }
      }
    })

    test('a start that succeeds already is the answer', () => {
      const { session } = attack({}, undefined, () => -1)
      expect(session.outcome).toMatchObject({ stopReason: 'converged', value: 0 })
      expect(session.outcome?.last.point.every((each) => each === 0)).toBe(true)
    })

    test('goes along a curved boundary to its nearest point', () => {
      // An ellipsoid around the start, two and a half times nearer along the first frequency than along all others.
      const flat = 0.125
      const ellipsoid = (x: ArrayLike<number>): number => {
        let mean = 0
        for (let i = 0; i < 64; i++) mean += flat * (x[i] as number)
        return 1 - Math.sqrt(squaresOf(x) + (1 / 0.16 - 1) * mean * mean)
      }
      const { session } = attack({ maxQueries: 3000 }, undefined, ellipsoid)
      expect(session.outcome?.last.value).toBeGreaterThanOrEqual(0.16)
      expect(session.outcome?.last.value).toBeLessThan(1.02 * 0.16)
    })
  })

  describe('with another method for the first success', () => {
    // 65 x 64 pixels are large: squares come first, of 5 % each way.
    const large = { channels: 1, height: 65, width: 64 }
    const dim = 65 * 64
    const slope = (i: number): number => (i % 64 < 32 ? 1 : -1)
    const mean = (x: ArrayLike<number>): number => {
      let sum = 0
      for (let i = 0; i < dim; i++) sum += slope(i) * (x[i] as number)
      return sum / dim
    }
    const fooled = (x: ArrayLike<number>): number => 0.004 - mean(x)

    function go(maxQueries: number, resume?: Checkpoint) {
      const saved: Checkpoint[] = []
      const options = { solver: nearestBoundary({ smoothing: 0.005 }), shape: large, maxQueries, seed: 1, resume }
      const session = createSession(new Float64Array(dim), options)
      const sizes: number[] = []
      while (session.outcome === undefined) {
        const rows = points(session.ask())
        sizes.push(rows.length)
        const answers = makeAnswers(rows.length)
        rows.forEach((x, row) => {
          answers.values[row] = 1000 * Math.max(0, fooled(x)) + squaresOf(x)
        })
        answers.reached = fooled(rows[0] as ArrayLike<number>) <= 0
        session.tell(answers)
        saved.push(session.checkpoint())
      }
      return { outcome: session.outcome, sizes, saved }
    }

    test('large images are fooled by squares, one point at a time, and the change is made small afterwards', () => {
      const { outcome, sizes } = go(600)
      expect(sizes.slice(0, 3)).toEqual([1, 1, 1])
      expect(sizes).toContain(41)
      // All pixels by 5 % is a squared length of 10.4; the nearest picture that fools is at 0.004^2 times 4160.
      expect(outcome.last.value).toBeLessThan(3 * 0.004 * 0.004 * dim)
      expect(fooled(outcome.last.point)).toBeLessThanOrEqual(0)
      // The last look takes what is left of the whole budget, not of what came after the squares.
      expect(outcome.queries).toBeGreaterThan(597)
      expect(outcome.queries).toBeLessThanOrEqual(600)
    })

    test('where no squares fool the model, pictures without what it looks at do, within 200 queries', () => {
      // It sees the class wherever the middle is brighter than the corner, by however little.
      const original = Float64Array.from({ length: dim }, (_, i) => (i === 2080 ? 1 : i === 0 ? 0 : 0.5))
      const attack = { pictures: { lower: original.map((each) => -each), upper: original.map((each) => 1 - each) } }
      const set = box({ lower: Array.from(attack.pictures.lower), upper: Array.from(attack.pictures.upper) })
      const session = createSession(new Float64Array(dim), {
        solver: nearestBoundary(),
        shape: large,
        maxQueries: 400,
        seed: 1,
        set,
        attack,
      })
      let [asked, first] = [0, Infinity]
      while (session.outcome === undefined) {
        const rows = points(session.ask())
        const margins = rows.map((x) => 1 + (x[2080] as number) - (x[0] as number))
        asked += rows.length
        const answers = makeAnswers(rows.length)
        rows.forEach((x, row) => {
          answers.values[row] = 10 * Math.max(0, margins[row] as number) + squaresOf(x)
        })
        answers.reached = (margins[0] as number) <= 0
        if (answers.reached) first = Math.min(first, asked)
        session.tell(answers)
      }
      expect(first).toBeGreaterThan(150)
      expect(first).toBeLessThan(200)
    })

    test('and checkpoints go on with the same bits in both phases', () => {
      const { outcome, saved } = go(200)
      for (let i = 0; i < saved.length; i += 7) expect(go(200, saved[i]).outcome).toEqual(outcome)
    })

    test('an objective without a goal is gone down at once', async () => {
      const f = (x: ArrayLike<number>) => squaresOf(Array.from(x, (each) => each - 1))
      const result = await minimize(f, new Float64Array(dim), {
        solver: nearestBoundary(),
        shape: large,
        maxQueries: 300,
      })
      expect(result.history[1]?.queries).toBeGreaterThan(2)
      expect(result.value).toBeLessThan(0.9 * dim)
    })
  })

  describe('where queries fail or lie', () => {
    test('a point that brings no value is never gone on from: a strip that always fails costs little', () => {
      const reachable = attack({ maxQueries: 1500 })
      const solver = nearestBoundary({ smoothing: 0.005, directions: 4, refinement: 16 })
      const options = { solver, shape, seed: 3, maxQueries: 1500, failures: 'skip' as const }
      const session = createSession(new Float64Array(64), options)
      while (session.outcome === undefined) {
        const rows = points(session.ask())
        const answers = makeAnswers(rows.length)
        rows.forEach((x, row) => {
          const margin = marginOf(x)
          const fails = margin > 0.02 && margin < 0.05
          answers.values[row] = fails ? Number.NaN : 10 * Math.max(0, margin) + squaresOf(x)
        })
        answers.reached = marginOf(rows[0] as ArrayLike<number>) <= 0
        session.tell(answers)
      }
      expect(session.outcome?.failures.count).toBeLessThan(400)
      expect(session.outcome?.last.value).toBeLessThan(1.3 * (reachable.session.outcome?.last.value as number))
    })

    test('one wild answer is forgotten when its vector comes round again, in float32, too', () => {
      for (const precision of ['float64', 'float32'] as const) {
        const options = { solver: nearestBoundary(), shape, seed: 1, maxQueries: 4000, precision }
        const session = createSession(new Float64Array(64), options)
        let asked = 0
        while (session.outcome === undefined) {
          const rows = points(session.ask())
          session.tell(
            rows.map((x) =>
              ++asked === 20 ? 1e6 : Array.from(x).reduce((sum, v, i) => sum + (v - Math.sin(i)) ** 2, 0),
            ),
          )
        }
        expect(session.outcome?.value).toBeLessThan(0.01)
      }
    })
  })

  describe('where the objective only has values', () => {
    test('goes down a quadratic of 50 variables by four orders of magnitude in 3,000 queries', async () => {
      const f = (x: ArrayLike<number>) =>
        Array.from(x).reduce((sum, each, i) => sum + (1 + (i % 5)) * (each - 1) * (each - 1), 0)
      const result = await minimize(f, new Float64Array(50), { solver: nearestBoundary(), maxQueries: 3000 })
      expect(result.value).toBeLessThan(1e-4 * f(new Float64Array(50)))
      expect(result.value).toBe(f(result.point))
    })

    test('finds the one slope there is among 2,000 flat variables, and its step has not shrunk by then', async () => {
      const f = (x: ArrayLike<number>) => Math.abs((x[1234] as number) - 30)
      const result = await minimize(f, new Float64Array(2000), { solver: nearestBoundary(), maxQueries: 4000 })
      expect(result.value).toBeLessThan(1)
    })

    test('probes reach further where they find nothing: a staircase is walked down', async () => {
      const stairs = (x: ArrayLike<number>) =>
        Array.from(x).reduce((sum, each) => sum + Math.abs(Math.floor(2 * each)), 0)
      const start = new Float64Array(10).fill(3.3)
      const result = await minimize(stairs, start, { solver: nearestBoundary(), maxQueries: 2000 })
      expect(result.value).toBeLessThan(0.5 * stairs(start))
    })

    test('a flat function moves nothing and ends with the budget', async () => {
      const result = await minimize(() => 7, [1, 2, 3], { solver: nearestBoundary(), maxQueries: 100 })
      expect(result).toMatchObject({ value: 7, stopReason: 'max-queries' })
      expect(Array.from(result.point)).toEqual([1, 2, 3])
    })
  })

  test('refuses a basis that changes', () => {
    const solver = nearestBoundary({ basis: blocks({ count: 2 }) })
    expect(() => createSession([1, 2, 3], { solver })).toThrow(
      'nearest-boundary.basis must have the same vectors in all iterations: slopes are remembered',
    )
  })

  test('on a large image it seeks a success within the limit as far from the start as that is, for most of the budget', () => {
    const side = 65
    const image = { channels: 1, height: side, width: side }
    const linf = 0.01
    const session = createSession(new Float64Array(side * side), {
      solver: nearestBoundary(),
      shape: image,
      attack: { linf },
      set: box({ lower: -linf, upper: linf }),
      maxQueries: 100,
    })
    const alone: boolean[] = []
    while (session.outcome === undefined) {
      const rows = points(session.ask())
      const answers = makeAnswers(rows.length)
      rows.forEach((_, row) => {
        answers.values[row] = 1 + row
      })
      answers.reached = false
      alone.push(rows.length === 1 && (alone.length === 0 || (rows[0] ?? []).every((each) => Math.abs(each) === linf)))
      session.tell(answers)
    }
    // One point at a time, all of them at the limit, until three quarters are spent.
    expect(alone.indexOf(false)).toBe(75)
  })
})

describe('restart from the origin', () => {
  /** A success at 5 is known; the origin is 0. */
  const at = (): RunContext => ({
    ...beginning(1),
    start: Float64Array.of(5),
    origin: Float64Array.of(0),
    budget: { maxQueries: 80 },
  })
  const down = simba({ step: 2 })
  const solver = restartFromOrigin({
    near: simba({ step: 1 }),
    between: simba({ step: 0.25 }),
    far: simba({ step: 0.5 }),
    reach: 4,
    down,
  })
  const slow = restartFromOrigin({
    near: simba({ step: 0.01 }),
    between: simba({ step: 1 }),
    far: simba({ step: 0.5 }),
    reach: 4,
    down,
  })

  /** Asks 20 times; the goal is reached from `boundary` on. Returns the points that were asked. */
  function go(search: Search, boundary: number, saved?: (search: Search) => void): number[] {
    const asked: number[] = []
    while (search.iteration < 20) {
      asked.push(search.point[0] as number)
      const answers = makeAnswers(1)
      answers.values[0] = Math.abs(boundary - (search.point[0] as number))
      answers.reached = (search.point[0] as number) >= boundary
      search.ask()
      search.tell(answers)
      saved?.(search)
    }
    return asked
  }

  test('begins at the origin, and stays on that way once it has succeeded', () => {
    const asked = go(solver.start(at()), 2)
    expect(asked[0]).toBe(0)
    expect(asked).not.toContain(5)
  })

  test('goes back from the success that was known where nothing led to another one', () => {
    const asked = go(solver.start(at()), 100)
    // 4 of 80 queries that came too little nearer, 8 in between.
    expect(asked.slice(4, 13)).toEqual([0, ...asked.slice(5, 12), 5])
  })

  test('goes back from a nearer success where squares in between have found one', () => {
    const asked = go(slow.start(at()), 2)
    const found = asked.findIndex((each) => each >= 2)
    expect(asked.slice(0, 5)).toEqual([0, ...asked.slice(1, 4), 0])
    expect(found).toBeLessThan(10)
    expect(asked[found + 1]).toBe(asked[found])
    expect(asked).not.toContain(5)
  })

  test('goes down from the start where that does not succeed, either', () => {
    const asked = go(solver.start(at()), 100)
    expect(asked.slice(12, 14)).toEqual([5, 5])
    expect(Math.abs((asked[14] as number) - 5)).toBe(2)
  })

  test('goes down from the start at once where the objective does not say what succeeds', () => {
    const search = solver.start(at())
    const answers = makeAnswers(1)
    answers.values[0] = 1
    search.ask()
    search.tell(answers)
    expect(search.point[0]).toBe(5)
  })

  test('goes back at once from a success that is near enough', () => {
    const near = { near: simba({ step: 0.01 }), between: simba({ step: 1 }), far: simba({ step: 0.5 }), reach: 5, down }
    expect(go(restartFromOrigin(near).start(at()), 2)[4]).toBe(5)
  })

  test.each([
    [solver, 2],
    [solver, 100],
    [slow, 2],
  ])('continues from what was saved after every iteration', (solver: Solver, boundary: number) => {
    const memories: ReturnType<typeof saveMemory>[] = []
    const whole = go(solver.start(at()), boundary, (search) => memories.push(saveMemory(search.memory)))
    memories.slice(0, -1).forEach((saved, i) => {
      const search = resumeSearch(solver, at(), saved)
      search.iteration = i + 1
      expect(go(search, boundary)).toEqual(whole.slice(i + 1))
    })
  })
})
