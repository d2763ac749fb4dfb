import { describe, expect, test } from 'vitest'
import { type CovarianceKind, covarianceModel, strategyOf, usualPopulation } from './cma-covariance.ts'

const dim = 3
const strategy = (kind: CovarianceKind) => strategyOf(dim, 6, kind)

/** A model after generations whose better rows lie along a direction, and whose worse rows lie across it. */
function learned(kind: CovarianceKind, along: readonly number[], across: readonly number[], generations: number) {
  const model = covarianceModel(kind, dim)
  const better = Float64Array.from(along)
  const worse = Float64Array.from(across)
  for (let generation = 0; generation < generations; generation++) {
    model.learn({
      strategy: strategy(kind),
      generation,
      normal: better,
      step: better,
      isSteady: true,
      each: (use) => {
        for (let rank = 0; rank < 6; rank++) use(rank, rank < 3 ? better : worse, rank < 3 ? better : worse)
      },
    })
  }
  return model
}

const stretched = (model: ReturnType<typeof learned>, z: readonly number[]): number => {
  const into = new Float64Array(dim)
  model.stretch(Float64Array.from(z), into)
  return Math.sqrt(into.reduce((sum, each) => sum + each * each, 0))
}

test.each(['full', 'separable', 'limited'] as const)('%s: begins with the identity, and returns to it', (kind) => {
  const model = learned(kind, [2, 0, 0], [0, 2, 0], 5)
  const z = [0.6, 0, 0.8]
  expect(stretched(covarianceModel(kind, dim), z)).toBeCloseTo(1, 14)
  expect(stretched(model, z)).not.toBeCloseTo(1, 2)
  model.reset()
  expect(stretched(model, z)).toBeCloseTo(1, 14)
  expect(model.condition).toBe(1)
})

test.each(['full', 'separable', 'limited'] as const)('%s: grows along good steps, more than across', (kind) => {
  const model = learned(kind, [2, 0, 0], [0, 2, 0], 8)
  expect(stretched(model, [1, 0, 0])).toBeGreaterThan(1.2 * stretched(model, [0, 1, 0]))
})

test('full: learns directions between the axes', () => {
  const model = learned('full', [1.4, 1.4, 0], [1.4, -1.4, 0], 8)
  expect(stretched(model, [0.7, 0.7, 0])).toBeGreaterThan(1.5 * stretched(model, [0.7, -0.7, 0]))
  expect(model.condition).toBeGreaterThan(2)
})

describe('cma strategy', () => {
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
        if (kind === 'full')
          expect(dim * cMu * -sum(weights.subarray(parents))).toBeLessThanOrEqual(1 - c1 - cMu + 1e-12)
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
})

test.each(['full', 'separable', 'limited'] as const)('%s: finds the normal of a step again', (kind) => {
  const model = learned(kind, [1.4, 1.4, 0], [1.4, -1.4, 0.3], 8)
  const z = Float64Array.of(0.3, -1.2, 0.7)
  const step = new Float64Array(dim)
  model.stretch(z, step)
  const found = model.normalOf(step)
  z.forEach((each, i) => {
    expect(found[i]).toBeCloseTo(each, 12)
  })
})
