import { describe, expect, it } from 'vitest'
import { type Goal, marks, openTracker } from './tracker.ts'

const goal: Goal = { pixels: Float32Array.of(0.5, 0.5), label: 0 }
const [right, wrong, tie] = [
  [2, 1, 0],
  [1, 2, 0],
  [1, 1, 0],
]

/** Rows of two pixels, each with three scores. */
function tracked(given: Goal, budget: number, rows: readonly (readonly [readonly number[], readonly number[]])[]) {
  const tracker = openTracker(given, budget)
  tracker.record(
    Float32Array.from(rows.flatMap(([pixels]) => pixels)),
    rows.flatMap(([, scores]) => scores),
    rows.length,
  )
  return tracker
}

describe('the tracker', () => {
  it('counts every row and finds the first success', () => {
    const tracker = tracked(goal, 10, [
      [[0.5, 0.5], right as number[]],
      [[0.5, 0.9], wrong as number[]],
      [[0.5, 0.6], wrong as number[]],
    ])
    expect(tracker.account()).toMatchObject({ queries: 3, first: 2 })
    expect(tracker.succeeded).toBe(true)
    expect(tracker.room).toBe(7)
    expect(tracker.account().best).toEqual([expect.closeTo(0.1, 6)])
  })

  it('keeps the nearest success at each mark within the budget', () => {
    const tracker = openTracker(goal, 100)
    const ask = (pixel: number, count: number) => {
      for (let i = 0; i < count; i++) tracker.record(Float32Array.of(0.5, pixel), wrong as number[], 1)
    }
    ask(1, 15)
    ask(0.75, 20)
    ask(0.875, 100)
    const { best, queries } = tracker.account()
    expect(best).toEqual([0.5, 0.25, 0.25, 0.25])
    expect(best).toHaveLength(marks.filter((mark) => mark <= 100).length)
    expect(queries).toBe(135)
  })

  it('takes a tie, scores that are no numbers and what is no picture for failures', () => {
    const rows = [
      [[0.5, 0.6], tie],
      [
        [0.5, 0.6],
        [Number.NaN, 5, 0],
      ],
      [[0.5, 1.1], wrong],
      [[-0.1, 0.5], wrong],
      [[Number.NaN, 0.5], wrong],
    ] as [number[], number[]][]
    expect(tracked(goal, 10, rows).account()).toMatchObject({ queries: 5, first: undefined })
  })

  it('wants successes inside the limits, whichever are given', () => {
    const rows = [
      [[0.8, 0.5], wrong],
      [[0.7, 0.7], wrong],
      [[0.6, 0.6], wrong],
    ] as [number[], number[]][]
    expect(tracked({ ...goal, linf: 0.2 }, 10, rows).account().first).toBe(2)
    expect(tracked({ ...goal, l2: 0.2 }, 10, rows).account().first).toBe(3)
    expect(tracked({ ...goal, l2: 0.1 }, 10, rows).account().first).toBeUndefined()
  })

  it('wants the target ahead of all others where there is one', () => {
    const targeted = { ...goal, target: 2 }
    const rows = [
      [[0.5, 0.6], wrong],
      [
        [0.5, 0.6],
        [0, 3, 3],
      ],
      [
        [0.5, 0.6],
        [0, 3, 4],
      ],
    ] as [number[], number[]][]
    expect(tracked(targeted, 10, rows).account().first).toBe(3)
  })

  it('ignores successes beyond the budget', () => {
    const rows = Array.from({ length: 12 }, (_, i) => [[0.5, 0.6], i < 11 ? right : wrong]) as [number[], number[]][]
    expect(tracked(goal, 10, rows).account()).toEqual({ queries: 12, first: undefined, best: [undefined] })
  })
})
