import type { Vector } from '../../core/types.ts'

/** Constants of the paper's assumptions. For a finite sum they hold for every term, and so for the mean. */
export interface ProblemConstants {
  /** A1: the gradient is L_g-Lipschitz. */
  readonly smoothness?: number
  /** A2: no gradient entry exceeds eta. */
  readonly gradientBound?: number
  /** A3: f is L_c-Lipschitz. */
  readonly lipschitz?: number
}

/** A mean of terms f(x; xi_1), ..., f(x; xi_n): pass `count` as `population` and ask for the term of each sample. */
export interface FiniteSum {
  readonly count: number
  value(x: Vector, index: number): number
  gradient(x: Vector, index: number): Float64Array
  /** The smoothed term, eq. (2). */
  smoothed(x: Vector, index: number, radius: number): Smoothed
}

/** f_mu(x), the mean of f over the ball of radius mu around x, and its gradient. */
export interface Smoothed {
  readonly value: number
  readonly gradient: Float64Array
}

/**
 * A function on the whole space whose minimum, gradient and constants are known, for tests, theory checks and
 * comparisons. Its functions need no `this`: `minimize(problem.value, problem.start)` works.
 */
export interface TestProblem {
  readonly dim: number
  /** A sensible place to start. */
  readonly start: Float64Array
  /** The smallest value; -Infinity where there is none. */
  readonly minimum: number
  /** Where it is attained; one of several points if there are several. */
  readonly minimizer: Float64Array | undefined
  /** Only those that exist: a quadratic has no Lipschitz constant. */
  readonly constants: ProblemConstants
  /** The terms, where the problem is a finite sum. */
  readonly terms?: FiniteSum
  readonly value: (x: Vector) => number
  readonly gradient: (x: Vector) => Float64Array
  /** The smoothed function of eq. (2), exact up to rounding, where it has a closed form or is a line integral. */
  readonly smoothed?: (x: Vector, radius: number) => Smoothed
}
