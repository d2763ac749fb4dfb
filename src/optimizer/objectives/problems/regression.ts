import { ZerothError } from '../../core/errors.ts'
import { count, positive, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Vector } from '../../core/types.ts'
import { dot } from '../../numerics/vectors.ts'
import {
  checkDataSize,
  dataSeedOption,
  type FiniteSum,
  type ProblemConstants,
  type TestProblem,
  uniformRow,
} from './test-problem.ts'

/**
 * f(x) = mean_j ln(1 + exp(-y_j a_j'x)) + ridge/2 ||x||^2 on drawn points a_j, whose labels y_j = +-1 follow a drawn
 * plane but for noise.
 */
export const logisticRegression = definePart({
  kind: 'problem',
  name: 'logistic-regression',
  summary: 'Logistic regression on generated points: a finite sum.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 5),
    /** Number of terms. At least 1; default 50. */
    population: withDefault(count, 50),
    /** Weight of ||x||^2 / 2, without which there may be no minimum. Above 0; default 0.1. */
    ridge: withDefault(positive, 0.1),
    /** Determines the generated data. At least 0; default 0. */
    seed: dataSeedOption,
  }),
  examples: (dim) => [{ dim }, { dim, population: 7, ridge: 1, seed: 1 }],
  make({ dim, population, ridge, seed }): TestProblem {
    checkDataSize('logistic-regression', dim, population)
    const plane = uniformRow(seed, 0, dim)
    const noise = uniformRow(seed, 1, population)
    const rows = Array.from({ length: population }, (_, j) => {
      const point = uniformRow(seed, 2 + j, dim)
      const label = dot(plane, point) + (noise[j] as number) / 2 < 0 ? -1 : 1
      return point.map((each) => label * each)
    })
    return regression(dim, { rows, targets: new Float64Array(population), loss: logistic, ridge })
  },
})

/** ln(1 + e^-t), arranged so that nothing overflows. */
const logistic: Loss = {
  value: (t) => Math.log1p(Math.exp(-Math.abs(t))) + Math.max(-t, 0),
  slope: (t) => -share(t),
  curvature: (t) => share(t) * (1 - share(t)),
  largestSlope: 1,
  largestCurvature: 0.25,
}

/** 1 / (1 + e^t). */
function share(t: number): number {
  const small = Math.exp(-Math.abs(t))
  return (t > 0 ? small : 1) / (1 + small)
}

/** Every this-many-th target is off by ten times the usual noise. */
const outlierSpacing = 5

/**
 * f(x) = mean_j sqrt(1 + (a_j'x - y_j)^2) - 1 on drawn data with outliers: convex, and A1, A2 and A3 hold everywhere
 * for every term.
 */
export const robustRegression = definePart({
  kind: 'problem',
  name: 'robust-regression',
  summary: 'Regression with a robust loss on generated data with outliers: a finite sum with bounded gradients.',
  options: table({
    /** Number of variables. */
    dim: withDefault(count, 5),
    /** Number of terms; at least dim, so that the minimum is unique. At least 1; default 50. */
    population: withDefault(count, 50),
    /** Determines the generated data. At least 0; default 0. */
    seed: dataSeedOption,
  }),
  examples: (dim) => [{ dim }, { dim, population: 4 * dim, seed: 1 }],
  make({ dim, population, seed }): TestProblem {
    if (population < dim) {
      throw new ZerothError(
        'invalid-option',
        `robust-regression.population must be at least dim (${dim}), got ${population}`,
      )
    }
    checkDataSize('robust-regression', dim, population)
    const truth = uniformRow(seed, 0, dim)
    const noise = uniformRow(seed, 1, population)
    const rows = Array.from({ length: population }, (_, j) => uniformRow(seed, 2 + j, dim))
    const targets = noise.map((each, j) => {
      const scale = j % outlierSpacing === 0 ? 2 : 0.2
      return dot(truth, rows[j] as Float64Array) + scale * each
    })
    return regression(dim, { rows, targets, loss: pseudoHuber, ridge: 0 })
  },
})

const pseudoHuber: Loss = {
  value: (t) => Math.sqrt(1 + t * t) - 1,
  slope: (t) => t / Math.sqrt(1 + t * t),
  curvature: (t) => 1 / ((1 + t * t) * Math.sqrt(1 + t * t)),
  largestSlope: 1,
  largestCurvature: 1,
}

/** A convex function of one number, with what bounds its first two derivatives. */
export interface Loss {
  value(t: number): number
  slope(t: number): number
  curvature(t: number): number
  readonly largestSlope: number
  readonly largestCurvature: number
}

/** f(x) = mean_j loss(a_j'x - y_j) + ridge/2 ||x||^2. */
interface RegressionModel {
  readonly rows: readonly Float64Array[]
  readonly targets: Float64Array
  readonly loss: Loss
  readonly ridge: number
}

/** A regression as a finite sum. Its minimizer is found by Newton's method when it is first asked for. */
function regression(dim: number, model: RegressionModel): TestProblem {
  const terms = termsOf(model)
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
  }
}

function termsOf({ rows, targets, loss, ridge }: RegressionModel): FiniteSum {
  const row = (j: number): Float64Array => rows[j] as Float64Array
  const residual = (x: Vector, j: number): number => dot(row(j), x) - (targets[j] as number)
  const along = (x: Vector, j: number, slope: number): Float64Array =>
    row(j).map((a, i) => slope * a + ridge * (x[i] as number))
  return {
    count: rows.length,
    value: (x, j) => loss.value(residual(x, j)) + (ridge / 2) * dot(x, x),
    gradient: (x, j) => along(x, j, loss.slope(residual(x, j))),
  }
}

/** The constants of the worst term. With a ridge the gradient grows without bound. */
function constantsOf({ rows, loss, ridge }: RegressionModel): ProblemConstants {
  const longest = rows.reduce((most, row) => Math.max(most, dot(row, row)), 0)
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
      const weight = loss.curvature(dot(row, x) - (targets[j] as number)) * (row[i] as number)
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

/** A smooth, strictly convex function. The matrix of second derivatives comes row by row. */
interface SmoothConvex {
  value(x: Float64Array): number
  gradient(x: Float64Array): Float64Array
  hessian(x: Float64Array): Float64Array[]
}

/**
 * The minimizer, to the precision that rounding leaves in the gradient: Newton's method, with steps halved until the
 * value falls, and near the end, where values no longer tell points apart, until the gradient shrinks.
 * Deterministic, for few variables.
 */
function newtonMinimizer(of: SmoothConvex, start: Float64Array): Float64Array {
  let x = start
  for (;;) {
    const next = nextPoint(of, x)
    if (next === undefined) return x
    x = next
  }
}

/** The Newton step, or the first half, quarter, ... of it that gets nearer; undefined where none does. */
function nextPoint(of: SmoothConvex, x: Float64Array): Float64Array | undefined {
  const gradient = of.gradient(x)
  const step = solvePositive(of.hessian(x), gradient)
  const value = of.value(x)
  // The fall that the gradient promises, and the rounding noise below which values say nothing.
  const promise = dot(gradient, step)
  const noise = 1e-12 * (1 + Math.abs(value))
  for (let share = 1; share > 1e-10; share /= 2) {
    const next = x.map((each, i) => each - share * (step[i] as number))
    if (promise > noise) {
      if (of.value(next) <= value - 1e-4 * share * promise) return next
      continue
    }
    const slope = of.gradient(next)
    if (dot(slope, slope) < dot(gradient, gradient)) return next
  }
  return undefined
}

/** Solves A y = b for a symmetric positive definite A by Gaussian elimination, which then needs no pivots. */
function solvePositive(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const n = right.length
  const rows = matrix.map((row, i) => Float64Array.of(...row, right[i] as number))
  const at = (i: number): Float64Array => rows[i] as Float64Array
  for (let i = 0; i < n; i++) {
    for (let k = i + 1; k < n; k++) {
      const factor = (at(k)[i] as number) / (at(i)[i] as number)
      for (let j = i; j <= n; j++) at(k)[j] = (at(k)[j] as number) - factor * (at(i)[j] as number)
    }
  }
  const solution = new Float64Array(n)
  for (let i = n - 1; i >= 0; i--) {
    let rest = at(i)[n] as number
    for (let j = i + 1; j < n; j++) rest -= (at(i)[j] as number) * (solution[j] as number)
    solution[i] = rest / (at(i)[i] as number)
  }
  return solution
}
