import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../optimizer/core/checkpoint.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { AttackFacts, Bounds } from '../../optimizer/core/types.ts'
import { boxAndL2Ball } from '../../optimizer/parts/sets/balls.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { coverPatch, labelOnly, startingPictures } from './decision.ts'

describe('label-only', () => {
  /** A straight boundary in 8 x 8 pixels, beyond which points succeed: all that is told is on which side a point lies. */
  const normal = Float64Array.from({ length: 64 }, (_, i) => Math.cos(0.3 * i) / (1 + (i % 8)))
  const length = Math.sqrt(normal.reduce((sum, each) => sum + each * each, 0))
  const offset = 0.6
  const nearest = offset / length
  const isBeyond = (x: ArrayLike<number>): boolean =>
    normal.reduce((sum, each, i) => sum + each * (x[i] as number), 0) > offset
  const lengthOf = (x: ArrayLike<number>): number =>
    Math.sqrt(Array.from(x).reduce((sum, each) => sum + each * each, 0))
  const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs))
  const shape = { channels: 1, height: 8, width: 8 }
  const pictures: Bounds = { lower: new Float64Array(64).fill(-0.5), upper: new Float64Array(64).fill(0.5) }

  interface Course {
    readonly session: Session
    /** The points that counted and succeeded, with the queries until then. */
    readonly successes: readonly { readonly point: Float64Array; readonly queries: number }[]
    readonly outside: number
  }

  function attack(
    facts: AttackFacts = {},
    options: Partial<SessionOptions> = {},
    told?: (at: Session) => void,
  ): Course {
    const session = createSession(new Float64Array(64), {
      solver: labelOnly(),
      shape,
      seed: 3,
      maxQueries: 1000,
      set: box({ lower: -0.5, upper: 0.5 }),
      attack: { labelsOnly: true, pictures, ...facts },
      ...options,
    })
    const successes: { point: Float64Array; queries: number }[] = []
    let [queries, outside] = [0, 0]
    while (session.outcome === undefined) {
      const asked = session.ask()
      const rows = points(asked)
      queries += rows.length
      outside += rows.filter((row) => largest(row) > 0.5).length
      const [first] = rows
      if (asked.centers > 0 && first !== undefined && isBeyond(first))
        successes.push({ point: Float64Array.from(first), queries })
      session.tell(rows.map((row) => (isBeyond(row) ? -1 / (1 + lengthOf(row) ** 2) : 1)))
      told?.(session)
    }
    return { session, successes, outside }
  }

  const best = ({ successes }: Course): number => Math.min(...successes.map(({ point }) => lengthOf(point)))

  describe('without a limit', () => {
    test('comes within 2 % of the nearest success on 1,000 answers of one bit, and asks only about pictures', () => {
      const course = attack()
      expect(best(course) / nearest).toBeGreaterThanOrEqual(1)
      expect(best(course) / nearest).toBeLessThan(1.02)
      expect(course.outside).toBe(0)
      expect(course.successes[0]?.queries).toBeLessThan(60)
      expect(course.session.outcome).toMatchObject({ stopReason: 'max-queries', queries: 1000 })
    })

    test('ends with the best point it has committed to, which succeeds', () => {
      const { session } = attack()
      expect(session.outcome?.last.value).toBeLessThan(2.3)
    })

    test('goes on from a checkpoint in the middle of a batch of moves with the same bits', () => {
      const saved: string[] = []
      const whole = attack({}, { maxQueries: 300, precision: 'float32' }, (at) =>
        saved.push(encodeCheckpoint(at.checkpoint())),
      )
      for (const at of [1, 20, 45, 60]) {
        const resume = decodeCheckpoint(saved[at] as string)
        const resumed = attack({}, { maxQueries: 300, precision: 'float32', resume })
        expect(resumed.session.outcome).toEqual(whole.session.outcome)
      }
    })

    test('tries starting points: first for a given class, late for any other', () => {
      const startingPoint = normal.map((each) => 0.5 * Math.sign(each))
      const course = attack({ targeted: true, startingPoints: [startingPoint] })
      expect(course.successes[0]?.queries).toBe(2)
      expect(attack({ startingPoints: [startingPoint] }).successes[0]?.queries).toBeGreaterThan(2)
    })

    test('a start that succeeds ends it', () => {
      const session = createSession(new Float64Array(64), { solver: labelOnly({ goal: 2 }), shape, maxQueries: 50 })
      session.ask()
      session.tell([1])
      session.ask()
      session.tell([1])
      expect(session.outcome).toMatchObject({ stopReason: 'converged', queries: 2, value: 1 })
    })
  })

  describe('within a limit', () => {
    test('of the largest change, only points inside it count, and one is found', () => {
      const linf = (1.3 * offset) / normal.reduce((sum, each) => sum + Math.abs(each), 0)
      const course = attack({ linf }, { set: box({ lower: -linf, upper: linf }) })
      expect(course.successes.length).toBeGreaterThan(0)
      for (const { point } of course.successes) expect(largest(point)).toBeLessThanOrEqual(linf)
      expect(course.outside).toBe(0)
    })

    test('of the length, only points inside it count, and one is found', () => {
      const radius = 1.1 * nearest
      const bounds = { lower: -0.5, upper: 0.5 }
      const course = attack({ l2: radius }, { set: boxAndL2Ball({ ...bounds, radius }) })
      expect(course.successes.length).toBeGreaterThan(0)
      for (const { point } of course.successes) expect(lengthOf(point)).toBeLessThanOrEqual(radius * (1 + 1e-9))
      expect(best(course)).toBeLessThan(1.05 * nearest)
    })
  })

  test('on a large image probes are of few frequencies: it comes near the nearest success, and asks only about pictures', () => {
    const wide = { channels: 1, height: 72, width: 72 }
    const waves = Float64Array.from(
      { length: 5184 },
      (_, i) => Math.cos(0.1 * (i % 72)) * Math.cos(0.07 * Math.floor(i / 72)),
    )
    const steep = lengthOf(waves)
    const session = createSession(new Float64Array(5184), {
      solver: labelOnly(),
      shape: wide,
      seed: 3,
      maxQueries: 600,
      set: box({ lower: -0.5, upper: 0.5 }),
      attack: {
        labelsOnly: true,
        pictures: { lower: new Float64Array(5184).fill(-0.5), upper: new Float64Array(5184).fill(0.5) },
      },
    })
    let nearestYet = Infinity
    while (session.outcome === undefined) {
      const rows = points(session.ask())
      const values = rows.map((x) => {
        expect(largest(x)).toBeLessThanOrEqual(0.5)
        const along = waves.reduce((sum, each, i) => sum + each * (x[i] as number), 0) / steep
        if (along > 2) nearestYet = Math.min(nearestYet, lengthOf(x))
        return along > 2 ? -1 / (1 + lengthOf(x) ** 2) : 1
      })
      session.tell(values)
    }
    expect(nearestYet).toBeGreaterThan(2)
    expect(nearestYet).toBeLessThan(2.3)
  })

  test('is refused for a model with scores', () => {
    expect(() => attack({ labelsOnly: false })).toThrow(
      'label-only is for models that answer with a class and no scores',
    )
  })
})

describe('patches', () => {
  test('covers a rectangle of all channels with black or white, another one for another row', () => {
    const shape = { channels: 2, height: 5, width: 6 }
    const bounds = { lower: new Float64Array(60).fill(-1), upper: new Float64Array(60).fill(2) }
    const seen = new Set<string>()
    for (let row = 0; row < 40; row++) {
      const picture = new Float64Array(60)
      coverPatch(shape, bounds, { seed: 1, iteration: 2 }, row, picture)
      const colors = new Set(picture.filter((each) => each !== 0))
      expect(colors.size).toBe(1)
      expect(picture.slice(0, 30)).toEqual(picture.slice(30))
      seen.add(picture.join())
    }
    expect(seen.size).toBeGreaterThan(30)
  })
})

describe('starting pictures', () => {
  const shape = { channels: 1, height: 3, width: 3 }
  const original = Float64Array.from({ length: 9 }, (_, i) => i / 10)
  const pictures = { lower: original.map((each) => -each), upper: original.map((each) => 1 - each) }

  test('are gray, the negative, black, white and those given, then the original with parts covered; they end', () => {
    const startingPoint = original.map(() => 0.01)
    const attack = { pictures, startingPoints: [startingPoint] }
    const session = createSession(new Float64Array(9), { solver: startingPictures, shape, seed: 1, attack })
    const seen: number[][] = []
    while (session.outcome === undefined) {
      const [row = []] = points(session.ask())
      seen.push(Array.from(row, (each, i) => Number((each + (original[i] as number)).toFixed(6))))
      session.tell([1])
    }
    const round = (list: Float64Array) => Array.from(list, (each) => Number(each.toFixed(6)))
    const zeros = original.map(() => 0)
    expect(seen.slice(0, 6)).toEqual(
      [
        original,
        zeros.map(() => 0.5),
        original.map((each) => 1 - each),
        zeros,
        zeros.map(() => 1),
        original.map((each) => each + 0.01),
      ].map(round),
    )
    expect(seen[6]?.some((each, i) => each === 0 || (each === 1 && i > 0))).toBe(true)
    expect(session.outcome).toMatchObject({ stopReason: 'converged', queries: 101 })
  })
})
