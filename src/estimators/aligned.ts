import { flag, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, Estimation, Estimator, Vector } from '../core/types.ts'
import { largestGradient } from './probe-sums.ts'
import { estimationOf, probeOptions, probes } from './probes.ts'

/** Below this share of its square, what is new in a step is noise. */
const tolerances = { float64: 1e-8, float32: 1e-4 }

/**
 * Projection alignment: S^T (S S^T)^-1 D, the rows of S the steps that the objective saw and D the differences along them.
 * For linear f it is the gradient's projection onto the span of the steps, exactly, whatever their lengths and angles, and
 * with d independent steps the gradient itself; there is no factor d / q, so that its expectation is q / d times the gradient
 * for isotropic directions. Where steps depend on each other, as they must for q > d, it is the least-squares fit.
 * Working memory is four or five rows; each row is made again about q / 4 times.
 */
export const aligned = definePart({
  kind: 'estimator',
  name: 'aligned',
  summary: "The gradient's projection onto the span of the directions; b(q + 1) queries, two-sided 2bq.",
  options: table({
    ...probeOptions,
    twoSided: flag('differences between both sides of the point instead of to one', false),
  }),
  examples: () => [{}, { directions: 3, samples: 2 }, { directions: 2, twoSided: true }],
  make: ({ twoSided, ...options }): Estimator => ({
    begin(at): Estimation {
      const probing = probes(at, { ...options, twoSided, needsCenter: !twoSided, looksAtRows: true })
      const alignment = alignmentOf(at, probing)
      return estimationOf(probing, (x, iteration, gradient) => {
        gradient.fill(0)
        alignment.addTo(gradient, x, iteration)
      })
    },
  }),
})

/** The weights of the steps in the estimate, and their sum. */
function alignmentOf(at: Begin, probing: ReturnType<typeof probes>) {
  const q = probing.directions
  const used = new Uint32Array(q)
  const weights = new Float64Array(q)
  const gram = new Float64Array(q * q)
  const factor = new Float64Array(q * q)
  const [first, second, other] = [0, 1, 2].map(() => at.kernels.allocate(at.dim, at.precision)) as [
    Vector,
    Vector,
    Vector,
  ]

  /** Which directions had an answer, with their mean differences as weights; returns how many. */
  const gather = (): number => {
    let n = 0
    for (let i = 0; i < q; i++) {
      if (probing.kept(i) === 0) continue
      used[n] = i
      weights[n++] = probing.slope(i) / probing.kept(i)
    }
    return n
  }

  /** gram = S S^T (lower triangle), two of its columns at a time. */
  const measure = (x: Vector, iteration: number, n: number): void => {
    const step = (i: number, into: Vector) => probing.realisedStep(x, iteration, used[i] as number, into)
    for (let i = 0; i < n; i += 2) {
      step(i, first)
      if (i + 1 < n) step(i + 1, second)
      gram[i * n + i] = at.kernels.dot(first, first)
      for (let j = i + 1; j < n; j++) {
        if (j > i + 1) step(j, other)
        const row = j === i + 1 ? second : other
        gram[j * n + i] = at.kernels.dot(row, first)
        gram[j * n + i + 1] = at.kernels.dot(row, second)
      }
    }
  }

  return {
    /** gradient += S^T (S S^T)^-1 D. */
    addTo(gradient: Vector, x: Vector, iteration: number): void {
      const n = gather()
      const largest = weights.reduce((most, each, i) => (i < n ? Math.max(most, Math.abs(each)) : most), 0)
      if (largest === 0) return
      measure(x, iteration, n)
      // Solved for differences of at most 1, and scaled back as far as nothing overflows.
      for (let i = 0; i < n; i++) weights[i] = (weights[i] as number) / largest
      solveGram(gram, n, weights, factor, tolerances[at.precision])
      let reach = 0
      for (let i = 0; i < n; i++) reach += Math.abs(weights[i] as number) * Math.sqrt(gram[i * n + i] as number)
      const scale = Math.min(largest, largestGradient[at.precision] / reach)
      for (let i = 0; i < n; i++) {
        probing.realisedStep(x, iteration, used[i] as number, first)
        const weight = scale * (weights[i] as number)
        for (let k = 0; k < at.dim; k++) gradient[k] = (gradient[k] as number) + weight * (first[k] as number)
      }
    },
  }
}

/**
 * Replaces `values` by the solution w of (G + ridge I) w = values, G the lower triangle of an n x n Gram matrix, by Cholesky
 * into `factor`. The ridge is 0 unless a row is, but for `tolerance` of its square, a combination of those before it: then it
 * is `tolerance` of the largest diagonal entry, and w is the least-squares solution of smallest norm, nearly.
 */
export function solveGram(
  gram: Float64Array,
  n: number,
  values: Float64Array,
  factor: Float64Array,
  tolerance: number,
): void {
  let largest = 0
  for (let i = 0; i < n; i++) largest = Math.max(largest, gram[i * n + i] as number)
  // No step at all: there is nothing to divide by.
  if (largest === 0) return void values.fill(0, 0, n)
  if (!factorize(gram, n, 0, tolerance, factor)) factorize(gram, n, tolerance * largest, 0, factor)
  for (let i = 0; i < n; i++) {
    let value = values[i] as number
    for (let k = 0; k < i; k++) value -= (factor[i * n + k] as number) * (values[k] as number)
    values[i] = value / (factor[i * n + i] as number)
  }
  for (let i = n - 1; i >= 0; i--) {
    let value = values[i] as number
    for (let k = i + 1; k < n; k++) value -= (factor[k * n + i] as number) * (values[k] as number)
    values[i] = value / (factor[i * n + i] as number)
  }
}

/** factor factor^T = G + ridge I; false where a pivot is not above `tolerance` of its diagonal entry. */
function factorize(gram: Float64Array, n: number, ridge: number, tolerance: number, factor: Float64Array): boolean {
  const at = (i: number, j: number): number => factor[i * n + j] as number
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let value = gram[i * n + j] as number
      if (i === j) value += ridge
      for (let k = 0; k < j; k++) value -= at(i, k) * at(j, k)
      if (i === j && !(value > tolerance * (gram[i * n + i] as number))) return false
      factor[i * n + j] = i === j ? Math.sqrt(value) : value / at(j, j)
    }
  }
  return true
}
