import type { Vector } from '../../core/types.ts'
import { ballAverage } from './ball-average.ts'
import { inner } from './data.ts'
import { newtonMinimizer } from './newton.ts'
import type { FiniteSum, ProblemConstants, Smoothed, TestProblem } from './test-problem.ts'

/** A convex function of one number, with what bounds its first two derivatives. */
export interface Loss {
  value(t: number): number
  slope(t: number): number
  curvature(t: number): number
  readonly largestSlope: number
  readonly largestCurvature: number
}

/** f(x) = mean_j loss(a_j'x - y_j) + ridge/2 ||x||^2. */
export interface RegressionModel {
  readonly rows: readonly Float64Array[]
  readonly targets: Float64Array
  readonly loss: Loss
  readonly ridge: number
}

/** A regression as a finite sum. Its minimizer is found by Newton's method when it is first asked for. */
export function regression(dim: number, model: RegressionModel): TestProblem {
  const { rows } = model
  const terms = termsOf(dim, model)
  const value = (x: Vector): number => {
    let sum = 0
    for (let j = 0; j < terms.count; j++) sum += terms.value(x, j)
    return sum / terms.count
  }
  const gradient = (x: Vector): Float64Array => meanVector(dim, terms.count, (j) => terms.gradient(x, j))
  let found: Float64Array | undefined
  const minimizer = (): Float64Array => {
    found ??= newtonMinimizer({ value, gradient, hessian: (x) => hessianAt(dim, model, x) }, new Float64Array(dim))
    return found
  }
  return {
    dim,
    start: new Float64Array(dim),
    get minimum() {
      return value(minimizer())
    },
    get minimizer() {
      return minimizer()
    },
    constants: constantsOf(model),
    terms,
    value,
    gradient,
    smoothed(x, radius) {
      const smoothed = rows.map((_, j) => terms.smoothed(x, j, radius))
      return {
        value: smoothed.reduce((sum, each) => sum + each.value, 0) / terms.count,
        gradient: meanVector(dim, terms.count, (j) => (smoothed[j] as Smoothed).gradient),
      }
    },
  }
}

function termsOf(dim: number, { rows, targets, loss, ridge }: RegressionModel): FiniteSum {
  const ballMean = ballAverage(dim)
  const row = (j: number): Float64Array => rows[j] as Float64Array
  const residual = (x: Vector, j: number): number => inner(row(j), x) - (targets[j] as number)
  const along = (x: Vector, j: number, slope: number): Float64Array =>
    row(j).map((a, i) => slope * a + ridge * (x[i] as number))
  return {
    count: rows.length,
    value: (x, j) => loss.value(residual(x, j)) + (ridge / 2) * inner(x, x),
    gradient: (x, j) => along(x, j, loss.slope(residual(x, j))),
    smoothed(x, j, radius) {
      // a'u is distributed as ||a|| u_1, and E||u||^2 = d / (d + 2).
      const reach = radius * Math.sqrt(inner(row(j), row(j)))
      const squares = inner(x, x) + (radius * radius * dim) / (dim + 2)
      return {
        value: ballMean(loss.value, residual(x, j), reach) + (ridge / 2) * squares,
        gradient: along(x, j, ballMean(loss.slope, residual(x, j), reach)),
      }
    },
  }
}

/** The constants of the worst term. With a ridge the gradient grows without bound. */
function constantsOf({ rows, loss, ridge }: RegressionModel): ProblemConstants {
  const longest = rows.reduce((most, row) => Math.max(most, inner(row, row)), 0)
  const largestEntry = rows.reduce((most, row) => row.reduce((m, a) => Math.max(m, Math.abs(a)), most), 0)
  const smoothness = loss.largestCurvature * longest + ridge
  if (ridge > 0) return { smoothness }
  return {
    smoothness,
    gradientBound: loss.largestSlope * largestEntry,
    lipschitz: loss.largestSlope * Math.sqrt(longest),
  }
}

function hessianAt(dim: number, { rows, targets, loss, ridge }: RegressionModel, x: Float64Array): Float64Array[] {
  return Array.from({ length: dim }, (_, i) => {
    const entries = meanVector(dim, rows.length, (j) => {
      const row = rows[j] as Float64Array
      const weight = loss.curvature(inner(row, x) - (targets[j] as number)) * (row[i] as number)
      return row.map((a) => weight * a)
    })
    entries[i] = (entries[i] as number) + ridge
    return entries
  })
}

function meanVector(dim: number, count: number, of: (index: number) => Float64Array): Float64Array {
  const mean = new Float64Array(dim)
  for (let j = 0; j < count; j++) {
    const each = of(j)
    for (let i = 0; i < dim; i++) mean[i] = (mean[i] as number) + (each[i] as number) / count
  }
  return mean
}
