import { flag, join, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Estimator, EstimatorState, RunContext, Vector } from '../../core/types.ts'
import { estimationOf, largestGradient, probeOptions, probes } from './probes.ts'

type Probing = ReturnType<typeof probes>

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
  options: join(
    probeOptions,
    table({
      /** Differences between both sides of the point instead of to one. Default false. */
      twoSided: withDefault(flag, false),
    }),
  ),
  examples: () => [{}, { directions: 3, samples: 2 }, { directions: 2, twoSided: true }],
  make: ({ twoSided, ...options }): Estimator => ({
    start(at): EstimatorState {
      const probing = probes(at, { ...options, twoSided, needsCenter: !twoSided, looksAtRows: true })
      const alignment = new Alignment(at, probing)
      return estimationOf(probing, (x, iteration, gradient) => {
        gradient.fill(0)
        alignment.addTo(gradient, x, iteration)
      })
    },
  }),
})

/** The weights of the steps in the estimate, and their sum. */
class Alignment {
  readonly #at: RunContext
  readonly #probing: Probing
  /** The directions that had an answer, and their weights. */
  readonly #used: Uint32Array
  readonly #weights: Float64Array
  readonly #gram: Float64Array
  readonly #factor: Float64Array
  readonly #first: Vector
  readonly #second: Vector
  readonly #other: Vector

  constructor(at: RunContext, probing: Probing) {
    const q = probing.directions
    const row = (): Vector => at.kernels.allocate(at.dim, at.precision)
    this.#at = at
    this.#probing = probing
    this.#used = new Uint32Array(q)
    this.#weights = new Float64Array(q)
    this.#gram = new Float64Array(q * q)
    this.#factor = new Float64Array(q * q)
    this.#first = row()
    this.#second = row()
    this.#other = row()
  }

  /** gradient += S^T (S S^T)^-1 D. */
  addTo(gradient: Vector, x: Vector, iteration: number): void {
    const n = this.#gather()
    const weights = this.#weights.subarray(0, n)
    const largest = weights.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
    if (largest === 0) return
    this.#measure(x, iteration, n)
    // Solved for differences of at most 1, and scaled back as far as nothing overflows.
    for (let i = 0; i < n; i++) weights[i] = (weights[i] as number) / largest
    solveGram(this.#gram, n, weights, this.#factor, tolerances[this.#at.precision])
    const scale = Math.min(largest, largestGradient[this.#at.precision] / this.#reach(n))
    for (let i = 0; i < n; i++) {
      this.#step(x, iteration, i, this.#first)
      const weight = scale * (weights[i] as number)
      for (let k = 0; k < x.length; k++) gradient[k] = (gradient[k] as number) + weight * (this.#first[k] as number)
    }
  }

  /** Which directions had an answer, with their mean differences as weights; returns how many. */
  #gather(): number {
    const probing = this.#probing
    let n = 0
    for (let i = 0; i < probing.directions; i++) {
      if (probing.kept(i) === 0) continue
      this.#used[n] = i
      this.#weights[n++] = probing.slope(i) / probing.kept(i)
    }
    return n
  }

  /** gram = S S^T (lower triangle), two of its columns at a time. */
  #measure(x: Vector, iteration: number, n: number): void {
    const { kernels } = this.#at
    const [gram, first, second, other] = [this.#gram, this.#first, this.#second, this.#other]
    for (let i = 0; i < n; i += 2) {
      this.#step(x, iteration, i, first)
      if (i + 1 < n) this.#step(x, iteration, i + 1, second)
      gram[i * n + i] = kernels.dot(first, first)
      for (let j = i + 1; j < n; j++) {
        if (j > i + 1) this.#step(x, iteration, j, other)
        const row = j === i + 1 ? second : other
        gram[j * n + i] = kernels.dot(row, first)
        gram[j * n + i + 1] = kernels.dot(row, second)
      }
    }
  }

  /** The step along the direction that had answer number `i`. */
  #step(x: Vector, iteration: number, i: number, into: Vector): void {
    this.#probing.realisedStep(x, iteration, this.#used[i] as number, into)
  }

  /** The longest that the weighted sum of the steps can be. */
  #reach(n: number): number {
    let reach = 0
    for (let i = 0; i < n; i++) {
      reach += Math.abs(this.#weights[i] as number) * Math.sqrt(this.#gram[i * n + i] as number)
    }
    return reach
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
