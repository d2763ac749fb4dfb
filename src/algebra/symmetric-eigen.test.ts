import fc from 'fast-check'
import { expect, test } from 'vitest'
import { symmetricEigen } from './symmetric-eigen.ts'

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
