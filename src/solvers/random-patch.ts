import type { Bounds, ImageShape, Key, Vector } from '../core/types.ts'
import { randomInteger, randomWord } from '../kernels/random.ts'

/** Rows below belong to others who draw coordinates. */
const patchRow = 1_000

/** Covers a random rectangle of the picture that `into` makes with black or white: the lower or the upper bounds. */
export function coverPatch(shape: ImageShape, { lower, upper }: Bounds, key: Key, row: number, into: Vector): void {
  const { channels, height, width } = shape
  const address = { ...key, row: patchRow + row }
  const between = (index: number, size: number): [number, number] => {
    const length = 1 + randomInteger(address, 'coordinates', index, size)
    return [randomInteger(address, 'coordinates', index + 1, size - length + 1), length]
  }
  const [top, rows] = between(0, height)
  const [left, columns] = between(2, width)
  const from = randomWord(address, 'coordinates', 4) % 2 === 0 ? lower : upper
  for (let channel = 0; channel < channels; channel++) {
    for (let y = top; y < top + rows; y++) {
      const first = (channel * height + y) * width + left
      for (let i = first; i < first + columns; i++) into[i] = from[i % from.length] as number
    }
  }
}
