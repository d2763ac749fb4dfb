import { expect, test } from 'vitest'
import { lowestOf } from './lowest-of.ts'

/** Answers with the first coordinate of a row; returns the choice and the rows of each batch. */
function choose(
  points: number[],
  queries: number,
  answer = (x: number): number => x,
): { chosen?: number; rows: number[] } {
  const work = lowestOf(
    points.map((point) => Float64Array.of(point)),
    queries,
  )
  const rows: number[] = []
  let next = work.next()
  while (next.done !== true) {
    const batch = next.value
    rows.push(batch.rows)
    const x = new Float64Array(1)
    next = work.next(
      Float64Array.from({ length: batch.rows }, (_, row) => {
        batch.write(row, x, 0)
        return answer(x[0] as number)
      }),
    )
  }
  return next.value === null ? { rows } : { chosen: next.value[0] as number, rows }
}

test('asks all, then the better half, until two are left', () => {
  expect(choose([5, 3, 8, 1, 9, 2, 7, 4], 72)).toEqual({ chosen: 1, rows: [24, 24, 24] })
  expect(choose([5, 3, 8], 20)).toEqual({ chosen: 3, rows: [9, 10] })
})

test('never asks more than it may', () => {
  for (let queries = 0; queries < 60; queries++) {
    for (let count = 1; count < 9; count++) {
      const { rows } = choose(
        Array.from({ length: count }, (_, k) => k),
        queries,
      )
      expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(queries)
    }
  }
})

test('has no answer where nothing was asked or answered', () => {
  expect(choose([1, 2], 1)).toEqual({ rows: [] })
  expect(choose([], 10)).toEqual({ rows: [] })
  expect(choose([1, 2], 4, () => Number.NaN)).toEqual({ rows: [4] })
})

test('a point that failed loses against any that was answered', () => {
  expect(choose([1, 2], 4, (x) => (x === 1 ? Number.NaN : x)).chosen).toBe(2)
})
