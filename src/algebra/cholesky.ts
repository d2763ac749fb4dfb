/** Matrices are stored row by row, n x n, as float64. */

/**
 * The lower triangular L with L L' = A, written into `into`; reads the lower triangle of A. False where A is not positive
 * definite, as far as rounding lets one see it.
 */
export function cholesky(a: Float64Array, n: number, into: Float64Array): boolean {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j] as number
      for (let k = 0; k < j; k++) sum -= (into[i * n + k] as number) * (into[j * n + k] as number)
      if (i !== j) into[i * n + j] = sum / (into[j * n + j] as number)
      else if (sum > 0 && sum < Infinity) into[i * n + i] = Math.sqrt(sum)
      else return false
    }
    into.fill(0, i * n + i + 1, (i + 1) * n)
  }
  return true
}

/** Replaces b by the z with L z = b. */
export function solveLower(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = b[i] as number
    for (let k = 0; k < i; k++) sum -= (l[i * n + k] as number) * (b[k] as number)
    b[i] = sum / (l[i * n + i] as number)
  }
}

/** Replaces b by the z with L' z = b. */
export function solveUpper(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const value = (b[i] as number) / (l[i * n + i] as number)
    b[i] = value
    for (let k = 0; k < i; k++) b[k] = (b[k] as number) - value * (l[i * n + k] as number)
  }
}
