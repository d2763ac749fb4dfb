import { expect, test } from 'vitest'
import { cosineAnalysis } from './cosine-analysis.ts'
import { CosineTransform } from './cosine-transform.ts'

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
