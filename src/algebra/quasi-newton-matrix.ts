import { symmetricEigen } from './symmetric-eigen.ts'
import { atLeast, dot, multiply } from './vectors.ts'

/** The BFGS update of B, damped (Powell, 1978) so that B stays positive definite. */
export function dampedUpdate(b: Float64Array, s: Float64Array, y: Float64Array): void {
  const n = s.length
  const bs = new Float64Array(n)
  multiply(b, s, bs)
  const sBs = dot(s, bs)
  if (!(sBs > 0)) return
  const sy = dot(s, y)
  const share = sy < 0.2 * sBs ? (0.8 * sBs) / (sBs - sy) : 1
  const z = share === 1 ? y : y.map((each, i) => share * each + (1 - share) * (bs[i] as number))
  const sz = dot(s, z)
  if (!(sz > 1e-300)) return
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const change = ((z[i] as number) * (z[j] as number)) / sz - ((bs[i] as number) * (bs[j] as number)) / sBs
      b[i * n + j] = (b[i * n + j] as number) + change
    }
  }
}

/** The matrix with the magnitudes of its eigenvalues, none below 1e-8 of the largest. */
export function positive(matrix: Float64Array, n: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, n)
  const sizes = atLeast(values, 1e-8)
  const made = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let k = 0; k < n; k++) {
        sum += (vectors[i * n + k] as number) * (sizes[k] as number) * (vectors[j * n + k] as number)
      }
      made[i * n + j] = sum
      made[j * n + i] = sum
    }
  }
  return made
}
