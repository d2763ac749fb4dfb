import { expect, test } from 'vitest'
import { makeAnswers } from '../core/answers.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint-json.ts'
import { points } from '../core/points.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { patience, wayTo } from './footholds.ts'
import { zeroth } from './zeroth.ts'

const at = (...numbers: number[]) => Float64Array.from(numbers)

test('goes as far on the way to a foothold as the radius allows, and no further than the foothold', () => {
  const into = at(0, 0)
  expect(wayTo(at(3, 0), at(0, 0), at(0, 0), 2, into)).toBe(true)
  expect(Array.from(into)).toEqual([2, 0])
  expect(wayTo(at(0, 5), at(3, 0), at(0, 0), 4, into)).toBe(true)
  expect(Math.hypot(...into)).toBeCloseTo(4, 12)
  expect(wayTo(at(1, 0), at(0, 0), at(0, 0), 2, into)).toBe(true)
  expect(Array.from(into)).toEqual([1, 0])
})

test('there is no way where it begins beyond the radius', () => {
  expect(wayTo(at(3, 0), at(2, 0), at(0, 0), 2, at(0, 0))).toBe(false)
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
  const footholds = [at(...Array.from({ length: dim }, () => -9)), center]
  const given = { solver: zeroth(), maxQueries: 400, seed: 2, attack: { targeted: true, footholds } }
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

test('where slopes lead nowhere, a foothold that succeeds is walked back from, past one that does not', () => {
  const { outcome, first, asked } = attack()
  // A tenth of the budget for the slopes, then the two footholds.
  expect(first).toBeGreaterThan(40)
  expect(first).toBeLessThan(60)
  expect(isFooled(outcome.last.point)).toBe(true)
  // From 72 at the foothold; the ball begins at the square of sqrt(72) - sqrt(50), 2.
  expect(outcome.last.value).toBeLessThan(4)
  expect(asked).toBeLessThanOrEqual(400)
})

test('without footholds there is no success to be had', () => {
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
