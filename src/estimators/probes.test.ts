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

test('rows that do not exist and places they do not fit into are refused', () => {
  const at = beginning(3)
  const queries = forward({ along: sphere(), directions: 2 }).begin(at).queries(at.start, 1)
  const into = new Float64Array(5)
  expect(() => queries.write(3, into)).toThrow('queries.write: there is no row 3; rows are 0 to 2')
  expect(() => queries.write(-1, into)).toThrow('there is no row -1')
  expect(() => queries.write(1, into, 3)).toThrow('a row of 3 numbers does not fit into a vector of 5 from 3 on')
  expect(into).toEqual(new Float64Array(5))
  queries.write(0, into, 2)
  expect(into.subarray(2)).toEqual(Float64Array.from(at.start))
})

test('kept rows that are too few are refused', () => {
  const at = beginning(3)
  const estimation = forward({ along: sphere(), directions: 2 }).begin(at)
  const answers = makeAnswers(3)
  answers.values.set([1, 2, 3])
  answers.kept = new Float64Array(8)
  expect(() => estimation.sum?.(1, answers)).toThrow('answers.kept needs 3 rows of 3, got 8 numbers')
})

test('probes that are short for float32 are warned of', () => {
  const warnings: string[] = []
  const at = { ...beginning(3, { precision: 'float32' }), warn: (message: string) => void warnings.push(message) }
  forward({ along: sphere(), smoothing: 1e-4 }).begin(at)
  expect(warnings).toEqual([])
  forward({ along: sphere(), smoothing: 1e-5 }).begin(at)
  expect(warnings).toEqual(['smoothing 0.00001 is small for float32: directions lose digits below 0.0001'])
})
