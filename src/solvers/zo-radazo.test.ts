import { expect, test } from 'vitest'
import type { Solver } from '../core/types.ts'
import { forward, minimizeSync, quadratic, radazo, sphere } from '../index.ts'
import { descent } from './descent.ts'
import { zoRAdaZO } from './zo-radazo.ts'

const run = (solver: Solver, dim: number) => {
  const { value, start } = quadratic({ dim })
  return minimizeSync(value, start, { solver, maxIterations: 20 }).point
}

test("is R-AdaZO's step with forward differences", () => {
  const parts = descent({
    estimator: forward({ along: sphere(), directions: 3, smoothing: 1e-2 }),
    step: radazo({ beta2: 0.5 }),
    learningRate: 0.02,
  })
  expect(run(zoRAdaZO({ learningRate: 0.02, directions: 3, smoothing: 1e-2, beta2: 0.5 }), 5)).toEqual(run(parts, 5))
})

test.each([
  [5, 0.1],
  [400, 0.05],
])('in %i dimensions the usual rate is %d, falling with the iterations', (dim, learningRate) => {
  expect(run(zoRAdaZO(), dim)).toEqual(run(zoRAdaZO({ learningRate }), dim))
})
