import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import { gaussian } from '../directions/gaussian.ts'
import { sphere } from '../directions/sphere.ts'
import { central } from './central.ts'
import { forward } from './forward.ts'

describe('samples', () => {
  test('from an infinite population are 32-bit words, one per sample, the same for its whole difference', () => {
    const estimation = central({ along: sphere(), directions: 2, samples: 3 }).begin(beginning(2, { seed: 1 }))
    const queries = estimation.queries(beginning(2).start, 4)
    const samples = Array.from({ length: queries.rows }, (_, row) => queries.sample(row))
    const [a, b, c] = samples as [number, number, number]
    expect(samples).toEqual([a, b, c, a, a, a, a, b, b, b, b, c, c, c, c])
    expect(new Set([a, b, c]).size).toBe(3)
    for (const word of [a, b, c]) expect(Number.isInteger(word) && word >= 0 && word < 4294967296).toBe(true)
    expect(Math.max(a, b, c)).toBeGreaterThan(65536)
  })

  test('are drawn anew in every iteration', () => {
    const at = beginning(2, { seed: 1 })
    const estimation = forward({ along: sphere(), directions: 1, samples: 1 }).begin(at)
    const words = [1, 2, 3, 4].map((iteration) => estimation.queries(at.start, iteration).sample(0))
    expect(new Set(words).size).toBe(4)
  })

  test('cannot be more than a finite sum has terms', () => {
    expect(() => forward({ along: sphere(), samples: 5 }).begin(beginning(2, { population: 3 }))).toThrow(
      'samples must be at most the population (3), got 5',
    )
  })
})

test('the smoothing radius follows its schedule', () => {
  const at = beginning(2, { start: [0, 0] })
  const length = (smoothing: Parameters<typeof forward>[0]['smoothing'], iteration: number): number => {
    const queries = forward({ along: sphere(), smoothing }).begin(at).queries(at.start, iteration)
    const row = new Float64Array(2)
    queries.write(1, row)
    return Math.hypot(...row)
  }
  expect(length(0.5, 9)).toBeCloseTo(0.5, 6)
  expect(length({ value: 0.5, decay: 'none' }, 9)).toBeCloseTo(0.5, 6)
  expect(length({ value: 0.5, decay: 'sqrt' }, 9)).toBeCloseTo(0.5 / 3, 6)
  expect(length({ value: 0.5, decay: 'linear' }, 9)).toBeCloseTo(0.5 / 9, 6)
  expect(length((t) => t / 100, 9)).toBeCloseTo(0.09, 6)
})

test('even a thousand enormous differences leave squares that float32 can hold', () => {
  const at = beginning(2, { precision: 'float32' })
  const estimation = forward({ along: gaussian(), directions: 1000 }).begin(at)
  const row = new Float64Array(2)
  const queries = estimation.queries(at.start, 1)
  const answers = makeAnswers(estimation.rows)
  // Each probe says the same: the first coordinate rises as steeply as numbers go.
  for (let i = 1; i < queries.rows; i++) {
    queries.write(i, row)
    answers.values[i] = (row[0] as number) > (at.start[0] as number) ? 1e308 : -1e308
  }
  const gradient = new Float32Array(2)
  estimation.estimate(at.start, 1, answers, gradient)
  expect(Number.isFinite(Math.fround((gradient[0] as number) * (gradient[0] as number)))).toBe(true)
  expect(gradient[0]).toBeGreaterThan(1e15)
})

test('a query that cannot be told from the point gives no slope', () => {
  const at = beginning(1, { start: [1e18] })
  const estimation = forward({ along: gaussian(), directions: 2, smoothing: 1e-3 }).begin(at)
  const answers = makeAnswers(estimation.rows)
  answers.values.set([1, 2, 3])
  const gradient = new Float64Array(1)
  expect(estimation.estimate(at.start, 1, answers, gradient)).toBe(2)
  expect(Array.from(gradient)).toEqual([0])
})
