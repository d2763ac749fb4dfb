import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spreadSample } from './spread-sample.ts'

test('takes as many of each class, from the front to the back, however the set is sorted', () => {
  const sorted = Array.from({ length: 100 }, (_, i) => Math.floor(i / 25))
  expect(spreadSample(sorted, 8)).toEqual([6, 18, 31, 43, 56, 68, 81, 93])
  const mixed = Array.from({ length: 100 }, (_, i) => i % 4)
  expect(spreadSample(mixed, 8).map((index) => mixed[index])).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
})

test('fills up from large classes where small ones are used up', () => {
  expect(spreadSample([1, 0, 0, 0, 0, 0, 0, undefined], 5)).toEqual([0, 1, 3, 4, 6])
})

test('spreads over the classes where there are more of them than images wanted', () => {
  const labels = Array.from({ length: 1000 }, (_, i) => 999 - i)
  expect(spreadSample(labels, 4).map((index) => labels[index])).toEqual([875, 625, 375, 125])
})

test('takes everything there is, once, and nothing else', () => {
  const label = fc.option(fc.nat(5), { nil: undefined })
  fc.assert(
    fc.property(fc.array(label, { maxLength: 60 }), fc.nat(40), (labels, size) => {
      const taken = spreadSample(labels, size)
      const labelled = labels.filter((each) => each !== undefined).length
      expect(taken).toHaveLength(Math.min(size, labelled))
      expect(new Set(taken).size).toBe(taken.length)
      expect(taken.every((index) => labels[index] !== undefined)).toBe(true)
      const counts = labels.map((each) => taken.filter((index) => labels[index] === each).length)
      const sizes = labels.map((each) => labels.filter((other) => other === each).length)
      const most = Math.max(0, ...counts.filter((_, i) => labels[i] !== undefined))
      labels.forEach((each, i) => {
        if (each === undefined || size < 6) return
        expect(counts[i]).toBeGreaterThanOrEqual(Math.min(most - 1, sizes[i] as number))
      })
    }),
  )
})
