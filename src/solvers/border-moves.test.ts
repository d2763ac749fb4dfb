import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { distance, halfWay, stepDown, turnedNearer } from './border-moves.ts'

const { kernels } = beginning(2)
const at = (...numbers: number[]) => Float64Array.from(numbers)

test('a step down has the length that is asked for, and none where there is no slope', () => {
  const into = at(0, 0)
  stepDown(kernels, at(1, 1), at(3, -4), 10, into)
  expect(Array.from(into)).toEqual([-5, 9])
  stepDown(kernels, at(1, 1), at(0, 0), 10, into)
  expect(Array.from(into)).toEqual([1, 1])
})

test('half-way is the middle', () => {
  const into = at(0, 0)
  halfWay(at(1, 4), at(3, -2), into)
  expect(Array.from(into)).toEqual([2, 1])
})

test('a turned point is nearer by its share, and points between the best one and the steepest descent', () => {
  const known = { origin: at(1, 0), kept: at(5, 0), gradient: at(0, -7) }
  const into = at(0, 0)
  turnedNearer(kernels, known, 0, 0.25, into)
  expect(Array.from(into)).toEqual([4, 0])
  turnedNearer(kernels, known, 1, 0.25, into)
  expect(Array.from(into)).toEqual([1, 3])
  turnedNearer(kernels, known, 0.5, 0.5, into)
  expect(distance(into, known.origin)).toBeCloseTo(2, 12)
  expect(into[0] as number).toBeCloseTo(1 + Math.SQRT2, 12)
})
