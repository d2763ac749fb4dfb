import { ZerothError } from '../../core/errors.ts'
import { integerFrom, withDefault } from '../../core/options.ts'
import type { Vector } from '../../core/types.ts'
import { randomUniform } from '../../kernels/random.ts'

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
}

/** The seed of generated data: the same seed gives the same problem everywhere. */
export const dataSeedOption = withDefault(integerFrom(0), 0)

/** One row of generated data: numbers drawn uniformly from [-1, 1). */
export function uniformRow(seed: number, row: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => 2 * randomUniform({ seed, iteration: 0, row }, 'data', i) - 1)
}

/** Numbers of generated data at most: more would fill the memory before the first query. */
const mostData = 20_000_000

/** Refuses data that would not fit into memory. */
export function checkDataSize(owner: string, dim: number, population: number): void {
  if (dim * population <= mostData) return
  const given = `${dim} variables and ${population} terms`
  throw new ZerothError('invalid-option', `${owner}: dim times population must be at most ${mostData}, got ${given}`)
}
