import { expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Checkpoint, RunContext, Solver } from '../core/types.ts'
import { zoAdaMM, zoSGD } from './presets.ts'
import { relay } from './relay.ts'

const bowl = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)

/** Three iterations of the first leg, four queries' worth of a second, which is started again once, then the third. */
function threeLegs(seen: RunContext[] = []): Solver {
  const watched = (solver: Solver): Solver => ({
    start(at) {
      seen.push(at)
      return solver.start(at)
    },
  })
  return relay((at) => {
    const state = { iterations: 0, best: Number.NaN }
    return {
      memory: { state },
      legs: {
        quick: () => ({ solver: watched(zoSGD({ directions: 1 })), queries: 30 }),
        again: () => ({ solver: watched(zoSGD({ directions: 2 })) }),
        fine: () => ({ solver: watched(zoAdaMM({ directions: 3 })) }),
      },
      first: { leg: 'quick', from: at.start, why: 'a beginning' },
      note(_, { values }) {
        state.iterations++
        if (!((values[0] as number) >= state.best)) state.best = values[0] as number
      },
      next({ isFresh, leg, search }) {
        if (isFresh) return undefined
        if (leg === 'quick' && state.iterations === 3) return { leg: 'again', from: at.start, why: 'from the start' }
        if (leg === 'again' && state.iterations === 5) return { leg: 'again', from: search.point }
        return leg === 'again' && state.iterations === 7 ? { leg: 'fine', from: search.point } : undefined
      },
      value: () => state.best,
    }
  })
}

const begin = (options: Partial<SessionOptions> = {}): Session =>
  createSession([1, -2, 0.5], { solver: threeLegs(), seed: 3, maxQueries: 60, ...options })

function finish(session: Session, each: () => void = () => undefined) {
  while (session.outcome === undefined) {
    session.tell(points(session.ask()).map(bowl))
    each()
  }
  return session.outcome
}

// The last point's value is a query of the last leg.
test('legs follow each other in one count of iterations and queries, with a log', () => {
  const outcome = finish(begin())
  expect(outcome.phases?.map(({ method, why, queries }) => ({ method, why, queries }))).toEqual([
    { method: 'quick', why: 'a beginning', queries: 6 },
    { method: 'again', why: 'from the start', queries: 12 },
    { method: 'fine', why: '', queries: 41 },
  ])
  expect(outcome.history.at(-1)?.iteration).toBe(17)
})

test('a leg is told where it starts, where the run began and what is left to it', () => {
  const seen: RunContext[] = []
  finish(begin({ solver: threeLegs(seen) }))
  expect(seen.map(({ budget }) => budget.maxQueries)).toEqual([30, 54, 54, 42])
  expect(seen.map(({ origin }) => Array.from(origin ?? []))).toEqual(Array(4).fill([1, -2, 0.5]))
})

test('a run resumed after any iteration ends with the same bits', () => {
  const whole = begin()
  const saved: Checkpoint[] = [whole.checkpoint()]
  const outcome = finish(whole, () => saved.push(whole.checkpoint()))
  for (const checkpoint of saved) expect(finish(begin({ resume: checkpoint }))).toEqual(outcome)
})

test('a checkpoint of an unknown leg is refused', () => {
  const { memory, ...rest } = begin().checkpoint()
  const resume = { ...rest, memory: { ...memory, state: { ...memory.state, phase: 'slow' } } }
  expect(() => begin({ resume })).toThrow('resume.memory.phase must be one of quick, again, fine, got slow')
})
