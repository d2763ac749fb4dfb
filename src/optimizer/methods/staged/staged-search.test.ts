import { describe, expect, test } from 'vitest'
import { makeAnswers, points } from '../../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../core/checkpoint.ts'
import { parseOptions } from '../../core/options.ts'
import { resumeSearch, saveMemory } from '../../core/part.ts'
import { createSession, makeRunContext, type Session } from '../../core/session.ts'
import { sessionOptions } from '../../core/session-options.ts'
import type { RunContext, SavedMemory, Search, Solver, State } from '../../core/types.ts'
import { askStart, onlyPoint, type Stage, stagedSearch } from './staged-search.ts'

/** Doubles the only variable, twice per stage, and ends after three stages; `log` counts how often a stage begins. */
function doubling(log: string[] = []): Solver {
  const begin = (at: RunContext, saved?: SavedMemory): Search => {
    const point = at.start.slice()
    const state: State & { turns: number; sum: number } = { turns: 0, sum: 0 }
    const method = {
      point,
      memory: { state },
      stages: {
        *start(): Stage<'start' | 'double'> {
          const value = yield* askStart(point, Number.NaN)
          if (Number.isNaN(value)) return 'converged'
          state.sum += value
          return 'double'
        },
        *double({ iteration }: { iteration: number }): Stage<'start' | 'double'> {
          log.push(`double after ${iteration}`)
          const first = yield { rows: 2, write: (row, into, offset) => into.fill(10 * row, offset, offset + 1) }
          const second = yield onlyPoint(point)
          state.sum += (first[0] as number) + (first[1] as number) + (second[0] as number)
          point[0] = 2 * (point[0] as number)
          return ++state.turns === 3 ? 'converged' : 'double'
        },
      },
    }
    return stagedSearch(at, method, 'start', saved)
  }
  return { start: begin, resume: begin }
}

const answer = (session: Session): void => session.tell(points(session.ask()).map(([x = 0]) => x + 1))

function finish(session: Session): Session {
  while (session.outcome === undefined) answer(session)
  return session
}

describe('a staged search', () => {
  test('asks one batch per iteration, and every row is a candidate', () => {
    const { outcome } = finish(createSession([1], { solver: doubling() }))
    // The start, three times two batches, and the last point: 1 + 3 (2 + 1) + 1.
    expect(outcome).toMatchObject({ stopReason: 'converged', iterations: 7, queries: 11, value: 1 })
    expect(outcome?.point).toEqual(Float64Array.of(0))
  })

  test('gives a stage the constraints of all rows behind their values, also when it is taken up again', () => {
    const heard: number[][] = []
    const begin = (at: RunContext, saved?: SavedMemory): Search => {
      const point = at.start.slice()
      const stages = {
        *only(): Stage<'only'> {
          heard.push(Array.from(yield { rows: 2, write: (row, into, offset) => into.fill(row, offset, offset + 1) }))
          heard.push(Array.from(yield onlyPoint(point)))
          return 'converged'
        },
      }
      return stagedSearch(at, { point, memory: {}, constraints: 2, stages }, 'only', saved)
    }
    const at = makeRunContext(
      [1],
      parseOptions('session', sessionOptions, { solver: { start: begin } }),
      () => undefined,
    )
    const search = begin(at)
    const answers = { ...makeAnswers(2, 2), values: Float64Array.of(5, 6), constraints: Float64Array.of(1, 2, 3, 4) }
    answers.failed[1] = 1
    search.tell(answers)
    const resumed = resumeSearch({ start: begin, resume: begin }, at, saveMemory(search.memory))
    heard.length = 0
    resumed.tell({ ...makeAnswers(1, 2), values: Float64Array.of(7), constraints: Float64Array.of(8, 9) })
    expect(heard).toEqual([
      [5, Number.NaN, 1, 2, 3, 4],
      [7, 8, 9],
    ])
    expect(resumed.finished).toBe('converged')
  })

  test('gives a stage the iteration in which it began', () => {
    const log: string[] = []
    finish(createSession([1], { solver: doubling(log) }))
    expect(log).toEqual(['double after 1', 'double after 3', 'double after 5'])
  })

  test('is resumed in the middle of a stage, which is given what it had been told', () => {
    const whole = finish(createSession([1], { solver: doubling() }))
    for (let after = 1; after < 7; after++) {
      const session = createSession([1], { solver: doubling() })
      for (let iteration = 0; iteration < after; iteration++) answer(session)
      const resume = decodeCheckpoint(encodeCheckpoint(session.checkpoint()))
      const resumed = finish(createSession([1], { solver: doubling(), resume }))
      expect(resumed.outcome).toEqual(whole.outcome)
      expect(resumed.checkpoint().memory).toEqual(whole.checkpoint().memory)
    }
  })

  test('asking does not change it', () => {
    const session = createSession([1], { solver: doubling() })
    answer(session)
    const before = session.checkpoint()
    session.ask()
    session.ask()
    expect(session.checkpoint()).toEqual(before)
  })

  test('tells a stage NaN for a failed query, and gives up a start that fails four times', () => {
    const session = createSession([1], { solver: doubling(), failures: 'skip' })
    while (session.outcome === undefined) session.tell(points(session.ask()).map(() => Number.NaN))
    expect(session.outcome).toMatchObject({ iterations: 4, queries: 5, stopReason: 'converged', skippedIterations: 4 })
  })

  test('warns that single values of a sum are compared', () => {
    const { warnings } = createSession([1], { solver: doubling(), population: 9 })
    expect(warnings).toEqual([expect.stringContaining('one term of a finite sum at a time')])
  })
})
