import { describe, expect, test } from 'vitest'
import { studentQuantile } from './student-quantile.ts'

describe("the quantile of Student's t", () => {
  test.each([
    [1, 12.7062, 63.6567],
    [2, 4.30265, 9.92484],
    [3, 3.18245, 5.84091],
    [4, 2.77645, 4.60409],
    [9, 2.26216, 3.24984],
    [29, 2.04523, 2.75639],
    [99, 1.98422, 2.62641],
  ])('for %i degrees of freedom is that of the tables', (freedom, at95, at99) => {
    expect(Math.abs(studentQuantile(freedom, '95 %') / at95 - 1)).toBeLessThan(0.01)
    expect(Math.abs(studentQuantile(freedom, '99 %') / at99 - 1)).toBeLessThan(0.04)
  })

  test('is exact for two and for three seeds', () => {
    expect(studentQuantile(1, '95 %')).toBeCloseTo(Math.tan(0.475 * Math.PI), 9)
    expect(studentQuantile(2, '95 %')).toBeCloseTo(0.95 * Math.sqrt(2 / (1 - 0.95 * 0.95)), 9)
    expect(studentQuantile(1, '99 %')).toBeCloseTo(Math.tan(0.495 * Math.PI), 8)
    expect(studentQuantile(2, '99 %')).toBeCloseTo(0.99 * Math.sqrt(2 / (1 - 0.99 * 0.99)), 9)
  })
})
