import { describe, expect, test } from 'vitest'
import { CosineTransform, cosineAnalysis, quarterCosines } from './cosine-transform.ts'

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

describe('cosine analysis', () => {
  test.each([
    { channels: 1, height: 4, width: 6 },
    { channels: 3, height: 5, width: 4 },
    { channels: 2, height: 1, width: 7 },
  ])('gives the frequencies that an image of $channels x $height x $width was made of', (shape) => {
    const { channels, height, width } = shape
    const rows = Math.max(1, height - 1)
    const frequencies = Float64Array.from({ length: channels * rows * 3 }, (_, i) => Math.sin(1 + 3 * i))
    const image = new Float64Array(channels * height * width)
    new CosineTransform(shape, rows, 3).apply(frequencies, image)
    const found = new Float64Array(frequencies.length)
    cosineAnalysis(shape, rows, 3)(image, found)
    found.forEach((each, i) => {
      expect(each).toBeCloseTo(frequencies[i] as number, 12)
    })
  })
})
