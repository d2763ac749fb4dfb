import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cholesky, dampedUpdate, positive, solveLower, solveUpper, symmetricEigen } from './matrices.ts'
import { multiply } from './vectors.ts'

describe('symmetric eigen', () => {
  const symmetric = fc.integer({ min: 1, max: 9 }).chain((n) =>
    fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: n * n, maxLength: n * n }).map((given) => {
      const a = new Float64Array(n * n)
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) a[i * n + j] = given[Math.max(i, j) * n + Math.min(i, j)] as number
      return { n, a }
    }),
  )

  test('values ascend, vectors are orthonormal, and A v = w v', () => {
    fc.assert(
      fc.property(symmetric, ({ n, a }) => {
        const { values, vectors } = symmetricEigen(a, n)
        const entry = (i: number, j: number): number => vectors[i * n + j] as number
        for (let j = 0; j < n; j++) {
          if (j > 0) expect(values[j]).toBeGreaterThanOrEqual(values[j - 1] as number)
          for (let k = 0; k < n; k++) {
            let [product, image] = [0, 0]
            for (let i = 0; i < n; i++) {
              product += entry(i, j) * entry(i, k)
              image += (a[k * n + i] as number) * entry(i, j)
            }
            expect(Math.abs(product - (j === k ? 1 : 0))).toBeLessThan(1e-12)
            expect(Math.abs(image - (values[j] as number) * entry(k, j))).toBeLessThan(1e-12 * 100)
          }
        }
      }),
    )
  })

  test('known values, and a matrix that stays as it is', () => {
    const a = new Float64Array([2, 1, 1, 2])
    const { values } = symmetricEigen(a, 2)
    expect(values[0]).toBeCloseTo(1, 14)
    expect(values[1]).toBeCloseTo(3, 14)
    expect([...a]).toEqual([2, 1, 1, 2])
    expect([...symmetricEigen(new Float64Array([3, 0, 0, 0, -1, 0, 0, 0, 2]), 3).values]).toEqual([-1, 2, 3])
    expect([...symmetricEigen(new Float64Array(9), 3).values]).toEqual([0, 0, 0])
  })

  test.each([1e-320, 1e-300, 1e-222, 1e-180, 1e-140, 1e-100, 1e100, 1e150, 1e250])(
    'entries around %d are no trouble',
    (size) => {
      const n = 4
      const a = Float64Array.from({ length: n * n }, (_, at) => {
        const [i, j] = [Math.floor(at / n), at % n]
        return size * (i === j ? i + 2 : 1 / (1 + i + j))
      })
      const { values, vectors } = symmetricEigen(a, n)
      const entry = (i: number, j: number): number => vectors[i * n + j] as number
      // Numbers this small have few digits themselves.
      const tolerance = size < 1e-310 ? 1e-3 : 1e-13
      for (let j = 0; j < n; j++) {
        for (let k = 0; k < n; k++) {
          let [product, image] = [0, 0]
          for (let i = 0; i < n; i++) {
            product += entry(i, j) * entry(i, k)
            image += ((a[k * n + i] as number) / size) * entry(i, j)
          }
          expect(Math.abs(product - (j === k ? 1 : 0))).toBeLessThan(1e-13)
          expect(Math.abs(image - ((values[j] as number) / size) * entry(k, j))).toBeLessThan(10 * tolerance)
        }
      }
    },
  )
})

describe('cholesky', () => {
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
})

describe('quasi newton matrix', () => {
  test('an update takes the move to the change of the gradient', () => {
    const b = Float64Array.of(2, 0, 0, 1)
    const [move, change] = [Float64Array.of(1, 1), Float64Array.of(3, 2)]
    dampedUpdate(b, move, change)
    const product = new Float64Array(2)
    multiply(b, move, product)
    expect(product[0]).toBeCloseTo(3, 14)
    expect(product[1]).toBeCloseTo(2, 14)
  })

  test('a gradient that falls along the move is damped: the matrix stays positive definite', () => {
    const b = Float64Array.of(1, 0, 0, 1)
    dampedUpdate(b, Float64Array.of(1, 0), Float64Array.of(-5, 0))
    expect(b[0]).toBeCloseTo(0.2, 14)
    expect(b[3]).toBe(1)
  })

  test('eigenvalues become magnitudes, none below 1e-8 of the largest', () => {
    expect(Array.from(positive(Float64Array.of(-4, 0, 0, 0), 2))).toEqual([4, 0, 0, 4e-8])
  })
})
