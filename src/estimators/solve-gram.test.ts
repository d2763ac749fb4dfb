import { expect, test } from 'vitest'
import { solveGram } from './solve-gram.ts'

/** The solution for the Gram matrix of some rows. */
function solved(rows: readonly number[][], values: readonly number[]): Float64Array {
  const n = rows.length
  const gram = Float64Array.from({ length: n * n }, (_, k) => {
    const [a, b] = [rows[Math.floor(k / n)] ?? [], rows[k % n] ?? []]
    return a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)
  })
  const w = Float64Array.from(values)
  solveGram(gram, n, w, new Float64Array(n * n), 1e-8)
  return w
}

test('solves the equations of independent rows to the last digits', () => {
  // G = [[4, 2, 0], [2, 10, 3], [0, 3, 2]].
  const w = solved(
    [
      [2, 0, 0],
      [1, 3, 0],
      [0, 1, 1],
    ],
    [8, 19, 4],
  )
  for (const [i, expected] of [1, 2, -1].entries()) expect(w[i]).toBeCloseTo(expected, 13)
})

test('shares out the mean among rows that are the same', () => {
  const w = solved(
    [
      [2, 0],
      [2, 0],
    ],
    [1, 3],
  )
  // S^T w is what counts: 2 (w_0 + w_1) = mean / 2.
  expect(2 * ((w[0] as number) + (w[1] as number))).toBeCloseTo(1, 7)
})

test('a row of zeros changes nothing else', () => {
  const w = solved(
    [
      [2, 0],
      [0, 0],
    ],
    [6, 1],
  )
  expect(w[0]).toBeCloseTo(1.5, 7)
  expect(Number.isFinite(w[1])).toBe(true)
})

test('nothing but zeros gives zeros', () => {
  expect(Array.from(solved([[0], [0]], [1, 2]))).toEqual([0, 0])
})
