import { describe, expect, test } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint-json.ts'
import { points } from './points.ts'
import { createSession, type Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { Search, Solver } from './types.ts'

/** Asks lists of single numbers, one list per iteration, and never moves: what it asked is all it has. */
const lists = (asked: readonly (readonly number[])[], more: Partial<Search> = {}): Solver => ({
  begin({ start, dim, seed }): Search {
    const search: Search = {
      point: start,
      memory: { vectors: { point: start } },
      iteration: 0,
      get rows() {
        return (asked[this.iteration] ?? [0]).length
      },
      centers: 0,
      candidates: true,
      ask() {
        const { iteration, rows, centers } = this
        const key = { seed, iteration: iteration + 1 }
        const write = (row: number, into: Float64Array | Float32Array, offset = 0) => {
          into[offset] = asked[iteration]?.[row] ?? 0
        }
        return { key, rows, centers, dim, sample: () => 0, write }
      },
      tell() {
        this.iteration++
        return true
      },
      skip() {
        this.iteration++
      },
    }
    return Object.defineProperties(search, Object.getOwnPropertyDescriptors(more))
  },
})

const table = [
  [3, 2, 5],
  [4, 1, 1],
  [2, 6],
]

function begin(options: Partial<SessionOptions> & { solver: Solver }): Session {
  return createSession([9], { maxIterations: table.length, ...options })
}

/** Answers x itself unless told otherwise. */
function finish(session: Session, f: (x: number, row: number) => number = (x) => x) {
  while (session.outcome === undefined) session.tell(points(session.ask()).map(([x = 0], row) => f(x, row)))
  return session.outcome
}

describe('where every row is a candidate', () => {
  test('the best answered row counts for the history and the result, and is asked again at the end', () => {
    const outcome = finish(begin({ solver: lists(table) }))
    expect(outcome).toMatchObject({ value: 1, last: { value: 1 }, queries: 9, stopReason: 'max-iterations' })
    expect([...outcome.point, ...outcome.last.point]).toEqual([1, 1])
    expect(outcome.history.map(({ value, best }) => [value, best])).toEqual([
      [2, 2],
      [1, 1],
      [2, 1],
    ])
  })

  test('the first of equal rows wins', () => {
    const outcome = finish(begin({ solver: lists([[3, 2, -2]]), maxIterations: 1 }), Math.abs)
    expect(outcome).toMatchObject({ value: 2, point: Float64Array.of(2) })
  })

  test('without candidates, rows around the point do not count', () => {
    const centered = lists(table, { candidates: undefined })
    expect(finish(begin({ solver: centered }))).toMatchObject({ value: 9, last: { value: 9 } })
  })

  test('a target is reached by any row, and its point is the last one', () => {
    const outcome = finish(begin({ solver: lists(table), target: 1.5 }))
    expect(outcome).toMatchObject({ stopReason: 'target', value: 1, queries: 6, iterations: 2 })
    expect(outcome.last).toEqual({ point: Float64Array.of(1), value: 1 })
  })

  test('rows that failed do not count, whatever the policy puts in their place', () => {
    for (const failures of ['skip', 'worst'] as const) {
      const outcome = finish(begin({ solver: lists(table), failures }), (x) => (x === 1 ? Number.NaN : -x))
      expect(outcome).toMatchObject({ value: -6, failures: { count: 2 } })
      expect(outcome.history.map(({ value }) => value)).toEqual([-5, -4, -6])
    }
  })

  test('where none was answered there is no value', () => {
    const outcome = finish(begin({ solver: lists(table), failures: 'skip' }), () => Number.NaN)
    expect(outcome).toMatchObject({ value: Number.NaN, point: Float64Array.of(9) })
    expect(outcome.history.map(({ value }) => value)).toEqual([Number.NaN, Number.NaN, Number.NaN])
  })

  test('a lucky answer does not stay: the result is what the best candidate comes to when asked again', () => {
    let queries = 0
    const outcome = finish(begin({ solver: lists(table) }), (x) => (++queries === 5 ? x - 3 : x))
    expect(outcome).toMatchObject({ value: 1, last: { value: 1 } })
    expect(outcome.history[1]?.best).toBe(-2)
  })

  test('an answer of the method itself is asked at the end instead', () => {
    const own = lists(table, { answer: Float64Array.of(7) })
    expect(finish(begin({ solver: own }))).toMatchObject({ value: 1, last: { value: 7, point: Float64Array.of(7) } })
  })

  test('a center that is asked again is a candidate, too, and the value is the lowest of all', () => {
    const centered = lists([[0, 2, 3]], { centers: 1, point: Float64Array.of(0) })
    let asked = 0
    const outcome = finish(begin({ solver: centered, failures: 'skip', maxIterations: 1 }), (x) => {
      asked++
      return asked === 1 ? Number.NaN : x + 1
    })
    expect(outcome).toMatchObject({ value: 1, point: Float64Array.of(0), queries: 5 })
    expect(outcome.history.map(({ value }) => value)).toEqual([1])
  })

  test('a run goes on from every checkpoint with the same bits', () => {
    const whole = begin({ solver: lists(table) })
    const saved = [encodeCheckpoint(whole.checkpoint())]
    while (whole.outcome === undefined) {
      whole.tell(points(whole.ask()).map(([x = 0]) => x))
      saved.push(encodeCheckpoint(whole.checkpoint()))
    }
    for (const text of saved) {
      expect(finish(begin({ solver: lists(table), resume: decodeCheckpoint(text) }))).toEqual(whole.outcome)
    }
  })
})

test.each([
  ['samples', { samples: 2 }],
  ['centers', { centers: 3 }],
])('several %s per point are refused', (_, more) => {
  expect(() => begin({ solver: lists(table, more) })).toThrow(
    'a method that compares single values takes one sample per point, got',
  )
})
