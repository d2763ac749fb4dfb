import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { distance } from './border-moves.ts'
import { turnedNearer } from './turned-nearer.ts'

const numbers = (...given: number[]) => Float64Array.from(given)

test('a turned point is nearer by its share, and points between the best one and the steepest descent', () => {
  const { kernels } = beginning(2)
  const known = { origin: numbers(1, 0), kept: numbers(5, 0), gradient: numbers(0, -7) }
  const into = numbers(0, 0)
  turnedNearer(kernels, known, { turn: 0, nearerNow: 0.25 }, into)
  expect(Array.from(into)).toEqual([4, 0])
  turnedNearer(kernels, known, { turn: 1, nearerNow: 0.25 }, into)
  expect(Array.from(into)).toEqual([1, 3])
  turnedNearer(kernels, known, { turn: 0.5, nearerNow: 0.5 }, into)
  expect(distance(into, known.origin)).toBeCloseTo(2, 12)
  expect(into[0] as number).toBeCloseTo(1 + Math.SQRT2, 12)
})
