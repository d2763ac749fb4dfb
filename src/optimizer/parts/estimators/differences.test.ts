import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import { makeAnswers } from '../../core/answers.ts'
import type { Answers, Estimator, EstimatorState, RunContext } from '../../core/types.ts'
import { coordinate, gaussian, given, sphere } from '../directions/basic.ts'
import { central, forward, majorityVote, nes } from './differences.ts'

describe('forward', () => {
  const dim = 5
  const mu = 1e-2
  const terms = (x: ArrayLike<number>, sample: number): number =>
    Array.from(x).reduce(
      (sum, each, i) => sum + (each - 0.1 * sample) * (each - 0.1 * sample) * (1 + i) + each * sample,
      0,
    )

  function answer(at: RunContext, estimation: EstimatorState, iteration: number): Answers {
    const queries = estimation.queries(at.start, iteration)
    const answers = makeAnswers(queries.rows)
    const row = new Float64Array(dim)
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = terms(row, queries.sample(i))
    }
    return answers
  }

  function estimate(at: RunContext, estimation: EstimatorState, iteration: number, answers: Answers) {
    const gradient = new Float64Array(dim)
    const kept = estimation.estimate(at.start, iteration, answers, gradient)
    return { kept, gradient: Array.from(gradient) }
  }

  /** Eq. (14) written down again: 1/(bq) sum_j sum_i (factor/mu) [f(x + mu u_i; xi_j) - f(x; xi_j)] u_i. */
  function formula14(at: RunContext, u: number[][], samples: number[], factor: number): number[] {
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
      const estimation = forward({ along, directions: q, samples: b, smoothing: mu }).start(at)
      expect(estimation.rows).toBe(b * (q + 1))
      const rows = along.start(at, q)
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
    const estimation = forward({ along: sphere(), directions: 2, samples: 3, smoothing: mu }).start(at)
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
    const estimation = forward({ along: sphere(), directions: 3, samples: 2, smoothing: mu }).start(at)
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
      Array.from(
        { length: dim },
        (_, k) => singles.reduce((sum, each) => sum + (each[k] as number), 0) / singles.length,
      )
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
})

describe('central', () => {
  const square = (a: number): number => a * a
  const cubic = (x: ArrayLike<number>): number =>
    Array.from(x).reduce((sum, each, i) => sum + (each * each * each) / 3 + i * each, 0)

  function estimate(estimator: Estimator, start: number[], f: (x: ArrayLike<number>) => number, failed: number[] = []) {
    const at = beginning(start.length, { start, seed: 2, trackBest: false })
    const estimation = estimator.start(at)
    const queries = estimation.queries(at.start, 1)
    const answers = makeAnswers(queries.rows)
    const row = new Float64Array(start.length)
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = f(row)
    }
    for (const each of failed) answers.failed[each] = 1
    const gradient = new Float64Array(start.length)
    const kept = estimation.estimate(at.start, 1, answers, gradient)
    return { kept, gradient: Array.from(gradient), rows: queries.rows }
  }

  test('along all coordinates it is the textbook difference', () => {
    const mu = 1e-3
    const start = [0.5, -1, 2]
    const { kept, gradient, rows } = estimate(
      central({ along: coordinate({ all: true }), smoothing: mu }),
      start,
      cubic,
    )
    expect([kept, rows]).toEqual([3, 6])
    // [(a + mu)^3 - (a - mu)^3] / 6 mu = a^2 + mu^2 / 3.
    gradient.forEach((each, i) => expect(each).toBeCloseTo(square(start[i] as number) + square(mu) / 3 + i, 9))
  })

  test('on a quadratic it has no smoothing error: any radius gives the same estimate', () => {
    const f = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
    const wide = estimate(central({ along: sphere(), directions: 3, smoothing: 0.5 }), [1, 2, 3, 4], f).gradient
    const narrow = estimate(central({ along: sphere(), directions: 3, smoothing: 1e-3 }), [1, 2, 3, 4], f).gradient
    wide.forEach((each, i) => expect(Math.abs(each - (narrow[i] as number))).toBeLessThan(1e-8))
  })

  test.each([
    [10, 1, true, 21],
    [10, 1, false, 20],
    [3, 2, true, 14],
    [3, 2, false, 12],
  ])('q = %i, b = %i, trackBest %s costs %i queries', (directions, samples, trackBest, rows) => {
    const at = beginning(3, { trackBest })
    expect(central({ along: coordinate(), directions, samples }).start(at).rows).toBe(rows)
  })

  describe('a failed query', () => {
    test('takes its partner with it', () => {
      const estimator = central({ along: coordinate({ all: true }), smoothing: 1e-3 })
      const all = estimate(estimator, [1, 2, 3], cubic).gradient
      for (const failed of [[2], [3], [2, 3]]) {
        const { kept, gradient } = estimate(estimator, [1, 2, 3], cubic, failed)
        expect(kept).toBe(2)
        // The average over the two directions left: 3/2 of their share.
        expect(gradient[1]).toBe(0)
        expect(gradient[0]).toBeCloseTo(1.5 * (all[0] as number), 10)
        expect(gradient[2]).toBeCloseTo(1.5 * (all[2] as number), 10)
      }
    })
  })
})

describe('nes', () => {
  function estimate(estimator: Estimator): number[] {
    const at = beginning(4, { seed: 2, trackBest: false })
    const estimation = estimator.start(at)
    const queries = estimation.queries(at.start, 1)
    const answers = makeAnswers(queries.rows)
    const row = new Float64Array(4)
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = row.reduce((sum, each, k) => sum + (k + 1) * each * each, 0)
    }
    const gradient = new Float64Array(4)
    estimation.estimate(at.start, 1, answers, gradient)
    return Array.from(gradient)
  }

  test.each([
    [1, 2],
    [2, 2],
    [5, 6],
    [10, 10],
  ])('q = %i costs %i queries, and one more with a center', (directions, rows) => {
    const begin = (trackBest: boolean) => nes({ along: sphere(), directions }).start(beginning(3, { trackBest }))
    expect([begin(false).rows, begin(true).rows]).toEqual([rows, rows + 1])
  })

  test('is the central difference along ceil(q/2) directions', () => {
    for (const directions of [5, 6]) {
      expect(estimate(nes({ along: sphere(), directions }))).toEqual(
        estimate(central({ along: sphere(), directions: 3 })),
      )
    }
  })

  test.each([
    [10, 0.5],
    [5, 0.6],
  ])('the factor of the reference code for q = %i gives %f of it', (directions, share) => {
    const whole = estimate(nes({ along: sphere(), directions }))
    const part = estimate(nes({ along: sphere(), directions, referenceFactor: true }))
    part.forEach((each, i) => expect(each / (whole[i] as number)).toBeCloseTo(share, 12))
  })
})

describe('majority vote', () => {
  const directions = [
    [1, -1, 0],
    [1, 1, 1],
    [1, -1, -1],
  ]

  function votes(changes: number[], failed: number[] = []) {
    const along = given({ direction: (_, row) => directions[row] as number[] })
    const at = beginning(3)
    const estimation = majorityVote({ along, directions: 3 }).start(at)
    const answers = makeAnswers(4)
    answers.values.set([10, ...changes.map((change) => 10 + change)])
    for (const row of failed) answers.failed[row] = 1
    const gradient = new Float64Array(3)
    const kept = estimation.estimate(at.start, 1, answers, gradient)
    return { kept, votes: Array.from(gradient) }
  }

  test('each direction votes with the sign of its own estimate', () => {
    expect(votes([0.1, 5, -2])).toEqual({ kept: 3, votes: [1, 1, 2] })
  })

  test('the size of a change does not matter', () => {
    expect(votes([1e-9, 1e200, -3])).toEqual(votes([0.1, 5, -2]))
  })

  test('no change is no vote', () => {
    expect(votes([0, 0, 1])).toEqual({ kept: 3, votes: [1, -1, -1] })
  })

  test('a failed direction has no vote', () => {
    expect(votes([0.1, 5, -2], [2])).toEqual({ kept: 2, votes: [0, 0, 1] })
  })
})
