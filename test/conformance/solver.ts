import { describe, expect, test } from 'vitest'
import { points } from '../../src/optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../src/optimizer/core/checkpoint.ts'
import type { Outcome } from '../../src/optimizer/core/errors.ts'
import { createSession, type Session } from '../../src/optimizer/core/session.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type { AttackFacts, Checkpoint, ConvexSet, Precision, Solver } from '../../src/optimizer/core/types.ts'
import { l2Ball } from '../../src/optimizer/parts/sets/balls.ts'
import { box } from '../../src/optimizer/parts/sets/boxes.ts'

const start = [1, -1, 0.8, -0.9, 0.7]

/** A convex quadratic of unit scale with minimum 0 at `minimizer`. */
export const minimizer = [0.2, -0.1, 0.1, 0.3, -0.2]
const quadratic = (x: ArrayLike<number>): number =>
  minimizer.reduce((sum, each, i) => sum + (0.5 + 0.25 * (i % 3)) * ((x[i] as number) - each) ** 2, 0)

/** What may be different about a solver. */
export interface SolverTraits {
  /** Why its run on the quadratic ends. */
  readonly ends?: 'max-queries' | 'converged'
  /** False for a method without random numbers. */
  readonly isRandom?: boolean
  /** True for a method whose iterations differ in their queries, and which reckons in float64 whatever the points are. */
  readonly isStaged?: boolean
  /** True for a method that searches between two bounds for every variable, and refuses all other sets. */
  readonly needsBounds?: boolean
  /** What a method for attacks must be told to get anywhere. */
  readonly attack?: AttackFacts
}

/** What every solver must do with its default rates. */
export function solverConforms(
  make: () => Solver,
  { ends = 'max-queries', isRandom = true, isStaged = false, needsBounds = false, attack }: SolverTraits = {},
): void {
  const usual = needsBounds ? { set: box({ lower: -2, upper: 1.5 }) } : {}
  const begin = (options: Partial<SessionOptions>): Session =>
    createSession(start, { solver: make(), seed: 7, attack, ...usual, ...options })

  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    test('descends on a convex quadratic within the default budget', () => {
      for (const seed of [1, 2]) {
        const outcome = finish(begin({ precision, seed }))
        expect(outcome).toMatchObject({ status: 'finished', stopReason: ends })
        expect(outcome.last.value).toBeLessThan(0.5 * quadratic(start))
        expect(outcome.value).toBeLessThanOrEqual(outcome.last.value)
        expect(outcome.value).toBe(quadratic(outcome.point))
      }
    })

    test(`is deterministic, and another seed is ${isRandom ? 'another' : 'the same'} run`, () => {
      const first = finish(begin({ precision, maxIterations: 15 }))
      expect(finish(begin({ precision, maxIterations: 15 }))).toEqual(first)
      const other = finish(begin({ precision, maxIterations: 15, seed: 8 }))
      if (isRandom) expect(other.history).not.toEqual(first.history)
      else expect(other).toEqual({ ...first, seed: 8 })
    })

    test('goes on from a checkpoint of every iteration with the same bits, through JSON, too', () => {
      const iterations = 12
      const whole = begin({ precision, maxIterations: iterations })
      const saved: Checkpoint[] = [whole.checkpoint()]
      const outcome = finish(whole, () => saved.push(whole.checkpoint()))
      expect(saved.length).toBeGreaterThan(iterations)
      for (const checkpoint of saved) {
        const resumed = begin({ precision, maxIterations: iterations, resume: checkpoint })
        expect(finish(resumed)).toEqual(outcome)
        const read = begin({
          precision,
          maxIterations: iterations,
          resume: decodeCheckpoint(encodeCheckpoint(checkpoint)),
        })
        expect(finish(read)).toEqual(outcome)
      }
    })

    test('keeps its state in that precision', () => {
      const session = begin({ precision, maxIterations: 3 })
      finish(session)
      for (const [name, vector] of Object.entries(session.checkpoint().memory.vectors)) {
        if (isStaged && name !== 'point') continue
        expect(vector instanceof (precision === 'float32' ? Float32Array : Float64Array)).toBe(true)
      }
    })

    test('asks about points of that precision', () => {
      let others = 0
      finish(begin({ precision, maxQueries: 1000 }), (rows) => {
        if (precision === 'float32')
          others += rows.filter((row) => row.some((each) => each !== Math.fround(each))).length
      })
      expect(others).toBe(0)
    })

    const sets: [string, ConvexSet][] = [
      ['a box', box({ lower: -0.3, upper: [0.1, 0.4, 0.4, 0.2, 0.4] })],
      ['an l2 ball', l2Ball({ radius: 0.3 })],
    ]

    test.each(sets.slice(0, needsBounds ? 1 : 2))('keeps to %s', (_, set) => {
      const session = begin({ precision, set, maxQueries: 3000 })
      const outside: number[] = []
      const outcome = finish(session, (rows) => {
        const { memory, iteration } = session.checkpoint()
        if (!set.contains(memory.vectors.point as Float64Array)) outside.push(iteration)
        if (isStaged && !rows.every((row) => set.contains(row))) outside.push(iteration)
      })
      expect(outside).toEqual([])
      expect(outcome.value).toBeLessThan(outcome.history[0]?.value as number)
      expect(outcome.warnings).toEqual(['the start was outside the set and has been projected onto it'])
    })
  })

  test.each<Precision>(['float64', 'float32'])(
    'asks nothing outside a box in %s, from one corner to another',
    (precision) => {
      const set = box({ lower: [-0.3, -0.3, 0, -0.1, 0.2], upper: [0.1, 0.4, 0.4, 0.2, 0.2003] })
      const corner = (x: ArrayLike<number>): number =>
        Array.from(x).reduce((sum, each) => sum + (each - 1) * (each - 1), 0)
      for (const from of [-9, 9]) {
        const session = createSession(
          start.map(() => from),
          { solver: make(), set, precision, maxQueries: 600 },
        )
        let outside = 0
        while (session.outcome === undefined) {
          const rows = points(session.ask())
          outside += rows.filter((row) => !set.contains(row)).length
          session.tell(rows.map(corner))
        }
        expect(outside).toBe(0)
      }
    },
  )

  test('spends what it is given and not one query more', () => {
    const perIteration = begin({ maxIterations: 1 }).ask().rows
    for (const maxQueries of [
      1,
      2,
      perIteration,
      perIteration + 1,
      perIteration + 2,
      3 * perIteration,
      3 * perIteration + 1,
    ]) {
      let asked = 0
      const outcome = finish(begin({ maxQueries }), ({ length }) => {
        asked += length
      })
      const iterations = Math.floor((maxQueries - 1) / perIteration)
      const whole = isStaged ? {} : { iterations, queries: iterations * perIteration + 1 }
      expect(outcome).toMatchObject({ stopReason: 'max-queries', ...whole })
      expect(asked).toBe(outcome.queries)
      expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
    }
  })

  if (needsBounds) {
    test('refuses sets without bounds, and says which it needs', () => {
      for (const set of [undefined, l2Ball({ radius: 0.3 }), box({ lower: 0, upper: Infinity })]) {
        expect(() => createSession(start, { solver: make(), set })).toThrow(
          /needs two finite bounds for every variable/,
        )
      }
    })
  }

  test('asking only reads', () => {
    const session = begin({ maxIterations: 3 })
    const before = session.checkpoint()
    expect(points(session.ask())).toEqual(points(session.ask()))
    expect(session.checkpoint()).toEqual(before)
  })

  test('an iteration that brings nothing moves nothing', () => {
    const session = begin({ maxIterations: 1, failures: 'skip' })
    const outcome = finish(
      session,
      () => undefined,
      () => Number.NaN,
    )
    expect(outcome).toMatchObject({ status: 'finished', iterations: 1, skippedIterations: 1 })
    expect(Array.from(outcome.last.point)).toEqual(start)
    expect(outcome.value).toBeNaN()
  })
}

function finish(
  session: Session,
  told: (rows: readonly Float64Array[]) => unknown = () => undefined,
  f = quadratic,
): Outcome {
  while (session.outcome === undefined) {
    const rows = points(session.ask())
    session.tell(rows.map(f))
    told(rows)
  }
  return session.outcome
}
