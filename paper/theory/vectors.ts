import { randomUniform } from '../../src/index.ts'

/** a'b. */
export function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** ||a||^2. */
export function squaredNorm(a: ArrayLike<number>): number {
  return inner(a, a)
}

/** sum_i h_i a_i^2, the squared length in a diagonal metric. */
export function weightedSquare(h: ArrayLike<number>, a: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (h[i] as number) * (a[i] as number) * (a[i] as number)
  return sum
}

/** max_i |a_i|. */
export function largestEntry(a: ArrayLike<number>): number {
  let most = 0
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] as number))
  return most
}

/** a - b. */
export function difference(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  return Float64Array.from(a, (each, i) => each - (b[i] as number))
}

/** A drawn vector with entries in [-size, size): the same address gives the same vector. */
export function drawnVector(seed: number, row: number, dim: number, size = 1): Float64Array {
  const at = { seed, iteration: 0, row }
  return Float64Array.from({ length: dim }, (_, i) => size * (2 * randomUniform(at, 'data', i) - 1))
}

/** A drawn diagonal metric with entries between 1/10 and 10, evenly in their logarithm. */
export function drawnMetric(seed: number, row: number, dim: number): Float64Array {
  return drawnVector(seed, row, dim, Math.LN10).map(Math.exp)
}
