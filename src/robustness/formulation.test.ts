import { expect, test } from 'vitest'
import { distortionBetween } from './formulation.ts'

test('distortion has the squared and the plain Euclidean norm and the largest change', () => {
  const picture = Float64Array.from([0.5, 0, 1])
  const original = Float32Array.from([0.125, 0.5, 1])
  expect(distortionBetween(picture, original)).toEqual({ l2sq: 0.390625, l2: 0.625, linf: 0.5 })
  expect(distortionBetween(original, original)).toEqual({ l2sq: 0, l2: 0, linf: 0 })
})

test('distortion is added up in float64 also where both pictures are float32', () => {
  const picture = new Float32Array(1_000_000).fill(0.1)
  const { l2sq } = distortionBetween(picture, new Float32Array(1_000_000))
  const each = Math.fround(0.1)
  expect(Math.abs(l2sq / (1e6 * each * each) - 1)).toBeLessThan(1e-10)
})
