import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Answers, Begin, Estimation } from '../core/types.ts'
import { gaussian } from '../directions/gaussian.ts'
import { sphere } from '../directions/sphere.ts'
import { forward } from './forward.ts'

const dim = 5
const mu = 1e-2
const terms = (x: ArrayLike<number>, sample: number): number =>
  Array.from(x).reduce(
    (sum, each, i) => sum + (each - 0.1 * sample) * (each - 0.1 * sample) * (1 + i) + each * sample,
    0,
  )

function answer(at: Begin, estimation: Estimation, iteration: number): Answers {
  const queries = estimation.queries(at.start, iteration)
  const answers = makeAnswers(queries.rows)
  const row = new Float64Array(dim)
  for (let i = 0; i < queries.rows; i++) {
    queries.write(i, row)
    answers.values[i] = terms(row, queries.sample(i))
  }
  return answers
}

function estimate(at: Begin, estimation: Estimation, iteration: number, answers: Answers) {
  const gradient = new Float64Array(dim)
  const kept = estimation.estimate(at.start, iteration, answers, gradient)
  return { kept, gradient: Array.from(gradient) }
}

/** Eq. (14) written down again: 1/(bq) sum_j sum_i (factor/mu) [f(x + mu u_i; xi_j) - f(x; xi_j)] u_i. */
function formula14(at: Begin, u: number[][], samples: number[], factor: number): number[] {
  const x = Array.from(at.start)
  const sum = new Array<number>(dim).fill(0)
  for (const sample of samples) {
    for (const direction of u) {
      const ahead = x.map((each, i) => each + mu * (direction[i] as number))
      const slope = (terms(ahead, sample) - terms(x, sample)) / mu
      direction.forEach((each, i) => {
        sum[i] = (sum[i] as number) + factor * slope * each
      })
    }
  }
  return sum.map((each) => each / (samples.length * u.length))
}

describe.each([
  ['sphere', sphere(), dim],
  ['gaussian', gaussian(), 1],
])('along %s', (_, along, factor) => {
  test.each([
    [1, 1],
    [3, 1],
    [1, 4],
    [3, 2],
  ])('q = %i directions and b = %i samples give eq. (14)', (q, b) => {
    const at = beginning(dim, { seed: 5, population: 7 })
    const estimation = forward({ along, directions: q, samples: b, smoothing: mu }).begin(at)
    expect(estimation.rows).toBe(b * (q + 1))
    const rows = along.begin(at, q)
    const u = Array.from({ length: q }, (_, row) => {
      const into = new Float64Array(dim)
      rows.write(new Float64Array(dim), 1, { seed: 5, iteration: 3 }, row, into, 0)
      return Array.from(into)
    })
    const queries = estimation.queries(at.start, 3)
    const samples = Array.from({ length: b }, (_, j) => queries.sample(j))
    expect(new Set(samples).size).toBe(b)
    const { kept, gradient } = estimate(at, estimation, 3, answer(at, estimation, 3))
    expect(kept).toBe(b * q)
    formula14(at, u, samples, factor).forEach((each, i) => {
      expect(Math.abs((gradient[i] as number) - each)).toBeLessThan(1e-9 * Math.max(1, Math.abs(each)))
    })
  })
})

describe('rows', () => {
  const at = beginning(dim, { seed: 5, population: 9 })
  const estimation = forward({ along: sphere(), directions: 2, samples: 3, smoothing: mu }).begin(at)
  const queries = estimation.queries(at.start, 1)

  test('are the centers of all samples, then the directions of each sample', () => {
    expect([queries.rows, queries.centers]).toEqual([9, 3])
    const [first, second, third] = [0, 1, 2].map((row) => queries.sample(row))
    const samples = Array.from({ length: 9 }, (_, row) => queries.sample(row))
    expect(samples).toEqual([first, second, third, first, first, second, second, third, third])
  })

  test('share the directions among the samples', () => {
    const write = (row: number) => {
      const into = new Float64Array(dim)
      queries.write(row, into)
      return Array.from(into)
    }
    expect(write(5)).toEqual(write(3))
    expect(write(7)).toEqual(write(3))
    expect(write(6)).toEqual(write(4))
    expect(write(4)).not.toEqual(write(3))
  })
})

describe('a failed query', () => {
  const at = beginning(dim, { seed: 5, population: 9 })
  const estimation = forward({ along: sphere(), directions: 3, samples: 2, smoothing: mu }).begin(at)
  /** The estimate from a single difference: sample j, direction i. */
  const single = (j: number, i: number): number[] => {
    const answers = answer(at, estimation, 1)
    answers.failed.fill(1)
    answers.failed[j] = 0
    answers.failed[2 + 3 * j + i] = 0
    const { kept, gradient } = estimate(at, estimation, 1, answers)
    expect(kept).toBe(1)
    return gradient
  }
  const mean = (...singles: number[][]): number[] =>
    Array.from({ length: dim }, (_, k) => singles.reduce((sum, each) => sum + (each[k] as number), 0) / singles.length)
  const withFailed = (...rows: number[]) => {
    const answers = answer(at, estimation, 1)
    for (const row of rows) answers.failed[row] = 1
    return estimate(at, estimation, 1, answers)
  }
  const expectClose = (actual: number[], expected: number[]) =>
    actual.forEach((each, i) => expect(Math.abs(each - (expected[i] as number))).toBeLessThan(1e-9))

  test('is left out, and the average is taken over those kept', () => {
    const { kept, gradient } = withFailed(3)
    expect(kept).toBe(5)
    expectClose(gradient, mean(single(0, 0), single(0, 2), single(1, 0), single(1, 1), single(1, 2)))
  })

  test('at a center takes the differences of its sample with it', () => {
    const { kept, gradient } = withFailed(0)
    expect(kept).toBe(3)
    expectClose(gradient, mean(single(1, 0), single(1, 1), single(1, 2)))
  })

  test('that is the whole direction leaves the others', () => {
    const { kept, gradient } = withFailed(2, 5)
    expect(kept).toBe(4)
    expectClose(gradient, mean(single(0, 1), single(0, 2), single(1, 1), single(1, 2)))
  })
})
