import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { given } from './given.ts'

test('asks for each direction by iteration, row and dimension', () => {
  const asked: number[][] = []
  const direction = (...address: number[]) => {
    asked.push(address)
    return [3, 4]
  }
  const rows = given({ direction }).begin(beginning(2), 2)
  const into = new Float64Array(2)
  rows.write(Float64Array.of(1, 1), 0.5, { seed: 9, iteration: 7 }, 1, into, 0)
  expect(asked).toEqual([[7, 1, 2]])
  expect(Array.from(into)).toEqual([2.5, 3])
})

test('scales by the dimension, as for unit vectors, unless told otherwise', () => {
  const direction = () => [1, 0, 0]
  expect(given({ direction }).begin(beginning(3), 1).factor).toBe(3)
  expect(given({ direction, factor: 1 }).begin(beginning(3), 1).factor).toBe(1)
})

describe('says what is wrong with', () => {
  test('a direction of the wrong length', () => {
    const rows = given({ direction: () => [1] }).begin(beginning(2), 1)
    expect(() => rows.write(new Float64Array(2), 1, { seed: 0, iteration: 4 }, 3, new Float64Array(2), 0)).toThrow(
      'given.direction returned 1 entries for 2 (iteration 4, row 3)',
    )
  })

  test('a direction that is no function', () => {
    expect(() => given({ direction: [1, 0] as never })).toThrow(
      'given.direction must be a function (iteration, row, dim) that returns a vector, got Array(2)',
    )
  })
})
