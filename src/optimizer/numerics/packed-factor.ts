/**
 * Cholesky factors of matrices that grow by a row at a time: lower triangular, packed row by row, so that row i begins at
 * i (i + 1) / 2 and stays where it is. Every entry is summed in the order of its columns, whatever is reckoned beside it: a
 * factor that grew row by row has the bits of one that was made at once.
 */

/** Where a row of a packed triangle begins. */
export function rowStart(i: number): number {
  return (i * (i + 1)) / 2
}

/**
 * The factor of a packed matrix, row by row into `into`, where the rows before `from` are already. False where the matrix is
 * not positive definite, as far as rounding lets one see it.
 */
export function factorRows(matrix: Float64Array, from: number, n: number, into: Float64Array): boolean {
  for (let i = from; i < n; i++) {
    const start = rowStart(i)
    for (let j = 0; j <= i; j++) into[start + j] = matrix[start + j] as number
    const row = into.subarray(start, start + i)
    solveRows(into, i, row)
    let rest = into[start + i] as number
    for (let k = 0; k < i; k++) rest -= (row[k] as number) * (row[k] as number)
    if (!(rest > 0 && rest < Infinity)) return false
    into[start + i] = Math.sqrt(rest)
  }
  return true
}

/** Replaces b by the z with L z = b, where entries before `first` are 0. */
export function solveRows(l: Float64Array, n: number, b: Float64Array, first = 0): void {
  let i = first
  // Four rows at a time: their sums do not wait for each other.
  for (; i + 4 <= n; i += 4) {
    const r0 = rowStart(i)
    const r1 = r0 + i + 1
    const r2 = r1 + i + 2
    const r3 = r2 + i + 3
    let s0 = b[i] as number
    let s1 = b[i + 1] as number
    let s2 = b[i + 2] as number
    let s3 = b[i + 3] as number
    for (let k = first; k < i; k++) {
      const z = b[k] as number
      s0 -= (l[r0 + k] as number) * z
      s1 -= (l[r1 + k] as number) * z
      s2 -= (l[r2 + k] as number) * z
      s3 -= (l[r3 + k] as number) * z
    }
    s0 /= l[r0 + i] as number
    s1 = (s1 - (l[r1 + i] as number) * s0) / (l[r1 + i + 1] as number)
    s2 = (s2 - (l[r2 + i] as number) * s0 - (l[r2 + i + 1] as number) * s1) / (l[r2 + i + 2] as number)
    s3 -= (l[r3 + i] as number) * s0
    s3 -= (l[r3 + i + 1] as number) * s1
    s3 -= (l[r3 + i + 2] as number) * s2
    b[i] = s0
    b[i + 1] = s1
    b[i + 2] = s2
    b[i + 3] = s3 / (l[r3 + i + 3] as number)
  }
  for (; i < n; i++) {
    const row = rowStart(i)
    let sum = b[i] as number
    for (let k = first; k < i; k++) sum -= (l[row + k] as number) * (b[k] as number)
    b[i] = sum / (l[row + i] as number)
  }
}

/** The same for four right sides at once, the numbers of which stand beside each other: b[4 i], ..., b[4 i + 3]. */
export function solveFour(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = rowStart(i)
    const at = 4 * i
    let s0 = b[at] as number
    let s1 = b[at + 1] as number
    let s2 = b[at + 2] as number
    let s3 = b[at + 3] as number
    for (let k = 0; k < i; k++) {
      const entry = l[row + k] as number
      s0 -= entry * (b[4 * k] as number)
      s1 -= entry * (b[4 * k + 1] as number)
      s2 -= entry * (b[4 * k + 2] as number)
      s3 -= entry * (b[4 * k + 3] as number)
    }
    const own = l[row + i] as number
    b[at] = s0 / own
    b[at + 1] = s1 / own
    b[at + 2] = s2 / own
    b[at + 3] = s3 / own
  }
}

/** Replaces b by the z with L' z = b. */
export function solveColumns(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const row = rowStart(i)
    const value = (b[i] as number) / (l[row + i] as number)
    b[i] = value
    for (let k = 0; k < i; k++) b[k] = (b[k] as number) - value * (l[row + k] as number)
  }
}

/** The lower triangle, packed, of the inverse of L L'. */
export function inverseRows(l: Float64Array, n: number): Float64Array {
  // Column j of the inverse of L in row j, so that sums run along rows.
  const columns = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    const column = columns.subarray(j * n, (j + 1) * n)
    column[j] = 1
    solveRows(l, n, column, j)
  }
  const inverse = new Float64Array(rowStart(n))
  for (let i = 0; i < n; i++) {
    const start = rowStart(i)
    for (let j = 0; j <= i; j += 4) {
      // Where there are fewer than four columns left, the last stands in for those that are missing.
      const c0 = j * n
      const c1 = Math.min(j + 1, i) * n
      const c2 = Math.min(j + 2, i) * n
      const c3 = Math.min(j + 3, i) * n
      let s0 = 0
      let s1 = 0
      let s2 = 0
      let s3 = 0
      for (let k = i; k < n; k++) {
        const own = columns[i * n + k] as number
        s0 += own * (columns[c0 + k] as number)
        s1 += own * (columns[c1 + k] as number)
        s2 += own * (columns[c2 + k] as number)
        s3 += own * (columns[c3 + k] as number)
      }
      inverse[start + j] = s0
      if (j + 1 <= i) inverse[start + j + 1] = s1
      if (j + 2 <= i) inverse[start + j + 2] = s2
      if (j + 3 <= i) inverse[start + j + 3] = s3
    }
  }
  return inverse
}
