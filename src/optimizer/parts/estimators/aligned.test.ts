import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import { makeAnswers } from '../../core/answers.ts'
import type { Directions, EstimatorState, RunContext, Vector } from '../../core/types.ts'
import { orthonormalizeRow } from '../../kernels/orthonormalize.ts'
import { coordinate, gaussian, sphere } from '../directions/basic.ts'
import { orthogonal } from '../directions/orthogonal.ts'
import { box } from '../sets/boxes.ts'
import { aligned, solveGram } from './aligned.ts'

const dim = 6
const gradient = [0.5, -1.5, 2, -4, 0.25, 1]
const linear = (x: ArrayLike<number>): number => gradient.reduce((sum, each, i) => sum + each * (x[i] as number), 3)

/** The estimate from the answers of f, some of which fail, and the steps it was made from. */
function estimate(
  at: RunContext,
  estimation: EstimatorState,
  iteration: number,
  f = linear,
  failed: readonly number[] = [],
) {
  const answers = makeAnswers(estimation.rows)
  const queries = estimation.queries(at.start, iteration)
  const steps: number[][] = []
  for (let row = 0; row < estimation.rows; row++) {
    const point = new Float64Array(at.dim)
    queries.write(row, point)
    answers.values[row] = failed.includes(row) ? Number.NaN : f(point)
    answers.failed[row] = Number(failed.includes(row))
    if (row >= estimation.centers && !failed.includes(row)) {
      steps.push(Array.from(point, (each, i) => each - (at.start[i] as number)))
    }
  }
  const result: Vector = at.kernels.allocate(at.dim, at.precision)
  const kept = estimation.estimate(at.start, iteration, answers, result)
  return { kept, steps, result: Array.from(result) }
}

/** The gradient's orthogonal projection onto the span of the steps, by Gram-Schmidt. */
function projection(steps: readonly number[][]): number[] {
  const rows = Float64Array.from(steps.flat())
  const projected = new Array<number>(dim).fill(0)
  steps.forEach((_, row) => {
    expect(orthonormalizeRow(rows, dim, row, 1e-6)).toBe(true)
    const q = rows.subarray(row * dim, (row + 1) * dim)
    const share = q.reduce((sum, each, i) => sum + each * (gradient[i] as number), 0)
    q.forEach((each, i) => {
      projected[i] = (projected[i] as number) + share * each
    })
  })
  return projected
}

function near(found: readonly number[], expected: readonly number[], tolerance: number): void {
  found.forEach((each, i) => expect(Math.abs(each - (expected[i] as number))).toBeLessThan(tolerance))
}

const kinds: [string, Directions][] = [
  ['the sphere', sphere()],
  ['normals', gaussian()],
  ['orthogonal directions', orthogonal()],
]

describe.each(kinds)('of a linear function along %s', (_, along) => {
  test.each([false, true])('is the projection onto the span of the steps (two-sided: %s)', (twoSided) => {
    const at = beginning(dim)
    const property = fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 1e6 }),
      (directions, iteration) => {
        const estimation = aligned({ along, directions, smoothing: 0.5, twoSided }).start(at)
        const { result, steps, kept } = estimate(at, estimation, iteration)
        expect(kept).toBe(directions)
        near(result, projection(steps.filter((_, i) => !twoSided || i % 2 === 0)), 1e-10)
      },
    )
    fc.assert(property, { numRuns: 60, seed: 20196 })
  })

  test('is the gradient itself from as many directions as there are dimensions', () => {
    const at = beginning(dim)
    const estimation = aligned({ along, directions: dim, smoothing: 1 }).start(at)
    for (let iteration = 1; iteration <= 20; iteration++) {
      near(estimate(at, estimation, iteration).result, gradient, 1e-9)
    }
  })

  test('and, to 6 digits, from more than there are dimensions', () => {
    const at = beginning(dim)
    const estimation = aligned({ along, directions: 3 * dim, smoothing: 1 }).start(at)
    for (let iteration = 1; iteration <= 20; iteration++) {
      near(estimate(at, estimation, iteration).result, gradient, 1e-6)
    }
  })
})

test('leaves out rows that failed, and what they would have said', () => {
  const at = beginning(dim)
  const estimation = aligned({ along: gaussian(), directions: 4, smoothing: 1 }).start(at)
  const { result, steps, kept } = estimate(at, estimation, 3, linear, [1, 4])
  expect(kept).toBe(2)
  expect(steps).toHaveLength(2)
  near(result, projection(steps), 1e-12)
  expect(estimate(at, estimation, 3, linear, [0]).result).toEqual(new Array(dim).fill(0))
})

test('averages over the samples of a direction that were answered', () => {
  const at = beginning(dim)
  const estimation = aligned({ along: orthogonal(), directions: 3, samples: 2, smoothing: 1 }).start(at)
  const all = estimate(at, estimation, 3)
  expect(all.kept).toBe(6)
  near(estimate(at, estimation, 3, linear, [5]).result, all.result, 1e-12)
})

test('draws of the same coordinate count as one', () => {
  const at = beginning(2)
  const estimation = aligned({ along: coordinate(), directions: 30, smoothing: 1 }).start(at)
  near(estimate(at, estimation, 1, (x) => 3 * (x[0] as number) - 5 * (x[1] as number)).result, [3, -5], 1e-6)
})

test('counts the step really taken where probes are kept inside the set', () => {
  const at = beginning(dim, { set: box({ lower: -1, upper: 1 }) })
  const estimation = aligned({ along: gaussian(), directions: 3, smoothing: 1, feasible: true }).start(at)
  const { result, steps } = estimate(at, estimation, 2)
  near(result, projection(steps), 1e-10)
})

test('in float32 it is the same to 4 digits', () => {
  const at = beginning(dim, { precision: 'float32' })
  const estimation = aligned({ along: sphere(), directions: 3, smoothing: 0.5 }).start(at)
  const { result, steps } = estimate(at, estimation, 2)
  near(result, projection(steps), 1e-4)
})

/** The solution for the Gram matrix of some rows. */
function solved(rows: readonly number[][], values: readonly number[]): Float64Array {
  const n = rows.length
  const gram = Float64Array.from({ length: n * n }, (_, k) => {
    const [a, b] = [rows[Math.floor(k / n)] ?? [], rows[k % n] ?? []]
    return a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)
  })
  const w = Float64Array.from(values)
  solveGram(gram, n, w, new Float64Array(n * n), 1e-8)
  return w
}

test('solves the equations of independent rows to the last digits', () => {
  // G = [[4, 2, 0], [2, 10, 3], [0, 3, 2]].
  const w = solved(
    [
      [2, 0, 0],
      [1, 3, 0],
      [0, 1, 1],
    ],
    [8, 19, 4],
  )
  for (const [i, expected] of [1, 2, -1].entries()) expect(w[i]).toBeCloseTo(expected, 13)
})

test('shares out the mean among rows that are the same', () => {
  const w = solved(
    [
      [2, 0],
      [2, 0],
    ],
    [1, 3],
  )
  // S^T w is what counts: 2 (w_0 + w_1) = mean / 2.
  expect(2 * ((w[0] as number) + (w[1] as number))).toBeCloseTo(1, 7)
})

test('a row of zeros changes nothing else', () => {
  const w = solved(
    [
      [2, 0],
      [0, 0],
    ],
    [6, 1],
  )
  expect(w[0]).toBeCloseTo(1.5, 7)
  expect(Number.isFinite(w[1])).toBe(true)
})

test('nothing but zeros gives zeros', () => {
  expect(Array.from(solved([[0], [0]], [1, 2]))).toEqual([0, 0])
})
