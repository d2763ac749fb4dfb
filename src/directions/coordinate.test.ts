import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { coordinate } from './coordinate.ts'

const key = { seed: 3, iteration: 2 }

test('moves exactly one coordinate, by exactly the scale', () => {
  const x = Float64Array.of(1, 2, 3, 4, 5, 6)
  const rows = coordinate().begin(beginning(6), 40)
  const into = new Float64Array(6)
  for (let row = 0; row < 40; row++) {
    rows.write(x, 0.25, key, row, into, 0)
    const moved = into.map((each, i) => each - (x[i] as number)).filter((each) => each !== 0)
    expect(Array.from(moved)).toEqual([0.25])
  }
})

test('draws coordinates evenly and with replacement', () => {
  const [dim, count] = [5, 5000]
  const rows = coordinate().begin(beginning(dim), count)
  const counts = new Array<number>(dim).fill(0)
  const into = new Float64Array(dim)
  for (let row = 0; row < count; row++) {
    rows.write(new Float64Array(dim), 1, key, row, into, 0)
    const chosen = into.indexOf(1)
    counts[chosen] = (counts[chosen] as number) + 1
  }
  const expected = count / dim
  const chiSquare = counts.reduce((sum, each) => sum + ((each - expected) * (each - expected)) / expected, 0)
  // 99.9 % quantile with 4 degrees of freedom.
  expect(chiSquare).toBeLessThan(18.47)
})

test('takes all of them in order, however many were asked for', () => {
  const rows = coordinate({ all: true }).begin(beginning(4), 2)
  expect(rows.count).toBe(4)
  const into = new Float64Array(16)
  for (let row = 0; row < 4; row++) rows.write(new Float64Array(4), 1, key, row, into, 4 * row)
  expect(Array.from(into)).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
})

test('accumulates into its own coordinate only', () => {
  const rows = coordinate({ all: true }).begin(beginning(3), 1)
  const gradient = Float64Array.of(10, 20, 30)
  rows.accumulate?.(Float64Array.of(1, 1, 1), 0.5, key, 1, 4, false, gradient)
  expect(Array.from(gradient)).toEqual([10, 22, 30])
  rows.accumulate?.(Float64Array.of(1, 1, 1), 0.5, key, 2, 4, true, gradient)
  expect(Array.from(gradient)).toEqual([10, 22, 34])
})
