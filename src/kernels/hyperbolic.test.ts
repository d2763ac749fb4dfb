import { expect, test } from 'vitest'
import { hyperbolicTangent32, hyperbolicTangent64 } from './hyperbolic.ts'

const points = Array.from({ length: 40_001 }, (_, i) => (i - 20_000) / 1000)

test('float64 tanh is within 4 units in the last place', () => {
  const worst = Math.max(...points.map((x) => Math.abs(hyperbolicTangent64(x) - Math.tanh(x)) / ulp(Math.tanh(x), 52)))
  expect(worst).toBeLessThanOrEqual(4)
})

test('float32 tanh is within 5 units in the last place of float32 and never beyond 1', () => {
  const errors = points.map((value) => {
    const x = Math.fround(value)
    return Math.abs(hyperbolicTangent32(x) - Math.tanh(x)) / ulp(Math.tanh(x), 23)
  })
  expect(Math.max(...errors)).toBeLessThanOrEqual(5)
  expect(points.every((x) => Math.abs(hyperbolicTangent32(Math.fround(x))) <= 1)).toBe(true)
})

test('zeros, infinities and NaN stay what they are', () => {
  for (const tanh of [hyperbolicTangent32, hyperbolicTangent64]) {
    expect([0, -0, Infinity, -Infinity, Number.NaN].map(tanh)).toEqual([0, -0, 1, -1, Number.NaN])
  }
})

function ulp(value: number, digits: number): number {
  return 2 ** (Math.floor(Math.log2(Math.abs(value) || 2 ** -30)) - digits)
}
