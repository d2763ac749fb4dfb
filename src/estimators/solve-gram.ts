/**
 * Replaces `values` by the solution w of (G + ridge I) w = values, G the lower triangle of an n x n Gram matrix, by Cholesky
 * into `factor`. The ridge is 0 unless a row is, but for `tolerance` of its square, a combination of those before it: then it
 * is `tolerance` of the largest diagonal entry, and w is the least-squares solution of smallest norm, nearly.
 */
export function solveGram(
  gram: Float64Array,
  n: number,
  values: Float64Array,
  factor: Float64Array,
  tolerance: number,
): void {
  let largest = 0
  for (let i = 0; i < n; i++) largest = Math.max(largest, gram[i * n + i] as number)
  // No step at all: there is nothing to divide by.
  if (largest === 0) return void values.fill(0, 0, n)
  if (!factorize(gram, n, 0, tolerance, factor)) factorize(gram, n, tolerance * largest, 0, factor)
  for (let i = 0; i < n; i++) {
    let value = values[i] as number
    for (let k = 0; k < i; k++) value -= (factor[i * n + k] as number) * (values[k] as number)
    values[i] = value / (factor[i * n + i] as number)
  }
  for (let i = n - 1; i >= 0; i--) {
    let value = values[i] as number
    for (let k = i + 1; k < n; k++) value -= (factor[k * n + i] as number) * (values[k] as number)
    values[i] = value / (factor[i * n + i] as number)
  }
}

/** factor factor^T = G + ridge I; false where a pivot is not above `tolerance` of its diagonal entry. */
function factorize(gram: Float64Array, n: number, ridge: number, tolerance: number, factor: Float64Array): boolean {
  const at = (i: number, j: number): number => factor[i * n + j] as number
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let value = gram[i * n + j] as number
      if (i === j) value += ridge
      for (let k = 0; k < j; k++) value -= at(i, k) * at(j, k)
      if (i === j && !(value > tolerance * (gram[i * n + i] as number))) return false
      factor[i * n + j] = i === j ? Math.sqrt(value) : value / at(j, j)
    }
  }
  return true
}
