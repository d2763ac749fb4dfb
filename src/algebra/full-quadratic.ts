import { cholesky, solveLower, solveUpper } from './cholesky.ts'
import { symmetricEigen } from './symmetric-eigen.ts'
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
