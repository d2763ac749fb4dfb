/** A point, or any list of numbers that formulas run over. */
export type Numbers = readonly number[]

/** The sum of `count` terms. */
export function sum(count: number, term: (i: number) => number): number {
  let total = 0
  for (let i = 0; i < count; i++) total += term(i)
  return total
}

/** The inner product. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < a.length; i++) total += (a[i] as number) * (b[i] as number)
  return total
}

/** A list made of its indices. */
export function listOf(count: number, make: (i: number) => number): number[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

/** The inner products of some vectors with one. */
export function times(vectors: readonly Numbers[], x: ArrayLike<number>): number[] {
  return vectors.map((each) => dot(each, x))
}

/** Rows of a square matrix as its columns. */
export function transposed(rows: readonly Numbers[]): Numbers[] {
  return rows.map((_, j) => rows.map((row) => row[j] as number))
}
