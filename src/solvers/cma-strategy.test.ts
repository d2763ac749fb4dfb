import { expect, test } from 'vitest'
import { strategyOf, usualPopulation } from './cma-strategy.ts'

test('populations are 4 + 3 ln d', () => {
  expect([1, 2, 5, 20, 1000, 100_000].map(usualPopulation)).toEqual([4, 6, 8, 12, 24, 38])
})

test.each(['full', 'separable', 'limited'] as const)(
  'parents share a weight of 1, the rest is below 0 (%s)',
  (kind) => {
    for (const [dim, population] of [
      [1, 4],
      [5, 8],
      [20, 12],
      [20, 3000],
      [1000, 24],
    ] as const) {
      const { weights, parents, cSigma, c1, cMu, cC } = strategyOf(dim, population, kind)
      const sum = (values: Float64Array): number => values.reduce((all, each) => all + each, 0)
      expect(sum(weights.subarray(0, parents))).toBeCloseTo(1, 12)
      expect(weights.subarray(parents).every((each) => each <= 0)).toBe(true)
      for (const rate of [cSigma, c1, cMu, cC]) expect(rate > 0 && rate <= 1).toBe(true)
      if (kind === 'full') expect(dim * cMu * -sum(weights.subarray(parents))).toBeLessThanOrEqual(1 - c1 - cMu + 1e-12)
    }
  },
)

test('the constants of 10 variables are those of pycma 4.5', () => {
  const { muEff, c1, cMu, cC, cSigma, dSigma, weights } = strategyOf(10, 10, 'full')
  const found = [muEff, c1, cMu, cC, cSigma, dSigma, weights[0], weights.reduce((all, each) => all + each, 0)]
  const theirs = [3.1672992814107, 0.015283824524752, 0.023551776650417, 0.294990383035622, 0.319614252910633]
  for (const [i, value] of [...theirs, 1.319614252910633, 0.456272646903406, -0.648945714440647].entries()) {
    expect(found[i]).toBeCloseTo(value, 13)
  }
  const diagonal = strategyOf(10, 10, 'separable')
  expect(diagonal.c1).toBeCloseTo(0.060091512468454, 13)
  expect(diagonal.cMu).toBeCloseTo(0.071515818311138, 13)
  expect(diagonal.cC).toBeCloseTo(0.363661546025277, 13)
})
