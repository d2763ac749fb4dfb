import { expect, test } from 'vitest'
import { type CovarianceKind, strategyOf } from './cma-strategy.ts'
import { covarianceModel } from './covariance-models.ts'

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
