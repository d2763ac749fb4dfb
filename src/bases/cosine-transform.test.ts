import { expect, test } from 'vitest'
import { quarterCosines } from './cosine-transform.ts'

test.each([1, 2, 3, 28, 75, 224, 299, 1000])('has the cosines of a quarter circle in %i steps', (n) => {
  const cosines = quarterCosines(n)
  expect(cosines).toHaveLength(n + 1)
  cosines.forEach((each, m) => expect(Math.abs(each - Math.cos((Math.PI * m) / (2 * n)))).toBeLessThan(4e-16))
  expect([cosines[0], cosines[n]]).toEqual([1, 0])
})

test('has the same bits everywhere', () => {
  expect(Array.from(quarterCosines(5))).toEqual([
    1, 0.9510565162951535, 0.8090169943749475, 0.5877852522924731, 0.3090169943749474, 0,
  ])
  expect(quarterCosines(299).reduce((sum, each, m) => sum + each * ((m % 7) - 3), 0)).toBe(-4.015843806269983)
})
