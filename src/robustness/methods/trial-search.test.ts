import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { Solver } from '../../optimizer/core/types.ts'
import { minimizeSync } from '../../optimizer/minimize/minimize-sync.ts'
import { l2Ball } from '../../optimizer/parts/sets/balls.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { type Trials, trialSearch } from './trial-search.ts'

/** Tries a list of single numbers, each once; remembers how many it has tried. A first point of its own counts, too. */
const listed = (list: readonly number[], more: Partial<Trials> = {}): Solver => ({
  start(at) {
    const state = { tried: 0 }
    return trialSearch(at, {
      memory: { state },
      next(_, __, ___, into) {
        const left = state.tried
        if (left === list.length) return false
        into[0] = list[left] as number
        return true
      },
      settle() {
        state.tried++
      },
      ...more,
    })
  },
})

/** Asks one point after the other; x itself is its value, where there is no other. */
const asked = (session: Session, costOf: (x: number) => number = (x) => x): number[] => {
  const seen: number[] = []
  while (session.outcome === undefined) {
    const [[x = 0] = []] = points(session.ask())
    seen.push(x)
    session.tell([costOf(x)])
  }
  return seen
}

describe('one point is asked per iteration', () => {
  test('the start, then every trial; what is lower than the one kept is kept, and the answer is asked at the end', () => {
    const session = createSession([5], { solver: listed([6, 4, 4.5, 3]), maxQueries: 6 })
    expect(asked(session)).toEqual([5, 6, 4, 4.5, 3, 3])
    expect(session.outcome).toMatchObject({ value: 3, last: { value: 3 }, iterations: 5, stopReason: 'converged' })
    const short = createSession([5], { solver: listed([6, 4, 4.5, 3]), maxQueries: 5 })
    expect(asked(short)).toEqual([5, 6, 4, 4.5, 4])
    expect(short.outcome).toMatchObject({
      value: 4,
      last: { value: 4 },
      stopReason: 'max-queries',
      skippedIterations: 0,
    })
  })

  test('a value that is just as good is not enough', () => {
    expect(asked(createSession([5], { solver: listed([6, 7]), maxQueries: 9 }), () => 1)).toEqual([5, 6, 7, 5])
  })

  test('what is kept already is not asked about again', () => {
    expect(asked(createSession([5], { solver: listed([5, 5, 4, 4, 2]), maxQueries: 9 }))).toEqual([5, 4, 2, 2])
  })

  test('where nothing else is proposed it is, after a while', () => {
    const solver = listed([1], { next: () => true, settle: () => undefined })
    expect(asked(createSession([5], { solver, maxQueries: 4 }))).toEqual([5, 5, 5, 5])
  })

  test('a first point of its own is kept whatever its value', () => {
    const solver = listed([0, 8, 10], { open: (_, into) => into.set([9]) })
    expect(asked(createSession([5], { solver, maxQueries: 9 }))).toEqual([5, 9, 8, 10, 8])
  })
})

describe('what fails', () => {
  test('a trial that brings no value is given up; the start and a first point of its own are not', () => {
    let failures = 2
    const solver = listed([0, 6, 4, 3], { open: (iteration, into) => into.set([iteration + 10]) })
    const session = createSession([5], { solver, maxQueries: 40, failures: 'skip' })
    const seen = asked(session, (x) => (x === 4 || (x === 12 && failures-- > 0) ? Number.NaN : x))
    // The point is asked four times before it is given up.
    expect(seen).toEqual([5, 12, 12, 12, 6, 4, 4, 4, 4, 3, 3])
    expect(session.outcome).toMatchObject({ value: 3, skippedIterations: 1 })
  })

  test('a start that brings no value is asked again', () => {
    let failures = 6
    const session = createSession([5], { solver: listed([4]), maxQueries: 40, failures: 'skip' })
    expect(asked(session, (x) => (failures-- > 0 ? Number.NaN : x))).toEqual([5, 5, 5, 5, 5, 5, 5, 4, 4])
  })
})

test('a method that says where it changes the point asks the same as one that does not', () => {
  const dim = 12
  const start = Array.from({ length: dim }, (_, i) => i / 10)
  const solver = (isSaid: boolean): Solver => ({
    start: (at) =>
      trialSearch(at, {
        memory: {},
        open: (_, into) => into.fill(0.5),
        next(kept, iteration, attempt, into) {
          const from = (7 * (iteration + attempt)) % (dim - 3)
          expect(into).toEqual(kept)
          for (let i = from; i < from + 2; i++) into[i] = (kept[i] as number) + 0.4 * (((iteration * i) % 3) - 1)
          return isSaid ? [[from, from + 2]] : true
        },
        settle: () => undefined,
      }),
  })
  const costOf = (x: Float64Array): number => x.reduce((sum, each, i) => sum + (each - 0.07 * i) * (each - 0.07 * i), 0)
  const runOf = (isSaid: boolean, precision: 'float32' | 'float64') => {
    const set = box({ lower: 0.05, upper: Array.from({ length: dim }, (_, i) => 0.5 + i / 30) })
    const session = createSession(start, { solver: solver(isSaid), set, precision, maxQueries: 60 })
    const seen: Float64Array[] = []
    while (session.outcome === undefined) {
      const [x = new Float64Array(dim)] = points(session.ask())
      seen.push(x)
      session.tell([costOf(x)])
    }
    return seen
  }
  for (const precision of ['float32', 'float64'] as const) {
    const said = runOf(true, precision)
    expect(said).toEqual(runOf(false, precision))
    expect(new Set(said.map(String)).size).toBeGreaterThan(20)
  }
})

test('what a method wrote before it said that nothing is left is never asked', () => {
  const session = createSession([5], {
    solver: listed([], {
      next(_, __, ___, into) {
        into[0] = 100
        return false
      },
    }),
    set: box({ lower: 0, upper: 10 }),
  })
  expect(asked(session)).toEqual([5, 5])
  expect(session.outcome?.point[0]).toBe(5)
})

test('a trial that reaches the target is the last point', () => {
  const session = createSession([5], { solver: listed([6, 4, 3]), target: 4 })
  expect(asked(session)).toEqual([5, 6, 4])
  expect(session.outcome).toMatchObject({ stopReason: 'target', iterations: 3, last: { value: 4 } })
  expect(Array.from(session.outcome?.last.point ?? [])).toEqual([4])
  const again = createSession([5], { solver: listed([6, 4, 3]), target: 4, resume: session.checkpoint() })
  expect(again.outcome?.last).toEqual(session.outcome?.last)
  const further = createSession([5], { solver: listed([6, 4, 3]), target: 3, resume: session.checkpoint() })
  expect(asked(further)).toEqual([4, 3])
})

test('a finite sum is warned about', () => {
  const { warnings } = minimizeSync(([x = 0]) => x * x, [5], { solver: listed([4]), population: 10, maxQueries: 3 })
  expect(warnings).toEqual([expect.stringContaining('one term of a finite sum at a time')])
})

test('in a set that is no box, what a projection moved beside the trial is put back if the trial is not kept', () => {
  const thrice: Solver = {
    start(at) {
      const state = { tried: 0 }
      const next: Trials['next'] = (_, __, ___, into) => {
        if (state.tried === 3) return false
        into[0] = state.tried === 0 ? 0.5 : 1
        return [[0, 1]]
      }
      return trialSearch(at, { memory: { state }, next, settle: () => state.tried++ })
    },
  }
  const session = createSession([0.6, 0.8], { solver: thrice, set: l2Ball({ radius: 1 }), maxQueries: 9 })
  const seen: number[][] = []
  while (session.outcome === undefined) {
    const [point = []] = points(session.ask())
    seen.push(Array.from(point))
    session.tell([seen.length === 2 ? 0 : 1])
  }
  const [, kept, trial, again, end] = seen
  expect(kept).toEqual([0.5, 0.8])
  expect(trial?.[1]).toBeCloseTo(0.8 / Math.hypot(1, 0.8), 12)
  expect(again).toEqual(trial)
  expect(end).toEqual(kept)
})
