import { expect, test } from 'vitest'
import { askedPoints } from './asked-points.ts'

test('keeps points in the order they were asked, without those that failed', () => {
  const asked = askedPoints(2, 10)
  asked.add(Float64Array.of(1, 2, 3, 4, 5, 6), Float64Array.of(0.5, Number.NaN, 0.25))
  asked.add(Float64Array.of(7, 8), Float64Array.of(0.125))
  expect(asked.count).toBe(3)
  expect(Array.from(asked.points)).toEqual([1, 2, 5, 6, 7, 8])
  expect(Array.from(asked.values)).toEqual([0.5, 0.25, 0.125])
})

test('forgets the oldest quarter when it is full', () => {
  const asked = askedPoints(1, 8)
  for (let k = 0; k < 200; k++) {
    asked.add(Float64Array.of(k), Float64Array.of(-k))
    expect(asked.count).toBeLessThanOrEqual(8)
    expect(asked.points.at(-1)).toBe(k)
  }
  expect(Array.from(asked.points)).toEqual([192, 193, 194, 195, 196, 197, 198, 199])
  asked.add(Float64Array.of(200), Float64Array.of(-200))
  expect(Array.from(asked.values)).toEqual([-194, -195, -196, -197, -198, -199, -200])
})

test('has room for what was saved, and goes on from it', () => {
  const asked = askedPoints(1, 4, { vectors: { values: new Float64Array(3) }, state: {} })
  expect(asked.memory.vectors).toEqual({ points: new Float64Array(3), values: new Float64Array(3) })
  asked.memory.vectors?.points?.set([1, 2, 3])
  asked.add(Float64Array.of(4, 5), Float64Array.of(0, 0))
  expect(Array.from(asked.points)).toEqual([2, 3, 4, 5])
})
