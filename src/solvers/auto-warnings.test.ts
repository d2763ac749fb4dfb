import { describe, expect, test } from 'vitest'
import { auto } from '../parts.ts'
import { minimizeSync } from '../run/minimize.ts'
import { startWarnings } from './auto-warnings.ts'

const calm = { dim: 3, budget: { maxQueries: 100 }, population: undefined, answers: [2, 2] as const }

describe('warnings at the start', () => {
  test('are none where answers agree and there is a query per variable', () => {
    expect(startWarnings(calm)).toEqual([])
    expect(startWarnings({ ...calm, budget: { maxQueries: 6 } })).toEqual([])
    expect(startWarnings({ ...calm, budget: {} })).toEqual([])
  })

  test('say how much two answers differ, but not for the terms of a sum', () => {
    expect(startWarnings({ ...calm, answers: [2, 2.5] })).toEqual([
      expect.stringContaining('two answers at the start differ by 0.5 (20 %)'),
    ])
    expect(startWarnings({ ...calm, answers: [2, 2.5], population: 10 })).toEqual([])
    expect(startWarnings({ ...calm, answers: [2, Number.NaN] })).toEqual([])
  })

  test('say that the budget is too small for the variables, and whether it was chosen', () => {
    expect(startWarnings({ ...calm, budget: { maxQueries: 5 } })).toEqual([
      expect.stringMatching(/^maxQueries 5 is too small.*one per variable \(3\); raise maxQueries/),
    ])
    expect(startWarnings({ ...calm, dim: 20_000, budget: { maxQueries: 10_000, isUsual: true } })).toEqual([
      expect.stringContaining('the usual maxQueries 10000'),
    ])
  })
})

test('a noisy objective and a small budget are reported by a run of auto, an exact one is not', () => {
  const bowl = (x: Float64Array) => x.reduce((sum, each) => sum + each * each, 0)
  let calls = 0
  const noisy = (x: Float64Array) => bowl(x) + 0.01 * (calls++ % 2)
  const warningsOf = (f: typeof bowl, maxQueries: number) =>
    minimizeSync(f, [1, 2, 3], { solver: auto(), maxQueries }).warnings
  expect(warningsOf(bowl, 200)).toEqual([])
  expect(warningsOf(noisy, 200)).toEqual([expect.stringContaining('differ by 0.01 (0.071 %)')])
  expect(warningsOf(bowl, 2)).toEqual([expect.stringContaining('the budget allows no iteration')])
})

test('a budget below the number of variables is reported', () => {
  const sum = (x: Float64Array) => x.reduce((total, each) => total + Math.abs(each), 0)
  const { warnings } = minimizeSync(sum, new Float64Array(60).fill(1), { solver: auto(), maxQueries: 50 })
  expect(warnings).toEqual([expect.stringContaining('maxQueries 50 is too small')])
})

test('a start that fails has nothing to do with noise', () => {
  let calls = 0
  const f = ([x = 0]: Float64Array) => (calls++ === 0 ? Number.NaN : x * x)
  const { warnings } = minimizeSync(f, [3], { solver: auto(), maxQueries: 60, failures: 'skip' })
  expect(warnings).toEqual([])
})
