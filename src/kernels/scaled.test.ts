import { expect, test } from 'vitest'
import { withinReach } from './pair-memory.ts'
import { randomWord } from './random.ts'
import { scalarScale, scale } from './scaled.ts'

/** Numbers of very different sizes, zeros and odd ones among them. */
function numbers(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => {
    const word = randomWord({ seed: 5, iteration: i, row: 0 }, 'data', 0)
    const size = [1, 1e-3, 1e-20, 1e-44, 0, 1e30, -0, Infinity, Number.NaN][word % 9] as number
    return (word / 2 ** 32 - 0.5) * size
  })
}

test.each([1, 255, 256, 257, 16_384, 16_387, 40_003])(
  'the kernel gives the bits of the plain loop at length %i',
  (length) => {
    for (const [factor, shift] of [
      [1.99, -1],
      [1 / 0.229, -0.485 / 0.229],
      [255, 0],
      [-1e-40, 1e-41],
    ] as const) {
      const [fast, plain, near] = [numbers(length + 9), numbers(length + 9), withinReach(length + 9)]
      near.set(plain)
      scale(near.subarray(2), 3, length, factor, shift)
      scale(fast, 5, length, factor, shift)
      scalarScale(plain, 5, length, factor, shift)
      expect(fast).toEqual(plain)
      expect(near).toEqual(plain)
      expect(fast.subarray(0, 5)).toEqual(numbers(5))
      expect(fast.subarray(5 + length)).toEqual(numbers(length + 9).subarray(5 + length))
    }
  },
)
