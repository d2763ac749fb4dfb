import { cholesky, solveLower, solveUpper, symmetricEigen } from './matrices.ts'
import { dot, multiply } from './vectors.ts'

/**
 * A full quadratic in d variables as one list of P = (d + 1)(d + 2) / 2 numbers: the value at 0, the gradient, then the
 * Hessian row by row from the diagonal on.
 */
export function quadraticSize(d: number): number {
  return ((d + 1) * (d + 2)) / 2
}

/** What each number of a quadratic is multiplied by at u: 1, u_i, u_i u_j, and half of that on the diagonal. */
export function writeMonomials(u: ArrayLike<number>, d: number, into: Float64Array, offset = 0): void {
  let k = offset
  into[k++] = 1
  for (let i = 0; i < d; i++) into[k++] = u[i] as number
  for (let i = 0; i < d; i++) {
    const own = u[i] as number
    into[k++] = 0.5 * own * own
    for (let j = i + 1; j < d; j++) into[k++] = own * (u[j] as number)
  }
}

/** The Hessian of a quadratic as a matrix. */
export function hessianOf(quadratic: Float64Array, d: number): Float64Array {
  const hessian = new Float64Array(d * d)
  let k = 1 + d
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = quadratic[k++] as number
      hessian[i * d + j] = entry
      hessian[j * d + i] = entry
    }
  }
  return hessian
}

/** The value of a quadratic at u. */
export function quadraticValue(quadratic: Float64Array, d: number, u: ArrayLike<number>): number {
  let sum = quadratic[0] as number
  let k = 1 + d
  for (let i = 0; i < d; i++) {
    const own = u[i] as number
    sum += own * ((quadratic[1 + i] as number) + 0.5 * (quadratic[k++] as number) * own)
    for (let j = i + 1; j < d; j++) sum += own * (u[j] as number) * (quadratic[k++] as number)
  }
  return sum
}

/** The least curvature that counts as bent upwards, and the first shift of one that is not. */
const leastCurvature = 1e-3

/**
 * Where a quadratic is lowest within |u| <= radius, to the precision that a random model deserves: the shift mu of
 * (H + mu) u = -g grows by half until u is short enough.
 */
export function lowestWithin(quadratic: Float64Array, d: number, radius: number): Float64Array {
  const g = quadratic.subarray(1, 1 + d)
  const hessian = hessianOf(quadratic, d)
  const inside = newtonPoint(hessian, g)
  if (inside !== null && dot(inside, inside) <= radius * radius) return inside
  const { values, vectors } = symmetricEigen(hessian, d)
  const along = new Float64Array(d)
  for (let k = 0; k < d; k++) {
    for (let i = 0; i < d; i++) along[k] = (along[k] as number) + (vectors[i * d + k] as number) * (g[i] as number)
  }
  let u = along
  let shift = Math.max(0, leastCurvature - (values[0] as number))
  for (let tries = 0; tries < 80; tries++) {
    const by = shift
    u = along.map((each, k) => -each / ((values[k] as number) + by))
    if (dot(u, u) <= radius * radius) break
    shift = Math.max(1.5 * shift, leastCurvature)
  }
  const lowest = new Float64Array(d)
  multiply(vectors, u, lowest)
  return lowest
}

/** -H^-1 g; null where H is not bent upwards enough. */
function newtonPoint(hessian: Float64Array, g: Float64Array): Float64Array | null {
  const d = g.length
  const factor = hessian.slice()
  for (let i = 0; i < d; i++) factor[i * d + i] = (factor[i * d + i] as number) - leastCurvature
  if (!cholesky(factor, d, factor)) return null
  cholesky(hessian, d, factor)
  const u = g.map((each) => -each)
  solveLower(factor, d, u)
  solveUpper(factor, d, u)
  return u
}

/** The same quadratic as seen from another origin, in place. */
export function recenter(quadratic: Float64Array, d: number, origin: Float64Array): Float64Array {
  const slope = new Float64Array(d)
  multiply(hessianOf(quadratic, d), origin, slope)
  quadratic[0] = quadraticValue(quadratic, d, origin)
  for (let i = 0; i < d; i++) quadratic[1 + i] = (quadratic[1 + i] as number) + (slope[i] as number)
  return quadratic
}

/** All that regression needs to know about weighted answers to rows of a linear model with P unknown numbers. */
export interface NormalEquations {
  /** The precision, P x P, of which the lower triangle counts. */
  readonly precision: Float64Array
  /** The precision times the mean. */
  readonly sums: Float64Array
}

/** A Gaussian about the unknown numbers of a linear model. */
export interface Posterior {
  readonly mean: Float64Array
  /** The Cholesky factor L of the precision, P x P: mean + L'^-1 z has the posterior distribution for a standard normal z. */
  readonly factor: Float64Array
}

/** Room for P unknown numbers. */
export function normalEquations(size: number): NormalEquations {
  return { precision: new Float64Array(size * size), sums: new Float64Array(size) }
}

/** Begins with what was believed before, independently about each number. */
export function believe({ precision, sums }: NormalEquations, mean: Float64Array, sureness: Float64Array): void {
  const size = sums.length
  precision.fill(0)
  for (let i = 0; i < size; i++) {
    precision[i * size + i] = sureness[i] as number
    sums[i] = (sureness[i] as number) * (mean[i] as number)
  }
}

/** Takes in answers to rows, which stand one after the other; a weight is 1 / variance. */
export function takeIn(
  { precision, sums }: NormalEquations,
  rows: Float64Array,
  answers: Float64Array,
  weights: Float64Array,
): void {
  const size = sums.length
  const count = answers.length
  for (let row = 0; row < count; row += 4) addFour(rows, weights, size, row, count, precision)
  for (let row = 0; row < count; row++) {
    const weighted = (weights[row] as number) * (answers[row] as number)
    const from = row * size
    for (let i = 0; i < size; i++) sums[i] = (sums[i] as number) + weighted * (rows[from + i] as number)
  }
}

/** What follows from it all; null where numbers overflow. `factor` is room for P x P numbers. */
export function posterior({ precision, sums }: NormalEquations, factor: Float64Array): Posterior | null {
  const mean = sums.slice()
  if (!cholesky(precision, mean.length, factor)) return null
  solveLower(factor, mean.length, mean)
  solveUpper(factor, mean.length, mean)
  return mean.every(Number.isFinite) ? { mean, factor } : null
}

/** Adds four weighted rows to the lower triangle at a time: it is read and written once for all of them. */
function addFour(
  rows: Float64Array,
  weights: Float64Array,
  size: number,
  first: number,
  count: number,
  into: Float64Array,
): void {
  const weight = (k: number): number => (first + k < count ? (weights[first + k] as number) : 0)
  const [wa, wb, wc, wd] = [weight(0), weight(1), weight(2), weight(3)]
  // A row that is not there has weight 0: any other stands in for it.
  const start = (k: number): number => (first + k < count ? first + k : first) * size
  const [a, b, c, d] = [start(0), start(1), start(2), start(3)]
  for (let i = 0; i < size; i += 2) {
    // Two rows of the triangle at a time; what the first has beyond its diagonal is never read.
    const hasNext = i + 1 < size
    const next = hasNext ? i + 1 : i
    const ai = wa * (rows[a + i] as number)
    const ai1 = hasNext ? wa * (rows[a + next] as number) : 0
    const bi = wb * (rows[b + i] as number)
    const bi1 = hasNext ? wb * (rows[b + next] as number) : 0
    const ci = wc * (rows[c + i] as number)
    const ci1 = hasNext ? wc * (rows[c + next] as number) : 0
    const di = wd * (rows[d + i] as number)
    const di1 = hasNext ? wd * (rows[d + next] as number) : 0
    const from = i * size
    const from1 = next * size
    for (let j = 0; j <= next; j++) {
      const aj = rows[a + j] as number
      const bj = rows[b + j] as number
      const cj = rows[c + j] as number
      const dj = rows[d + j] as number
      into[from + j] = (into[from + j] as number) + (ai * aj + bi * bj) + (ci * cj + di * dj)
      into[from1 + j] = (into[from1 + j] as number) + (ai1 * aj + bi1 * bj) + (ci1 * cj + di1 * dj)
    }
  }
}
