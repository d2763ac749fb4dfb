import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orthonormalizeRow } from './orthonormalize.ts'

test('makes rows orthonormal one after another, to 14 digits', () => {
  const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 })
  const property = fc.property(numbers, (given) => {
    const rows = Float64Array.from(given)
    for (let row = 0; row < 3; row++) if (!orthonormalizeRow(rows, 4, row, 1e-6)) return
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b <= a; b++) {
        const product = [0, 1, 2, 3].reduce(
          (sum, i) => sum + (rows[4 * a + i] as number) * (rows[4 * b + i] as number),
          0,
        )
        expect(Math.abs(product - (a === b ? 1 : 0))).toBeLessThan(1e-14)
      }
    }
  })
  fc.assert(property, { seed: 20196 })
})

test('says where nothing new is left', () => {
  const rows = Float64Array.of(1, 1, 2, 2, 0, 0, 1, 0)
  expect([0, 1, 2].map((row) => orthonormalizeRow(rows, 2, row, 1e-10))).toEqual([true, false, false])
})

test('does not overflow and does not vanish', () => {
  for (const size of [1e300, 1e-300]) {
    const row = Float64Array.of(3 * size, -4 * size)
    expect(orthonormalizeRow(row, 2, 0, 1e-10)).toBe(true)
    expect(row[0]).toBeCloseTo(0.6, 14)
    expect(row[1]).toBeCloseTo(-0.8, 14)
  }
})
