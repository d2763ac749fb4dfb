import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shuffled } from './shuffled.ts'

const all = (length: number, seed: number, iteration = 0): number[] => {
  const order = shuffled(length, { seed, iteration, row: 0 })
  return Array.from({ length }, (_, i) => order(i))
}

test('every number comes once, whatever the length and the seed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 700 }), fc.nat(), (length, seed) => {
      const sorted = all(length, seed).sort((a, b) => a - b)
      expect(sorted).toEqual(Array.from({ length }, (_, i) => i))
    }),
    { numRuns: 40 },
  )
})

test('the order is that of its address', () => {
  expect(all(100, 3)).toEqual(all(100, 3))
  expect(all(100, 3)).not.toEqual(all(100, 4))
  expect(all(100, 3, 1)).not.toEqual(all(100, 3))
})

test('a number is as likely to come first as any other', () => {
  const counts = new Float64Array(10)
  for (let seed = 0; seed < 5000; seed++) {
    const first = shuffled(10, { seed, iteration: 0, row: 0 })(0)
    counts[first] = (counts[first] as number) + 1
  }
  // 9 degrees of freedom: above 33.7 in 1 of 10,000 cases.
  expect(counts.reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0)).toBeLessThan(33.7)
})

test('an order of ten million numbers takes no memory for them', () => {
  const order = shuffled(10_000_000, { seed: 1, iteration: 0, row: 0 })
  const seen = new Set(Array.from({ length: 1000 }, (_, i) => order(i * 9973)))
  expect(seen.size).toBe(1000)
  expect(Math.max(...seen)).toBeLessThan(10_000_000)
})
