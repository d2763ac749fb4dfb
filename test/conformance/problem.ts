import { describe, expect, test } from 'vitest'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import type { TestProblem } from '../../src/optimizer/objectives/problems/test-problem.ts'

/** How many points, or pairs of points, each statement is tried on. */
const trials = 40

/** What every test problem promises, whoever wrote it. */
export function conformsAsProblem(name: string, make: () => TestProblem): void {
  describe(name, () => {
    const problem = make()

    test('has a start and a minimizer of its dimension', () => {
      expect(problem.start.length).toBe(problem.dim)
      expect(problem.minimizer?.length ?? problem.dim).toBe(problem.dim)
      expect(Number.isFinite(problem.value(problem.start))).toBe(true)
    })

    test('its gradient is that of its value', () => {
      for (const x of points(problem)) expectGradient(problem.gradient(x), problem.value, x)
    })

    test('its minimum is attained at its minimizer and nowhere undercut', () => {
      if (problem.minimizer === undefined) {
        expect(problem.minimum).toBe(-Infinity)
        return
      }
      expect(problem.value(problem.minimizer)).toBe(problem.minimum)
      for (const entry of problem.gradient(problem.minimizer)) expect(Math.abs(entry)).toBeLessThan(1e-12)
      for (const x of points(problem)) expect(problem.value(x)).toBeGreaterThanOrEqual(problem.minimum)
    })

    test('its constants hold between random points', () => {
      for (const part of summands(problem)) expectConstants(problem, part)
    })

    test('its value and gradient are the means of its terms', () => {
      const { terms } = problem
      if (terms === undefined) return
      for (const x of points(problem)) {
        const indices = Array.from({ length: terms.count }, (_, j) => j)
        expect(mean(indices.map((j) => terms.value(x, j)))).toBeCloseTo(problem.value(x), 12)
        problem.gradient(x).forEach((entry, i) => {
          expect(mean(indices.map((j) => terms.gradient(x, j)[i] as number))).toBeCloseTo(entry, 12)
        })
      }
    })

    test('is the same problem when made again with the same options', () => {
      const twin = make()
      expect(twin.start).toEqual(problem.start)
      expect(twin.minimizer).toEqual(problem.minimizer)
      for (const x of points(problem)) {
        expect(twin.value(x)).toBe(problem.value(x))
        expect(twin.gradient(x)).toEqual(problem.gradient(x))
      }
    })

    test('leaves the point it is given alone and needs no this', () => {
      const { value, gradient } = problem
      const x = problem.start.slice()
      value(x)
      gradient(x).fill(7)
      expect(x).toEqual(problem.start)
      expect(gradient(x)).not.toEqual(new Float64Array(problem.dim).fill(7))
    })
  })
}

interface Summand {
  value(x: Float64Array): number
  gradient(x: Float64Array): Float64Array
}

/** The problem itself, and its terms: the paper's assumptions are about each of them. */
function summands(problem: TestProblem): Summand[] {
  const { terms } = problem
  if (terms === undefined) return [problem]
  const each = Array.from({ length: terms.count }, (_, j) => ({
    value: (x: Float64Array) => terms.value(x, j),
    gradient: (x: Float64Array) => terms.gradient(x, j),
  }))
  return [problem, ...each]
}

function expectConstants({ dim, constants }: { dim: number } & Pick<TestProblem, 'constants'>, part: Summand): void {
  const { smoothness = Infinity, gradientBound = Infinity, lipschitz = Infinity } = constants
  for (let trial = 0; trial < trials; trial++) {
    const x = randomPoint(dim, 2 * trial, 4)
    const y = randomPoint(dim, 2 * trial + 1, trial % 2 === 0 ? 4 : 0.01).map((each, i) =>
      trial % 2 === 0 ? each : each + (x[i] as number),
    )
    const apart = length(x.map((each, i) => each - (y[i] as number))) * (1 + 1e-12)
    const gradient = part.gradient(x)
    const turn = length(gradient.map((each, i) => each - (part.gradient(y)[i] as number)))
    expect(turn).toBeLessThanOrEqual(smoothness === Infinity ? Infinity : smoothness * apart + 1e-12)
    expect(Math.max(...gradient.map(Math.abs))).toBeLessThanOrEqual(gradientBound * (1 + 1e-12))
    expect(Math.abs(part.value(x) - part.value(y))).toBeLessThanOrEqual(lipschitz * apart + 1e-12)
  }
}

/** Central differences at a step that balances rounding (1e-16 f / h) against curvature (h^2 f''' / 6). */
export function expectGradient(gradient: Float64Array, value: (x: Float64Array) => number, x: Float64Array): void {
  const h = 1e-5
  const size = 1 + Math.abs(value(x)) + length(gradient)
  gradient.forEach((entry, i) => {
    const ahead = x.slice()
    const behind = x.slice()
    ahead[i] = (x[i] as number) + h
    behind[i] = (x[i] as number) - h
    expect(Math.abs((value(ahead) - value(behind)) / (2 * h) - entry)).toBeLessThan(1e-8 * size)
  })
}

/** The start, and random points around the origin, small and large. */
function points(problem: TestProblem): Float64Array[] {
  const random = Array.from({ length: trials }, (_, row) =>
    randomPoint(problem.dim, row, [0.1, 1, 3][row % 3] as number),
  )
  return [problem.start, ...random]
}

export function randomPoint(dim: number, row: number, size: number): Float64Array {
  const at = { seed: 20190522, iteration: 1, row }
  return Float64Array.from({ length: dim }, (_, i) => size * (2 * randomUniform(at, 'noise', i) - 1))
}

export function length(v: Float64Array): number {
  return Math.sqrt(v.reduce((sum, each) => sum + each * each, 0))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
