import { inner } from './data.ts'

/** A smooth, strictly convex function. The matrix of second derivatives comes row by row. */
export interface SmoothConvex {
  value(x: Float64Array): number
  gradient(x: Float64Array): Float64Array
  hessian(x: Float64Array): Float64Array[]
}

/**
 * The minimizer, to the precision that rounding leaves in the gradient: Newton's method, with steps halved until the
 * value falls, and near the end, where values no longer tell points apart, until the gradient shrinks.
 * Deterministic, for few variables.
 */
export function newtonMinimizer(of: SmoothConvex, start: Float64Array): Float64Array {
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
  const promise = inner(gradient, step)
  const noise = 1e-12 * (1 + Math.abs(value))
  for (let share = 1; share > 1e-10; share /= 2) {
    const next = x.map((each, i) => each - share * (step[i] as number))
    if (promise > noise) {
      if (of.value(next) <= value - 1e-4 * share * promise) return next
      continue
    }
    const slope = of.gradient(next)
    if (inner(slope, slope) < inner(gradient, gradient)) return next
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
