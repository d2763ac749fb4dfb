import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cholesky, solveLower, solveUpper } from './cholesky.ts'
import { multiply } from './vectors.ts'

test('the factor of a known matrix', () => {
  const into = new Float64Array(9)
  expect(cholesky(new Float64Array([4, 0, 0, 12, 37, 0, -16, -43, 98]), 3, into)).toBe(true)
  expect([...into]).toEqual([2, 0, 0, 6, 1, 0, -8, 5, 3])
})

test('a matrix that is not positive definite, or not finite, is refused', () => {
  const into = new Float64Array(4)
  expect(cholesky(new Float64Array([1, 2, 2, 1]), 2, into)).toBe(false)
  expect(cholesky(new Float64Array([0, 0, 0, 1]), 2, into)).toBe(false)
  expect(cholesky(new Float64Array([Number.NaN, 0, 0, 1]), 2, into)).toBe(false)
  expect(cholesky(new Float64Array([Infinity, 0, 0, 1]), 2, into)).toBe(false)
})

test('solves with any size, in place too', () => {
  const entries = fc
    .integer({ min: 1, max: 13 })
    .chain((n) =>
      fc.tuple(
        fc.constant(n),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n * n, maxLength: n * n }),
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: n, maxLength: n }),
      ),
    )
  fc.assert(
    fc.property(entries, ([n, given, solution]) => {
      const m = Float64Array.from(given)
      // M M' + I is positive definite.
      const a = new Float64Array(n * n)
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          let sum = i === j ? 1 : 0
          for (let k = 0; k < n; k++) sum += (m[i * n + k] as number) * (m[j * n + k] as number)
          a[i * n + j] = sum
        }
      }
      const b = new Float64Array(n)
      multiply(a, Float64Array.from(solution), b)
      const factor = a.slice()
      expect(cholesky(factor, n, factor)).toBe(true)
      const apart = new Float64Array(n * n)
      cholesky(a, n, apart)
      expect(factor).toEqual(apart)
      solveLower(factor, n, b)
      solveUpper(factor, n, b)
      for (let i = 0; i < n; i++) expect(Math.abs((b[i] as number) - (solution[i] as number))).toBeLessThan(1e-10)
    }),
  )
})
