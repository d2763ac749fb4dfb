import type { ImageShape } from '../core/types.ts'
import { halfWaves } from './cosine-transform.ts'

/**
 * From the pixels of an image to the lowest `rows` x `columns` frequencies of each channel: what `CosineTransform` makes of
 * them is the image again, as far as it has no others. Sides are folded in the middle, as there.
 */
export function cosineAnalysis(shape: ImageShape, rows: number, columns: number) {
  const { channels, height, width } = shape
  const across = halfWaves(width, columns)
  const down = halfWaves(height, rows)
  const halfHeight = Math.ceil(height / 2)
  const halfWidth = Math.ceil(width / 2)
  const lines = new Float64Array(rows * width)
  const [sum, difference] = [new Float64Array(width), new Float64Array(width)]

  /** lines = the frequencies along the columns of a channel. */
  const alongColumns = (image: Float64Array, first: number): void => {
    lines.fill(0)
    for (let y = 0; y < halfHeight; y++) {
      foldRows(image, first + y * width, first + (height - 1 - y) * width, sum, difference)
      for (let f = 0; f < rows; f++) {
        const weight = down[f * halfHeight + y] as number
        const from = f % 2 === 0 ? sum : difference
        const at = f * width
        for (let x = 0; x < width; x++) lines[at + x] = (lines[at + x] as number) + weight * (from[x] as number)
      }
    }
  }

  const alongRow = (row: number, into: Float64Array, at: number): void => {
    foldEnds(lines, row * width, width, sum, difference)
    for (let g = 0; g < columns; g++) {
      const from = g % 2 === 0 ? sum : difference
      let total = 0
      for (let x = 0; x < halfWidth; x++) total += (across[g * halfWidth + x] as number) * (from[x] as number)
      into[at + g] = total
    }
  }

  return (image: Float64Array, into: Float64Array): void => {
    for (let channel = 0; channel < channels; channel++) {
      alongColumns(image, channel * height * width)
      for (let f = 0; f < rows; f++) alongRow(f, into, (channel * rows + f) * columns)
    }
  }
}

/** Sum and difference of two rows; of a row with itself, that is the one in the middle, only itself. */
function foldRows(
  image: Float64Array,
  upper: number,
  lower: number,
  sum: Float64Array,
  difference: Float64Array,
): void {
  for (let x = 0; x < sum.length; x++) {
    const a = image[upper + x] as number
    const b = upper === lower ? 0 : (image[lower + x] as number)
    sum[x] = a + b
    difference[x] = a - b
  }
}

/** Sum and difference of the entries of a row that lie opposite each other. */
function foldEnds(row: Float64Array, first: number, width: number, sum: Float64Array, difference: Float64Array): void {
  for (let left = 0, right = width - 1; left <= right; left++, right--) {
    const a = row[first + left] as number
    const b = left === right ? 0 : (row[first + right] as number)
    sum[left] = a + b
    difference[left] = a - b
  }
}
