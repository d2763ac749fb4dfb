import { describe, expect, test } from 'vitest'
import { makeAnswers, points } from '../../optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../optimizer/core/checkpoint.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { Checkpoint } from '../../optimizer/core/types.ts'
import { patience, pointTowards } from './boundary-search.ts'
import { nearestBoundary } from './nearest-boundary.ts'

describe('boundary-search', () => {
  /**
   * A model with three classes, of which an image has the first. The second one is close behind at the start, but comes up so
   * slowly that its boundary is 2 away; the third one is further behind, and its boundary is 1 away.
   */
  const waves = [2, 5].map((wave) =>
    Float64Array.from({ length: 64 }, (_, i) => Math.cos(wave * (i + 0.5) * (Math.PI / 64))),
  )
  const along = (x: ArrayLike<number>, wave: Float64Array): number =>
    wave.reduce((sum, each, i) => sum + each * (x[i] as number), 0) / Math.sqrt(32)
  const marginsOf = (x: ArrayLike<number>): number[] => [
    1 - 0.5 * along(x, waves[0] as Float64Array),
    3 - 3 * along(x, waves[1] as Float64Array),
  ]
  const squaresOf = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)

  interface Course {
    readonly session: Session
    readonly asked: number
  }

  /** Attacks the model, which tells the classes apart or does not. */
  function attack(
    competitors: number | undefined,
    options: Partial<SessionOptions> = {},
    told?: (session: Session) => void,
  ): Course {
    const solver = nearestBoundary({ smoothing: 0.005, directions: 4, refinement: 16 })
    const given = {
      solver,
      seed: 3,
      maxQueries: 1500,
      attack: { competingClasses: competitors, addsSquares: true },
      ...options,
    }
    const session = createSession(new Float64Array(64), given)
    let asked = 0
    while (session.outcome === undefined) {
      const queries = session.ask()
      const rows = points(queries)
      const answers = makeAnswers(rows.length)
      const notes = [Number.NaN, Number.NaN]
      rows.forEach((x, row) => {
        const margins = marginsOf(x)
        answers.values[row] = 10 * Math.max(0, Math.min(...margins)) + squaresOf(x)
        notes.push(Infinity, ...margins.map((margin) => 10 * margin + squaresOf(x)))
      })
      answers.reached = Math.min(...marginsOf(rows[0] as ArrayLike<number>)) < 0
      if (queries.detailed === true) answers.notes = Float64Array.from(notes)
      asked += rows.length
      session.tell(answers)
      told?.(session)
    }
    return { session, asked }
  }

  describe('where the class that is reached first is not the nearest', () => {
    test('a search that sees no classes ends at the boundary of that class', () => {
      const { outcome } = attack(undefined).session
      expect(outcome?.last.value).toBeGreaterThan(4)
      expect(outcome?.last.value).toBeLessThan(4.05)
    })

    test('one that does ends at the boundary of the nearest, with a point that was evaluated and within its queries', () => {
      const { session, asked } = attack(3)
      expect(session.outcome?.last.value).toBeGreaterThan(1)
      expect(session.outcome?.last.value).toBeLessThan(1.01)
      expect(session.outcome?.point).toEqual(session.outcome?.last.point)
      expect(session.outcome?.queries).toBe(asked)
      expect(asked).toBeLessThanOrEqual(1500)
      expect(asked).toBeGreaterThan(1480)
    })

    test('goes on from a checkpoint of every iteration with the same bits, in both precisions', () => {
      for (const precision of ['float64', 'float32'] as const) {
        const saved: Checkpoint[] = []
        const whole = attack(3, { precision, maxQueries: 900 }, (session) => saved.push(session.checkpoint()))
        expect(whole.session.outcome?.last.value).toBeLessThan(1.1)
        for (let i = 0; i < saved.length; i += 5) {
          const resume = decodeCheckpoint(encodeCheckpoint(saved[i] as Checkpoint))
          const { session } = attack(3, { precision, maxQueries: 900, resume })
          expect(session.outcome).toEqual(whole.session.outcome)
        }
      }
    })
  })
})

describe('starting points', () => {
  const at = (...numbers: number[]) => Float64Array.from(numbers)

  test('goes as far on the way to a starting point as the radius allows, and no further than the starting point', () => {
    const into = at(0, 0)
    expect(pointTowards(at(3, 0), at(0, 0), at(0, 0), 2, into)).toBe(true)
    expect(Array.from(into)).toEqual([2, 0])
    expect(pointTowards(at(0, 5), at(3, 0), at(0, 0), 4, into)).toBe(true)
    expect(Math.hypot(...into)).toBeCloseTo(4, 12)
    expect(pointTowards(at(1, 0), at(0, 0), at(0, 0), 2, into)).toBe(true)
    expect(Array.from(into)).toEqual([1, 0])
  })

  test('there is no way where it begins beyond the radius', () => {
    expect(pointTowards(at(3, 0), at(2, 0), at(0, 0), 2, at(0, 0))).toBe(false)
  })

  test('a given class is given up on earlier', () => {
    expect(patience({ targeted: true })).toBeLessThan(patience({}))
  })

  /** Success beyond a ridge that slopes lead away from: in a ball around (3, 3, ...), which the values do not point to. */
  const dim = 8
  const center = Float64Array.from({ length: dim }, () => 3)
  const isFooled = (x: ArrayLike<number>): boolean =>
    center.reduce((sum, c, i) => sum + ((x[i] as number) - c) ** 2, 0) < 50
  const valueAt = (x: ArrayLike<number>): number => {
    const squares = Array.from(x).reduce((sum, each) => sum + each * each, 0)
    const margin = isFooled(x) ? 0 : 5 + Math.min(1, Math.abs((x[0] as number) + 1))
    return margin + squares
  }

  function attack(options: Partial<SessionOptions> = {}, told: (session: Session) => void = () => undefined) {
    const startingPoints = [at(...Array.from({ length: dim }, () => -9)), center]
    const given = {
      solver: nearestBoundary(),
      maxQueries: 400,
      seed: 2,
      attack: { targeted: true, startingPoints: startingPoints },
    }
    const session = createSession(new Float64Array(dim), { ...given, ...options })
    let first = Number.POSITIVE_INFINITY
    let asked = 0
    while (session.outcome === undefined) {
      const rows = points(session.ask())
      const answers = makeAnswers(rows.length)
      rows.forEach((x, row) => {
        answers.values[row] = valueAt(x)
      })
      answers.reached = isFooled(rows[0] as ArrayLike<number>)
      asked += rows.length
      if (answers.reached) first = Math.min(first, asked)
      session.tell(answers)
      told(session)
    }
    return { outcome: session.outcome, first, asked }
  }

  test('where slopes lead nowhere, a starting point that succeeds is walked back from, past one that does not', () => {
    const { outcome, first, asked } = attack()
    // A tenth of the budget for the slopes, then the two starting points.
    expect(first).toBeGreaterThan(40)
    expect(first).toBeLessThan(60)
    expect(isFooled(outcome.last.point)).toBe(true)
    // From 72 at the starting point; the ball begins at the square of sqrt(72) - sqrt(50), 2.
    expect(outcome.last.value).toBeLessThan(4)
    expect(asked).toBeLessThanOrEqual(400)
  })

  test('without starting points there is no success to be had', () => {
    expect(attack({ attack: { targeted: true } }).first).toBe(Number.POSITIVE_INFINITY)
  })

  test('goes on from a checkpoint of every iteration with the same bits, in both precisions', () => {
    for (const precision of ['float64', 'float32'] as const) {
      const saved: Checkpoint[] = []
      const whole = attack({ precision, maxQueries: 200 }, (session) => saved.push(session.checkpoint()))
      for (const each of saved) {
        const resume = decodeCheckpoint(encodeCheckpoint(each))
        expect(attack({ precision, maxQueries: 200, resume }).outcome).toEqual(whole.outcome)
      }
    }
  })
})
