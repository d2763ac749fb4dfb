import { describe, expect, test } from 'vitest'
import { makeAnswers } from '../core/answers.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint-json.ts'
import { points } from '../core/points.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { zeroth } from './zeroth.ts'

/**
 * A model with three classes, of which an image has the first. The second one is close behind at the start, but comes up so
 * slowly that its border is 2 away; the third one is further behind, and its border is 1 away.
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
  rivals: number | undefined,
  options: Partial<SessionOptions> = {},
  told?: (session: Session) => void,
): Course {
  const solver = zeroth({ smoothing: 0.005, directions: 4, refinement: 16 })
  const given = { solver, seed: 3, maxQueries: 1500, attack: { rivals, addsSquares: true }, ...options }
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
  test('a search that sees no classes ends at the border of that class', () => {
    const { outcome } = attack(undefined).session
    expect(outcome?.last.value).toBeGreaterThan(4)
    expect(outcome?.last.value).toBeLessThan(4.05)
  })

  test('one that does ends at the border of the nearest, with a point that was evaluated and within its queries', () => {
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
