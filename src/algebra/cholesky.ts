/** Matrices are stored row by row, n x n, as float64. */

/**
 * The lower triangular L with L L' = A, written into `into`; reads the lower triangle of A. False where A is not positive
 * definite, as far as rounding lets one see it.
 */
export function cholesky(a: Float64Array, n: number, into: Float64Array): boolean {
  for (let i = 0; i < n; i++) {
    // Four entries of a row at a time: each number of it is read once for all of them.
    for (let first = 0; first <= i; first += 4) {
      subtractProducts(a, n, i, first, into)
      for (let j = first; j < first + 4 && j <= i; j++) {
        let sum = into[i * n + j] as number
        for (let k = first; k < j; k++) sum -= (into[i * n + k] as number) * (into[j * n + k] as number)
        if (i !== j) into[i * n + j] = sum / (into[j * n + j] as number)
        else if (sum > 0 && sum < Infinity) into[i * n + i] = Math.sqrt(sum)
        else return false
      }
    }
    into.fill(0, i * n + i + 1, (i + 1) * n)
  }
  return true
}

/** Entries first to first + 3 of row i, as far as i, less the products of that row with theirs before `first`. */
function subtractProducts(a: Float64Array, n: number, i: number, first: number, into: Float64Array): void {
  const row = i * n
  const count = Math.min(4, i + 1 - first)
  // Where there are fewer than four, one stands in for those that are missing.
  const r0 = first * n
  const r1 = (first + Math.min(1, count - 1)) * n
  const r2 = (first + Math.min(2, count - 1)) * n
  const r3 = (first + count - 1) * n
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  for (let k = 0; k < first; k++) {
    const own = into[row + k] as number
    s0 += own * (into[r0 + k] as number)
    s1 += own * (into[r1 + k] as number)
    s2 += own * (into[r2 + k] as number)
    s3 += own * (into[r3 + k] as number)
  }
  const from = row + first
  into[from] = (a[from] as number) - s0
  if (count > 1) into[from + 1] = (a[from + 1] as number) - s1
  if (count > 2) into[from + 2] = (a[from + 2] as number) - s2
  if (count > 3) into[from + 3] = (a[from + 3] as number) - s3
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
