import { expect, test } from 'vitest'
import { sampleMean } from './sample-mean.ts'

test('mean and standard error are those of the textbook', () => {
  const sample = sampleMean()
  for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) sample.add(value)
  expect(sample).toMatchObject({ count: 8, mean: 5 })
  expect(sample.standardError).toBeCloseTo(Math.sqrt(32 / 7 / 8), 14)
  expect(sample.score(5 - sample.standardError)).toBeCloseTo(1, 12)
})

test('a number that never varies may miss its prediction by rounding alone', () => {
  const sample = sampleMean()
  for (let i = 0; i < 5; i++) sample.add(0.1 + 0.2)
  expect(sample.score(0.3)).toBe(0)
  expect(sample.score(0.4)).toBe(-Infinity)
})
