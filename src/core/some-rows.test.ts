import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeAnswers, recordFailure } from './answers.ts'
import { originalRow, putBack, someAnswers, someRows } from './some-rows.ts'
import type { Queries } from './types.ts'

/** Five rows at the points (0, 0), (1, 10), (2, 20), ..., the first two of them centers. */
const whole: Queries = {
  key: { seed: 1, iteration: 7 },
  rows: 5,
  dim: 2,
  centers: 2,
  sample: (row) => 100 + row,
  write: (row, into, offset = 0) => into.set([row, 10 * row], offset),
}

test('are those rows: same points, same samples, and they know their number in the iteration', () => {
  const some = someRows(whole, [3, 1])
  const point = new Float64Array(3)
  some.write(1, point, 1)
  expect(some).toMatchObject({ rows: 2, dim: 2, key: { seed: 1, iteration: 7 } })
  expect(Array.from(point)).toEqual([0, 1, 10])
  expect([some.sample(0), some.sample(1)]).toEqual([103, 101])
  expect([originalRow(some, 0), originalRow(some, 1), originalRow(whole, 4)]).toEqual([3, 1, 4])
})

test('of some rows still know the number in the whole iteration', () => {
  expect(originalRow(someRows(someRows(whole, [4, 2, 0]), [1]), 0)).toBe(2)
})

test.each([
  [[0, 1, 4], 2],
  [[1, 3], 1],
  [[3, 4], 0],
  [[0, 1], 2],
  [[], 0],
])('%j have %i centers', (rows, centers) => {
  expect(someRows(whole, rows).centers).toBe(centers)
})

test('answers go back where they belong, whatever the order', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4]), (rows) => {
      const into = makeAnswers(5)
      recordFailure(into, 2, 'earlier')
      into.retries = 3
      const some = someAnswers(rows)
      rows.forEach((row, i) => {
        if (row === 4) recordFailure(some, i, 'lost')
        else some.values[i] = 10 * row
        if (row === 1 && some.cached !== undefined) some.cached[i] = 1
      })
      some.retries = 2
      putBack(some, rows, into)
      const expected = (row: number): number => (row === 4 ? Number.NaN : 10 * row)
      for (const row of rows) expect(into.values[row]).toBe(expected(row))
      expect(into.failed[2]).toBe(rows.includes(2) ? 0 : 1)
      expect(into.failed[4]).toBe(rows.includes(4) ? 1 : 0)
      expect(into.cached?.[1]).toBe(rows.includes(1) ? 1 : 0)
      expect(into.retries).toBe(5)
    }),
  )
})

test('a row that nobody answers is no answer', () => {
  expect(Array.from(someAnswers([0, 1]).values)).toEqual([Number.NaN, Number.NaN])
})
