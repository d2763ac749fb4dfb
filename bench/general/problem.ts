/** What a run is asked to minimise, and what is known about it. */
export interface Problem {
  readonly name: string
  readonly group: string
  readonly start: Float64Array
  /** The exact function; a value that is not finite counts as `huge`. */
  readonly value: (x: Float64Array) => number
  /** The value at the start. */
  readonly initial: number
  /** The lowest value known. */
  readonly best: number
  /** Queries that a run may make. */
  readonly budget: number
  readonly box?: { readonly lower: Float64Array; readonly upper: Float64Array } | undefined
  readonly noise?: Noise | undefined
}

/** Normal noise: `level` times the value, or `level` itself. */
export interface Noise {
  readonly kind: 'multiplicative' | 'additive'
  readonly level: number
}

/** What stands for overflow: solvers are never answered NaN or infinity. */
export const huge = 1e100

/** Queries per simplex gradient, d + 1, that a run may make: Moré and Wild's budget is 500 of them. */
const simplexGradients = 500

/** A problem of which everything but the value at the start is known. */
export function problem(given: Omit<Problem, 'initial' | 'budget'> & { readonly budget?: number }): Problem {
  const value = (x: Float64Array): number => {
    const y = given.value(x)
    return y < huge ? y : huge
  }
  const budget = given.budget ?? simplexGradients * (given.start.length + 1)
  return { ...given, value, initial: value(given.start), budget }
}
