import { expect, test } from 'vitest'
import { writeStep } from './write-step.ts'

const numbers = (length: number, shift: number) => Float64Array.from({ length }, (_, i) => Math.sin(7 * i + shift))

test('in float32 every operation is rounded', () => {
  const { fround } = Math
  const [x, u, into] = [Float32Array.from(numbers(50, 1)), numbers(50, 2), new Float64Array(50)]
  writeStep(x, 0.1, u, 0, 50, into, 0)
  into.forEach((each, i) => {
    expect(each).toBe(fround((x[i] as number) + fround(fround(0.1) * fround(u[i] as number))))
  })
  // Rounding only once would be another number somewhere.
  expect(Array.from(into)).not.toEqual(Array.from(x, (each, i) => fround(each + 0.1 * (u[i] as number))))
})

test('writes the coordinates from `first` on, behind the offset, and nothing else', () => {
  const into = new Float64Array(6).fill(9)
  writeStep(Float64Array.of(1, 2, 3, 4), 10, Float64Array.of(0.5, -0.5, 7), 1, 2, into, 2)
  expect(Array.from(into)).toEqual([9, 9, 9, 7, -2, 9])
})
