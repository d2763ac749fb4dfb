import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promisingOrder } from './promising-order.ts'

test('has every number once, and depends on the seed and the round alone', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 300 }), (seed, round, count) => {
      const promise = (i: number) => 1 / (1 + i)
      const order = promisingOrder(seed, round, count, promise)
      expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
      expect(promisingOrder(seed, round, count, promise)).toEqual(order)
    }),
    { numRuns: 50 },
  )
  expect(promisingOrder(1, 0, 50, () => 1)).not.toEqual(promisingOrder(2, 0, 50, () => 1))
  expect(promisingOrder(1, 0, 50, () => 1)).not.toEqual(promisingOrder(1, 1, 50, () => 1))
})

test('the first place goes to each about in proportion to its promise', () => {
  const promises = [4, 2, 1, 1]
  const firsts = [0, 0, 0, 0]
  const rounds = 4000
  for (let round = 0; round < rounds; round++) {
    const [first = 0] = promisingOrder(3, round, 4, (i) => promises[i] as number)
    firsts[first] = (firsts[first] as number) + 1
  }
  const shares = firsts.map((each) => each / rounds)
  // Within the difference between u / (1 - u) and an exponential, which favours the promising ones less.
  expect(shares[0]).toBeGreaterThan(0.4)
  expect(shares[0]).toBeLessThan(0.55)
  expect(shares[1]).toBeGreaterThan(0.2)
  expect(shares[1]).toBeLessThan(0.3)
  expect(Math.abs((shares[2] as number) - (shares[3] as number))).toBeLessThan(0.03)
})

test('low promises come late: of a thousand, the hundred that promise a hundred times more are mostly in front', () => {
  const order = promisingOrder(1, 0, 1000, (i) => (i < 100 ? 1 : 0.01))
  const ahead = Array.from(order.subarray(0, 100)).filter((i) => i < 100).length
  expect(ahead).toBeGreaterThan(75)
})
