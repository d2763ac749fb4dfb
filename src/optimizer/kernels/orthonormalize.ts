/**
 * Makes one row of a row-major matrix orthogonal to the orthonormal rows before it and scales it to length 1, by modified
 * Gram-Schmidt done twice. False where less than `leastShare` of its length was left: it then holds nothing of use.
 */
export function orthonormalizeRow(rows: Float64Array, dim: number, row: number, leastShare: number): boolean {
  const at = row * dim
  // Scaled first, so that no square overflows or vanishes.
  const largest = largestEntry(rows, at, dim)
  if (largest === 0) return false
  scale(rows, at, dim, largest)
  const before = lengthOf(rows, at, dim)
  for (let pass = 0; pass < 2; pass++) {
    for (let other = 0; other < at; other += dim) removeRow(rows, at, other, dim)
  }
  const left = lengthOf(rows, at, dim)
  if (!(left > leastShare * before)) return false
  scale(rows, at, dim, left)
  return true
}

function largestEntry(rows: Float64Array, at: number, dim: number): number {
  let largest = 0
  for (let i = at; i < at + dim; i++) largest = Math.max(largest, Math.abs(rows[i] as number))
  return largest
}

function scale(rows: Float64Array, at: number, dim: number, divisor: number): void {
  for (let i = at; i < at + dim; i++) rows[i] = (rows[i] as number) / divisor
}

function lengthOf(rows: Float64Array, at: number, dim: number): number {
  let squares = 0
  for (let i = at; i < at + dim; i++) squares += (rows[i] as number) * (rows[i] as number)
  return Math.sqrt(squares)
}

/** Takes out of the row at `at` what it has of the unit row at `other`. */
function removeRow(rows: Float64Array, at: number, other: number, dim: number): void {
  let product = 0
  for (let i = 0; i < dim; i++) product += (rows[at + i] as number) * (rows[other + i] as number)
  for (let i = 0; i < dim; i++) rows[at + i] = (rows[at + i] as number) - product * (rows[other + i] as number)
}
