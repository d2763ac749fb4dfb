import { expect, test } from 'vitest'
import type { Vector } from '../../optimizer/core/types.ts'
import { linearModel } from './linear.ts'

const shape = { channels: 1, height: 1, width: 3 }
const images = { rows: 2, write: (row: number, into: Vector) => into.set(row === 0 ? [1, 0.5, 0.25] : [0, 0, 1]) }

test('scores are weighted sums and what is added, without a promise', async () => {
  const model = await linearModel({ shape, weights: [[1, 2, 4], [0, 0, -1]], bias: [0, 10] }).open() // biome-ignore format: a matrix
  const into = new Float64Array(4)
  expect(model.predict(images, into)).toBeUndefined()
  expect(Array.from(into)).toEqual([3, 9.75, 4, 9])
  expect(model.classes).toBe(2)
})

test.each([
  [{ weights: [[1, 2]] }, 'linear.weights.0 must hold 3 numbers, one per pixel, got 2'],
  [{ weights: [[1, 2, 3]], bias: [1, 2] }, 'linear.bias must hold 1 numbers, one per class, got 2'],
  [{ weights: [] }, 'linear.weights must hold at least 1'],
])('%o is refused', (options, message) => {
  expect(() => linearModel({ shape, ...options })).toThrow(message)
})
