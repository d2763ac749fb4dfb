import { describe, expect, test } from 'vitest'
import { points } from '../../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../core/checkpoint.ts'
import { createSession, type Session } from '../../core/session.ts'
import type { RunContext, SavedMemory, Search, Solver, State } from '../../core/types.ts'
import { type Besides, openStages } from './open-stages.ts'
import { type Stage, stagedSearch } from './staged-search.ts'

/**
 * Asks rounds of two rows, 10 and 11 in the first; beside them, 100 plus the number of the query and how many others it saw. The
 * sum of all answers, each times the stage that took it in, is its point: it ends after four rounds.
 */
function rounds(log: string[] = []): Solver {
  const begin = (at: RunContext, saved?: SavedMemory): Search => {
    const point = at.start.slice()
    const state: State & { round: number } = { round: 1 }
    let underWay: number[] = []
    const besides: Besides<'round'> = {
      stageBegins: (points) => {
        underWay = points.map(([x = 0]) => x)
      },
      propose: ({ iteration }, open) => {
        const known = open.map(({ point: [x], value }) => (value === undefined ? `${x}?` : `${x}`)).join(' ')
        log.push(`beside ${known}`)
        return Float64Array.of(100 + iteration)
      },
      learn: (answers, next) => {
        log.push(`learn ${answers.map(({ value }) => value).join(' ')}`)
        for (const { value } of answers) point[0] = (point[0] as number) + state.round * value
        return next
      },
    }
    const stages = {
      *round(): Stage<'round'> {
        const from = 10 * state.round
        const seen = underWay.length === 0 ? '' : ` beside ${underWay.join(' ')}`
        const values = yield { rows: 2, write: (row, into, offset) => into.fill(from + row, offset, offset + 1) }
        log.push(`round ${values.join(' ')}${seen}`)
        for (const value of values) point[0] = (point[0] as number) + state.round * value
        return state.round++ === 4 ? 'converged' : 'round'
      },
    }
    const open = openStages(at, { point }, besides, saved)
    return stagedSearch(at, { point, memory: { state }, stages, open }, 'round', saved)
  }
  return { start: begin, resume: begin }
}

describe('a staged search with several queries under way', () => {
  const openOf = (session: Session): number[] => session.open().flatMap((each) => points(each).map(([x = 0]) => x))
  /** Answers the k-th of those that are open with its coordinate. */
  const tell = (session: Session, k: number): void => {
    const open = session.open()
    const queries = open[k % open.length] ?? open[0]
    if (queries !== undefined)
      session.tell(
        points(queries).map(([x = 0]) => x),
        queries,
      )
  }

  test('hands out the rows of a stage one by one, and points beside it once all are under way', () => {
    const log: string[] = []
    const session = createSession([0], { solver: rounds(log), concurrency: 3 })
    expect(openOf(session)).toEqual([10, 11, 103])
    tell(session, 1)
    expect(openOf(session)).toEqual([10, 103, 104])
    tell(session, 1)
    expect(openOf(session)).toEqual([10, 104, 105])
    tell(session, 0)
    // The stage is over: what was answered beside it is learned, and the next one knows what is still under way.
    expect(openOf(session)).toEqual([104, 105, 20])
    expect(log).toEqual(['beside 10? 11?', 'beside 10? 11 103?', 'beside 10? 11 103 104?', 'round 10 11', 'learn 103'])
    tell(session, 2)
    tell(session, 2)
    expect(log.slice(5)).toEqual(['round 20 21 beside 104 105'])
  })

  test('asks nothing beside the stages with one worker, and the same as without', () => {
    const log: string[] = []
    const session = createSession([0], { solver: rounds(log), concurrency: 1 })
    while (session.outcome === undefined) session.tell(points(session.ask()).map(([x = 0]) => x))
    const { outcome } = session
    expect(log).toEqual(['round 10 11', 'round 20 21', 'round 30 31', 'round 40 41'])
    expect(outcome).toMatchObject({ iterations: 4, queries: 9, stopReason: 'converged' })
  })

  test('ends when all answers are there, and counts each of them once', () => {
    const session = createSession([0], { solver: rounds(), concurrency: 3 })
    let told = 0
    while (session.outcome === undefined) {
      tell(session, told)
      told++
    }
    expect(session.outcome).toMatchObject({ stopReason: 'converged', queries: told, iterations: told - 1 })
  })

  test('is resumed at any answer, in the middle of a stage and of its rows', () => {
    const whole = createSession([0], { solver: rounds(), concurrency: 4 })
    let answers = 0
    for (; whole.outcome === undefined; answers++) tell(whole, 7 * answers)
    expect(answers).toBeGreaterThan(15)
    for (let after = 1; after < answers; after++) {
      const session = createSession([0], { solver: rounds(), concurrency: 4 })
      for (let k = 0; k < after; k++) tell(session, 7 * k)
      // Whether the next queries were asked for before the checkpoint makes no difference.
      if (after % 2 === 0) session.open()
      const resume = decodeCheckpoint(encodeCheckpoint(session.checkpoint()))
      const resumed = createSession([0], { solver: rounds(), concurrency: 4, resume })
      for (let k = after; resumed.outcome === undefined; k++) tell(resumed, 7 * k)
      expect(resumed.outcome).toEqual(whole.outcome)
      expect(resumed.checkpoint().memory).toEqual(whole.checkpoint().memory)
    }
  })

  test('goes on with fewer or more workers, also with one', () => {
    for (const concurrency of [1, 2, 6]) {
      const session = createSession([0], { solver: rounds(), concurrency: 4 })
      for (let k = 0; k < 5; k++) tell(session, k)
      const open = openOf(session)
      const resumed = createSession([0], { solver: rounds(), concurrency, resume: session.checkpoint() })
      expect(openOf(resumed).slice(0, open.length)).toEqual(open)
      expect(openOf(resumed)).toHaveLength(Math.max(concurrency, open.length))
      for (let k = 0; resumed.outcome === undefined; k++) tell(resumed, k)
      expect(resumed.outcome.stopReason).toBe('converged')
    }
  })

  test('opens no more queries than the budget has, and keeps one for the value of the last point', () => {
    for (const limits of [{ maxQueries: 6 }, { maxIterations: 5 }]) {
      const session = createSession([0], { solver: rounds(), concurrency: 4, ...limits })
      const open: number[] = []
      while (session.outcome === undefined) {
        open.push(session.open().length)
        tell(session, 0)
      }
      expect(open).toEqual([4, 4, 3, 2, 1, 1])
      expect(session.outcome).toMatchObject({ queries: 6, iterations: 5 })
    }
  })

  test('asking does not change it', () => {
    const session = createSession([0], { solver: rounds(), concurrency: 3 })
    tell(session, 1)
    const asked = openOf(session)
    const before = session.checkpoint()
    expect([openOf(session), points(session.ask())]).toEqual([asked, [Float64Array.of(10)]])
    expect(session.checkpoint()).toEqual(before)
  })

  test('refuses an answer to what is not under way', () => {
    const session = createSession([0], { solver: rounds(), concurrency: 2 })
    expect(() => session.tell([1])).toThrow('tell: nothing was asked')
    const [first, second] = session.open()
    session.tell([1], second)
    expect(() => session.tell([1], second)).toThrow('tell: query 2 is not under way')
    session.tell([1], first)
  })

  test('a start that fails ends it, whenever that is told; another point does not', () => {
    const session = createSession([10], { solver: rounds(), concurrency: 3 })
    session.tell([Number.NaN], session.open()[1])
    expect(session.outcome).toBeUndefined()
    session.tell([Number.NaN], session.open()[0])
    expect(session.outcome).toMatchObject({ status: 'failed', queries: 2 })
  })

  test('takes a failed query for an answer without a value', () => {
    const log: string[] = []
    const session = createSession([0], { solver: rounds(log), concurrency: 3, failures: 'skip' })
    for (const k of [2, 0, 0]) session.tell([Number.NaN], session.open()[k])
    expect(log.slice(-2)).toEqual(['round NaN NaN', 'learn NaN'])
    expect(session.checkpoint()).toMatchObject({ failures: { count: 3 }, skippedIterations: 3, queries: 3 })
  })
})
