import { describe, expect, test } from 'vitest'
import { makeAnswers } from '../../src/optimizer/core/answers.ts'
import type {
  Answers,
  Estimator,
  EstimatorState,
  Precision,
  RunContext,
  Vector,
} from '../../src/optimizer/core/types.ts'
import { beginning } from './directions.ts'

const dim = 4
const smoothing = 1e-3

/** f(x) = x'Ax / 2 + b'x with a gradient that has no zero at the start. */
const A = [
  [2, 0.5, 0, 0],
  [0.5, 1, -0.25, 0],
  [0, -0.25, 1.5, 0.75],
  [0, 0, 0.75, 3],
]
const b = [0.5, -1.5, 2, -4]
const product = (x: ArrayLike<number>, i: number): number =>
  (A[i] as number[]).reduce((sum, each, j) => sum + each * (x[j] as number), 0)
const gradient = (x: ArrayLike<number>): number[] => b.map((each, i) => each + product(x, i))
const quadratic = (x: ArrayLike<number>): number =>
  b.reduce((sum, each, i) => sum + (x[i] as number) * (each + product(x, i) / 2), 0)

/**
 * What every estimator must do, whatever the directions. `make` is given the smoothing radius to use. One that projects
 * gives a share of the gradient on average, the same in every coordinate.
 */
export function estimatorConforms(make: (smoothing: number) => Estimator, { projects = false } = {}): void {
  const begin = (given: Parameters<typeof beginning>[1] = {}) => {
    const at = beginning(dim, { seed: 11, ...given })
    return { at, estimation: make(smoothing).start(at) }
  }

  /** One estimate at the start from the answers of f. */
  const estimate = (at: RunContext, estimation: EstimatorState, iteration: number, f = quadratic) => {
    const answers = ask(at, estimation, iteration, f)
    const result = at.kernels.allocate(dim, at.precision)
    const kept = estimation.estimate(at.start, iteration, answers, result)
    return { answers, kept, gradient: Array.from(result) }
  }

  /** Whether twice the function gives twice the estimate. Votes do not: they say where to go, not how steep it is. */
  const isGradient = (): boolean => {
    const { at, estimation } = begin()
    const once = estimate(at, estimation, 1).gradient
    const twice = estimate(at, estimation, 1, (x) => 2 * quadratic(x)).gradient
    if (String(once) === String(twice)) return false
    twice.forEach((each, i) => expect(each).toBeCloseTo(2 * (once[i] as number), 6))
    return true
  }

  test('is unbiased on a quadratic, or, where it only votes, leans towards the gradient in every coordinate', () => {
    const { at, estimation } = begin()
    const iterations = 600
    const mean = new Array<number>(dim).fill(0)
    const squares = new Array<number>(dim).fill(0)
    for (let iteration = 1; iteration <= iterations; iteration++) {
      estimate(at, estimation, iteration).gradient.forEach((each, i) => {
        mean[i] = (mean[i] as number) + each / iterations
        squares[i] = (squares[i] as number) + (each * each) / iterations
      })
    }
    const unbiased = isGradient()
    const expected = gradient(at.start)
    const share = projects ? shareOf(mean, expected) : 1
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThan(1 + 1e-2)
    expected.forEach((g, i) => {
      const average = mean[i] as number
      const variance = Math.max((squares[i] as number) - average * average, 0)
      // Five standard errors, and the curvature that a forward difference along a coordinate sees: A_ii mu / 2.
      const tolerance = 5 * Math.sqrt(variance / iterations) + smoothing * 2 + 1e-9
      if (unbiased) expect(Math.abs(average - share * g)).toBeLessThan(tolerance)
      else expect(average * Math.sign(g)).toBeGreaterThan(0)
    })
  })

  test('asks as many rows as it declares, centers first', () => {
    const { at, estimation } = begin()
    const queries = estimation.queries(at.start, 3)
    expect([queries.rows, queries.centers, queries.dim]).toEqual([estimation.rows, estimation.centers, dim])
    expect(queries.key).toEqual({ seed: 11, iteration: 3 })
    const row = new Float64Array(dim)
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      if (i < queries.centers) expect(row).toEqual(at.start)
      else expect(row).not.toEqual(at.start)
    }
  })

  test('uses every row it asks', () => {
    const { at, estimation } = begin({ trackBest: false })
    const result = (row: number, value: number): string => {
      const answers = ask(at, estimation, 2, quadratic)
      answers.values[row] = value
      const into = at.kernels.allocate(dim, at.precision)
      estimation.estimate(at.start, 2, answers, into)
      return String(into)
    }
    for (let row = 0; row < estimation.rows; row++) expect(result(row, 1e6)).not.toBe(result(row, -1e6))
  })

  test('the same key gives the same rows and the same estimate, in another run, too', () => {
    const first = begin()
    const second = begin()
    estimate(second.at, second.estimation, 9)
    const again = estimate(second.at, second.estimation, 2)
    expect(estimate(first.at, first.estimation, 2)).toEqual(again)
    const otherSeed = begin({ seed: 12 })
    const rows = ({ at, estimation }: ReturnType<typeof begin>): string =>
      String(Array.from({ length: estimation.rows }, (_, row) => written(at, estimation, 2, row)))
    expect(rows(second)).toBe(rows(first))
    expect(otherSeed.estimation.rows).toBe(first.estimation.rows)
  })

  test('asking only reads', () => {
    const { at, estimation } = begin()
    const start = Array.from(at.start)
    const before = written(at, estimation, 1, estimation.rows - 1)
    estimation.queries(at.start, 1).write(0, new Float64Array(dim))
    expect(written(at, estimation, 1, estimation.rows - 1)).toEqual(before)
    const { answers } = estimate(at, estimation, 1)
    const values = Array.from(answers.values)
    estimation.estimate(at.start, 1, answers, at.kernels.allocate(dim, at.precision))
    expect(Array.from(at.start)).toEqual(start)
    expect(Array.from(answers.values)).toEqual(values)
  })

  test('every sample of a finite sum is one of its terms, and a query shares it with its partner', () => {
    const { at, estimation } = begin({ population: 5 })
    const queries = estimation.queries(at.start, 4)
    const samples = Array.from({ length: queries.rows }, (_, row) => queries.sample(row))
    expect(samples.every((sample) => Number.isInteger(sample) && sample >= 0 && sample < 5)).toBe(true)
    for (let row = 0; row < queries.centers; row++) expect(samples.slice(queries.centers)).toContain(samples[row])
  })

  describe('when queries fail', () => {
    test('what they say does not matter, and fewer differences are kept', () => {
      const { at, estimation } = begin({ trackBest: false })
      const all = estimate(at, estimation, 2).kept
      for (let row = 0; row < estimation.rows; row++) {
        const results = [0, Number.NaN, 1e308].map((value) => {
          const answers = ask(at, estimation, 2, quadratic)
          answers.values[row] = value
          answers.failed[row] = 1
          const into = at.kernels.allocate(dim, at.precision)
          const kept = estimation.estimate(at.start, 2, answers, into)
          expect(kept).toBeLessThan(all)
          return String(into)
        })
        expect(new Set(results).size).toBe(1)
        expect(results[0]).not.toContain('NaN')
      }
    })

    test('all of them, nothing is kept and the estimate is 0', () => {
      const { at, estimation } = begin()
      const answers = ask(at, estimation, 2, () => Number.NaN)
      answers.failed.fill(1)
      const into = at.kernels.allocate(dim, at.precision).fill(5)
      expect(estimation.estimate(at.start, 2, answers, into)).toBe(0)
      expect(Array.from(into)).toEqual([0, 0, 0, 0])
    })
  })

  test.each<Precision>(['float64', 'float32'])('stays finite in %s, whatever finite values it is told', (precision) => {
    const { at, estimation } = begin({ precision })
    const extremes = [1.7e308, -1.7e308, 1e308, -1e308, 0, 5e-324]
    for (const [shift] of extremes.entries()) {
      const answers = ask(at, estimation, 2, quadratic)
      answers.values.forEach((_, row) => {
        answers.values[row] = extremes[(row + shift) % extremes.length] as number
      })
      const into: Vector = at.kernels.allocate(dim, precision)
      estimation.estimate(at.start, 2, answers, into)
      // Squares, too: the second moment must not overflow.
      expect(
        into.every((each) => Number.isFinite(precision === 'float32' ? Math.fround(each * each) : each * each)),
      ).toBe(true)
    }
  })

  test('a flat function has gradient 0', () => {
    const { at, estimation } = begin()
    expect(estimate(at, estimation, 1, () => 3).gradient.map(Math.abs)).toEqual([0, 0, 0, 0])
  })
}

/** How long the mean is, measured along the gradient. */
function shareOf(mean: readonly number[], along: readonly number[]): number {
  const product = (a: readonly number[]) => a.reduce((sum, each, i) => sum + each * (along[i] as number), 0)
  return product(mean) / product(along)
}

function written(at: RunContext, estimation: EstimatorState, iteration: number, row: number): number[] {
  const into = new Float64Array(dim)
  estimation.queries(at.start, iteration).write(row, into)
  return Array.from(into)
}

function ask(
  at: RunContext,
  estimation: EstimatorState,
  iteration: number,
  f: (x: ArrayLike<number>) => number,
): Answers {
  const answers = makeAnswers(estimation.rows)
  for (let row = 0; row < estimation.rows; row++) answers.values[row] = f(written(at, estimation, iteration, row))
  return answers
}
