import { expect, test } from 'vitest'
import { randomUniform } from '../kernels/random.ts'
import { noiseLevel } from './noise-level.ts'

/** Deviations of mean 0 and variance 1, the same in every run. */
const deviation = (k: number): number =>
  Math.sqrt(12) * (randomUniform({ seed: 3, iteration: 0, row: k }, 'noise', 0) - 0.5)

const learned = (noise: (value: number, k: number) => number): ReturnType<typeof noiseLevel> => {
  const level = noiseLevel()
  for (let k = 0; k < 400; k++) {
    const value = 2 ** -(k / 20)
    level.add([value + noise(value, 2 * k), value + noise(value, 2 * k + 1)])
  }
  return level
}

test('finds constant noise, also where values fall by orders of magnitude', () => {
  const level = learned((_, k) => 0.01 * deviation(k))
  for (const value of [-5, 0, 1e-3, 1000]) expect(level.at(value)).toBeCloseTo(0.01, 3)
})

test('finds noise in proportion to the value', () => {
  const level = learned((value, k) => 0.01 * value * deviation(k))
  expect(level.at(1)).toBeCloseTo(0.01, 3)
  expect(level.at(-1e-6) / level.at(1e3)).toBeCloseTo(1e-9, 15)
})

test('takes the variance of a few answers without bias', () => {
  const level = noiseLevel()
  level.add([1, 2, 3])
  expect(level.at(2)).toBeCloseTo(1, 12)
})

test('equal answers leave rounding alone', () => {
  const level = noiseLevel()
  level.add([2, 2, 2])
  expect(level.isExact).toBe(true)
  expect(level.at(2)).toBeCloseTo(2e-15, 25)
  expect(level.at(0)).toBe(1e-300)
})

test('answers that failed, or were single, teach nothing', () => {
  const level = noiseLevel()
  level.add([Number.NaN, 4])
  expect(level.isExact).toBe(false)
  level.add([1, Number.NaN, 1.5])
  expect(level.isExact).toBe(false)
  expect(level.at(1)).toBeCloseTo(Math.sqrt(0.125), 12)
})
