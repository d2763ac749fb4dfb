import type { ConvexSet, Vector } from '../../core/types.ts'

/** Constants of the paper's assumptions, exact or as bounds that hold everywhere on the problem's set. */
export interface ProblemConstants {
  /** A1: the gradient is L_g-Lipschitz. */
  readonly smoothness?: number
  /** A2: no gradient entry exceeds eta. */
  readonly gradientBound?: number
  /** A3: f is L_c-Lipschitz. */
  readonly lipschitz?: number
}

/** A function whose minimum, gradient and constants are known, for tests, theory checks and comparisons. */
export interface TestProblem {
  readonly dim: number
  /** A sensible place to start. */
  readonly start: Float64Array
  /** The smallest value on the problem's set; -Infinity where it is unbounded below. */
  readonly minimum: number
  readonly minimizer: Float64Array | undefined
  readonly constants: ProblemConstants
  /** The set the problem is posed on; the whole space if left out. */
  readonly set?: ConvexSet
  /** Number of terms, where the problem is a finite sum. */
  readonly population?: number
  value(x: Vector): number
  /** One term of a finite sum: `value` is their mean. */
  term?(x: Vector, index: number): number
  gradient(x: Vector): Float64Array
}
