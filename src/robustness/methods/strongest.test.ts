import { describe, expect, test } from 'vitest'
import { makeAnswers, points } from '../../optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../optimizer/core/checkpoint.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { Checkpoint } from '../../optimizer/core/types.ts'
import { boxAndL2Ball } from '../../optimizer/parts/sets/balls.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { nearestBoundary } from './nearest-boundary.ts'
import { strongest } from './strongest.ts'

const shape = { channels: 1, height: 8, width: 8 }
const dim = 64

/** A model of an attack: a margin that stripes and slopes move, and that is out of reach where `offset` is large. */
const marginOf = (x: ArrayLike<number>, offset: number): number => {
  let margin = offset
  for (let i = 0; i < dim; i++) margin -= (i % 3 === 0 ? 1 : -0.5) * (x[i] as number)
  return margin
}

interface Course {
  readonly session: Session
  readonly first: number
  readonly farthest: number
}

function attack(options: Partial<SessionOptions>, offset: number, told: (session: Session) => void = () => {}): Course {
  const solver = strongest({ nearer: nearestBoundary({ smoothing: 0.005, directions: 3, refinement: 5 }) })
  const session = createSession(new Float64Array(dim), { solver, shape, seed: 3, maxQueries: 80, ...options })
  let [asked, first, farthest] = [0, Infinity, 0]
  while (session.outcome === undefined) {
    const rows = points(session.ask())
    const answers = makeAnswers(rows.length)
    rows.forEach((x, row) => {
      const squares = Array.from(x).reduce((sum, each) => sum + each * each, 0)
      answers.values[row] = 10 * Math.max(0, marginOf(x, offset)) + squares
    })
    const point = rows[0] as Float64Array
    answers.reached = marginOf(point, offset) <= 0
    asked += rows.length
    farthest = Math.max(farthest, ...Array.from(point, Math.abs))
    if (answers.reached) first = Math.min(first, asked)
    session.tell(answers)
    told(session)
  }
  return { session, first, farthest }
}

const linf = 0.1
const limited: Partial<SessionOptions> = {
  attack: { linf, addsSquares: true },
  set: box({ lower: -linf, upper: linf }),
}
const methods = ({ session }: Course): string[] => (session.outcome?.phases ?? []).map(({ method }) => method)
const spent = ({ session }: Course): number[] => (session.outcome?.phases ?? []).map(({ queries }) => queries)

describe('within a limit on every pixel', () => {
  test('it succeeds by changes as large as the limit, goes back, and then seeks the nearest success', () => {
    const course = attack({ ...limited, maxQueries: 200 }, 1.5)
    expect(course.first).toBeLessThan(60)
    expect(methods(course)).toEqual(['adaptive-square', 'back', 'nearest-boundary'])
    expect(spent(course).reduce((sum, each) => sum + each, 0)).toBe(course.session.outcome?.queries)
    expect(course.farthest).toBeLessThanOrEqual(linf)
  })

  test('what cannot be done is tried by one search until the budget is spent: nothing begins anew', () => {
    const course = attack({ ...limited, maxQueries: 400 }, 100)
    expect(methods(course)).toEqual(['adaptive-square'])
    expect(spent(course)).toEqual([400])
    expect(course.session.outcome?.phases?.map(({ why }) => why)).toEqual([
      'the change of a pixel is limited: one search with proposals of many kinds',
    ])
  })

  test.each(['float64', 'float32'] as const)('resumes in every phase with the same bits, in %s', (precision) => {
    for (const offset of [0.5, 100]) {
      const saved: Checkpoint[] = []
      const whole = attack({ ...limited, precision }, offset, (session) => saved.push(session.checkpoint()))
      for (const checkpoint of saved.slice(0, -1)) {
        const resume = decodeCheckpoint(encodeCheckpoint(checkpoint))
        expect(attack({ ...limited, precision, resume }, offset).session.outcome).toEqual(whole.session.outcome)
      }
    }
  })
})

test('without a limit it is what seeks the nearest success, and says so', () => {
  const { session } = attack({ maxQueries: 400 }, 3)
  expect(session.outcome?.phases).toMatchObject([
    { method: 'nearest-boundary', why: 'no limit on the change: the nearest success is sought', queries: 400 },
  ])
})

test('a limit on the length: slopes on small images, squares of that length on large ones', () => {
  const large = { channels: 1, height: 65, width: 64 }
  const options = (l2: number, lower: number): Partial<SessionOptions> => ({
    attack: { l2, addsSquares: true },
    set: boxAndL2Ball({ lower, upper: -lower, radius: l2 }),
  })
  const course = attack(options(1, -1), 3)
  expect(methods(course)).toEqual(['nearest-boundary'])
  const solver = strongest()
  const session = createSession(new Float64Array(65 * 64), { ...options(2, -1), solver, shape: large, maxQueries: 40 })
  for (let i = 0; i < 12; i++) {
    const [x = new Float64Array()] = points(session.ask())
    const length = Math.sqrt(Array.from(x).reduce((sum, each) => sum + each * each, 0))
    if (i > 0) expect(length).toBeCloseTo(2, 9)
    const answers = makeAnswers(1)
    answers.values[0] = length
    answers.reached = false
    session.tell(answers)
  }
})

test('an objective that does not say what succeeds is left to the last method at once', () => {
  const session = createSession(new Float64Array(dim), { ...limited, solver: strongest(), shape, maxQueries: 50 })
  while (session.outcome === undefined) session.tell(points(session.ask()).map((x) => marginOf(x, 3)))
  expect(session.outcome.phases?.map(({ method }) => method)).toEqual(['adaptive-square', 'nearest-boundary'])
})
