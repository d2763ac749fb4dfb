import { expect, test } from 'vitest'
import { namedVariables } from '../../core/variables.ts'
import { randomUniform } from '../../kernels/random.ts'
import { explain } from './explanation.ts'

const variables = namedVariables({
  a: { from: 0, to: 1 },
  b: { from: 1, to: 16, step: 1 },
  mode: { choices: ['x', 'y', 'z'] },
  idle: { from: 0, to: 1 },
  inner: { from: 0, to: 1, when: { mode: 'z' } },
})
const settings = Array.from({ length: 80 }, (_, row) => {
  const u = Array.from({ length: 5 }, (_, i) => randomUniform({ seed: 3, iteration: 0, row }, 'data', i))
  return Float64Array.of(u[0] ?? 0, 1 + Math.floor(16 * (u[1] ?? 0)), Math.floor(3 * (u[2] ?? 0)), u[3] ?? 0, u[4] ?? 0)
})
const told = (f: (a: number, b: number, mode: number) => number) => {
  const values = settings.map(([a = 0, b = 0, mode = 0]) => f(a, b, mode))
  const found = explain(variables, settings, values)
  if (found === undefined) throw new Error('nothing to tell')
  return found
}

test('the shares of an additive function are those of its terms, and no pair matters', () => {
  // Variances: 4/12 of 2 a, (1 / 12)(16^2 - 1) / 15^2 of (b - 1) / 15, 2/9 of the choice.
  const { importance, pairs, foresight } = told((a, b, mode) => 2 * a + (b - 1) / 15 + (mode === 1 ? 1 : 0) - 9)
  const variances = [1 / 3, 255 / 12 / 225, 2 / 9]
  const whole = variances.reduce((sum, each) => sum + each, 0)
  variances.forEach((each, i) => {
    expect(Math.abs((importance[i] as number) - each / whole)).toBeLessThan(0.06)
  })
  expect(importance[3]).toBeLessThan(0.01)
  expect(importance[4]).toBeLessThan(0.02)
  expect(pairs[0]?.share).toBeLessThan(0.02)
  expect(foresight).toBeGreaterThan(0.95)
})

test('two variables that only matter together are the first pair, with all of the variance', () => {
  const { pairs, importance } = told((a, b) => (a - 0.5) * (b - 8.5) - 100)
  expect(pairs[0]?.pair.toSorted()).toEqual([0, 1])
  expect(pairs[0]?.share).toBeGreaterThan(0.8)
  expect(importance[2]).toBeLessThan(0.05)
})

test('its forecast of a place is near the truth, inside its interval, and positive where values are, of their logarithms', () => {
  const truth = (a: number, b: number): number => 0.01 + a * a * b
  const { forecast, place, ofLogarithms } = told(truth)
  expect([ofLogarithms, told((a) => a - 0.5).ofLogarithms]).toEqual([true, false])
  const [{ mean, low, high } = { mean: 0, low: 0, high: 0 }] = forecast([place([0.7, 9, 0, 0.5, 0])])
  expect(Math.abs(mean / truth(0.7, 9) - 1)).toBeLessThan(0.1)
  expect(low).toBeGreaterThan(0)
  expect(low).toBeLessThan(truth(0.7, 9))
  expect(high).toBeGreaterThan(truth(0.7, 9))
})

test('what does not matter at a setting makes no difference to its place', () => {
  const { place } = told((a) => a)
  expect(place([0.5, 3, 0, 0.2, 0.9])).toEqual(place([0.5, 3, 0, 0.2, 0.1]))
  expect(place([0.5, 3, 2, 0.2, 0.9])).not.toEqual(place([0.5, 3, 2, 0.2, 0.1]))
})

test('a few settings, and values that are all the same, tell nothing', () => {
  expect(explain(variables, settings.slice(0, 8), [1, 2, 3, 4, 5, 6, 7, 8])).toBeUndefined()
  expect(explain(variables, settings, new Float64Array(80).fill(2))).toBeUndefined()
})
