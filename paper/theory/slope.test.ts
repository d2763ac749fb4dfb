import { expect, test } from 'vitest'
import { logLogSlope } from './slope.ts'

test('finds the exponent of a power law', () => {
  expect(logLogSlope([1, 4, 16, 64].map((x) => ({ x, y: 3 / Math.sqrt(x) })))).toBeCloseTo(-0.5, 12)
})
