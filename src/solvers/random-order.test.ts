import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomOrder } from './random-order.ts'

test('is an order of all numbers, the same for the same seed and round', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(1000), fc.nat(300), (seed, round, count) => {
      const order = randomOrder(seed, round, count)
      expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
      expect(randomOrder(seed, round, count)).toEqual(order)
    }),
    { numRuns: 30 },
  )
})

test('another seed and another round give another order', () => {
  expect(Array.from(randomOrder(1, 0, 8))).toEqual([1, 7, 3, 2, 5, 6, 4, 0])
  expect(randomOrder(1, 1, 20)).not.toEqual(randomOrder(1, 0, 20))
  expect(randomOrder(2, 0, 20)).not.toEqual(randomOrder(1, 0, 20))
})

test('every number comes first equally often', () => {
  const counts = new Uint32Array(5)
  for (let round = 0; round < 5000; round++) {
    const first = randomOrder(3, round, 5)[0] as number
    counts[first] = (counts[first] as number) + 1
  }
  // Five standard deviations around 1000.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(800))
})
