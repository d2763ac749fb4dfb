import { expect, test } from 'vitest'
import { cholesky } from './matrices.ts'
import { factorRows, inverseRows, rowStart, solveColumns, solveFour, solveRows } from './packed-factor.ts'

/** A positive definite matrix, whole and packed. */
function sample(n: number): { whole: Float64Array; packed: Float64Array } {
  const whole = new Float64Array(n * n)
  const packed = new Float64Array(rowStart(n))
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const entry = 1 / (1 + Math.abs(i - j)) + (i === j ? 0.5 + 0.01 * i : ((i * 7 + j * 3) % 5) / 40)
      whole[i * n + j] = entry
      whole[j * n + i] = entry
      packed[rowStart(i) + j] = entry
    }
  }
  return { whole, packed }
}

const sizes = [1, 2, 3, 4, 5, 7, 8, 13, 30]

test.each(sizes)('a factor of %i rows is the one of the whole matrix', (n) => {
  const { whole, packed } = sample(n)
  const factor = new Float64Array(rowStart(n))
  expect(factorRows(packed, 0, n, factor)).toBe(true)
  const expected = new Float64Array(n * n)
  cholesky(whole, n, expected)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      expect(Math.abs((factor[rowStart(i) + j] as number) - (expected[i * n + j] as number))).toBeLessThan(1e-13)
    }
  }
})

test('a factor that grew row by row has the bits of one that was made at once', () => {
  const n = 23
  const { packed } = sample(n)
  const once = new Float64Array(rowStart(n))
  factorRows(packed, 0, n, once)
  for (const stride of [1, 2, 5]) {
    const grown = new Float64Array(rowStart(n))
    for (let from = 0; from < n; from += stride) factorRows(packed, from, Math.min(from + stride, n), grown)
    expect(grown).toEqual(once)
  }
})

test('a matrix that is not positive definite is told apart', () => {
  expect(factorRows(Float64Array.of(1, 2, 1), 0, 2, new Float64Array(3))).toBe(false)
  expect(factorRows(Float64Array.of(Number.NaN), 0, 1, new Float64Array(1))).toBe(false)
  expect(factorRows(Float64Array.of(4, 2, 3), 0, 2, new Float64Array(3))).toBe(true)
})

test.each(sizes)('%i equations are solved, one right side or four, forwards and backwards', (n) => {
  const { whole, packed } = sample(n)
  const factor = new Float64Array(rowStart(n))
  factorRows(packed, 0, n, factor)
  const wanted = Array.from({ length: 4 }, (_, c) => Float64Array.from({ length: n }, (_, i) => ((i + 2 * c) % 5) - 2))
  const sides = wanted.map((z) =>
    Float64Array.from(z, (_, i) => z.reduce((s, each, j) => s + (whole[i * n + j] as number) * each, 0)),
  )
  const block = new Float64Array(4 * n)
  sides.forEach((side, c) => {
    side.forEach((each, i) => {
      block[4 * i + c] = each
    })
  })
  solveFour(factor, n, block)
  sides.forEach((side, c) => {
    solveRows(factor, n, side)
    expect(Array.from(side)).toEqual(Array.from({ length: n }, (_, i) => block[4 * i + c]))
    solveColumns(factor, n, side)
    side.forEach((each, i) => {
      expect(Math.abs(each - (wanted[c]?.[i] as number))).toBeLessThan(1e-12)
    })
  })
})

test.each(sizes)('the inverse of %i rows times the matrix is the identity', (n) => {
  const { whole, packed } = sample(n)
  const factor = new Float64Array(rowStart(n))
  factorRows(packed, 0, n, factor)
  const inverse = inverseRows(factor, n)
  const entry = (i: number, j: number): number => inverse[i >= j ? rowStart(i) + j : rowStart(j) + i] as number
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let product = 0
      for (let k = 0; k < n; k++) product += entry(i, k) * (whole[k * n + j] as number)
      expect(Math.abs(product - (i === j ? 1 : 0))).toBeLessThan(1e-12)
    }
  }
})
