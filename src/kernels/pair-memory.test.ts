import { expect, test } from 'vitest'
import { memoryOf, withinReach } from './pair-memory.ts'

test('a vector within reach is a zeroed one of that length, in memory of its own', () => {
  const vectors = [withinReach(5), withinReach(100_000)]
  for (const [i, length] of [5, 100_000].entries()) expect(vectors[i]).toEqual(new Float32Array(length))
  expect(vectors[0]?.buffer).not.toBe(vectors[1]?.buffer)
})

test('the memory is found by any part of the vector, and of no other vector', () => {
  const vector = withinReach(20)
  expect(memoryOf(vector)?.linked.buffer).toBe(vector.buffer)
  expect(memoryOf(vector.subarray(7, 9))).toBe(memoryOf(vector))
  expect(memoryOf(new Float32Array(20))).toBeUndefined()
})
