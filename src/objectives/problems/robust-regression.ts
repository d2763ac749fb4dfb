import { ZerothError } from '../../core/errors.ts'
import { count, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { checkDataSize, dataSeedOption, inner, uniformRow } from './data.ts'
import { type Loss, regression } from './regression.ts'
import type { TestProblem } from './test-problem.ts'

/** Every this-many-th target is off by ten times the usual noise. */
const outlierSpacing = 5

/**
 * f(x) = mean_j sqrt(1 + (a_j'x - y_j)^2) - 1 on drawn data with outliers: convex, and A1, A2 and A3 hold everywhere
 * for every term.
 */
export const robustRegression = definePart({
  kind: 'problem',
  name: 'robust-regression',
  summary: 'Regression with a robust loss on generated data with outliers: a finite sum with bounded gradients.',
  options: table({
    dim: count('number of variables', 5),
    population: count('number of terms; at least dim, so that the minimum is unique', 50),
    seed: dataSeedOption,
  }),
  examples: (dim) => [{ dim }, { dim, population: 4 * dim, seed: 1 }],
  make({ dim, population, seed }): TestProblem {
    if (population < dim) {
      throw new ZerothError(
        'invalid-option',
        `robust-regression.population must be at least dim (${dim}), got ${population}`,
      )
    }
    checkDataSize('robust-regression', dim, population)
    const truth = uniformRow(seed, 0, dim)
    const noise = uniformRow(seed, 1, population)
    const rows = Array.from({ length: population }, (_, j) => uniformRow(seed, 2 + j, dim))
    const targets = noise.map((each, j) => {
      const scale = j % outlierSpacing === 0 ? 2 : 0.2
      return inner(truth, rows[j] as Float64Array) + scale * each
    })
    return regression(dim, { rows, targets, loss: pseudoHuber, ridge: 0 })
  },
})

const pseudoHuber: Loss = {
  value: (t) => Math.sqrt(1 + t * t) - 1,
  slope: (t) => t / Math.sqrt(1 + t * t),
  curvature: (t) => 1 / ((1 + t * t) * Math.sqrt(1 + t * t)),
  largestSlope: 1,
  largestCurvature: 1,
}
