import { count, positive, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { checkDataSize, dataSeedOption, inner, uniformRow } from './data.ts'
import { type Loss, regression } from './regression.ts'
import type { TestProblem } from './test-problem.ts'

/**
 * f(x) = mean_j ln(1 + exp(-y_j a_j'x)) + ridge/2 ||x||^2 on drawn points a_j, whose labels y_j = +-1 follow a drawn
 * plane but for noise.
 */
export const logisticRegression = definePart({
  kind: 'problem',
  name: 'logistic-regression',
  summary: 'Logistic regression on generated points: a finite sum.',
  options: table({
    dim: count('number of variables', 5),
    population: count('number of terms', 50),
    ridge: positive('weight of ||x||^2 / 2, without which there may be no minimum', 0.1),
    seed: dataSeedOption,
  }),
  examples: (dim) => [{ dim }, { dim, population: 7, ridge: 1, seed: 1 }],
  make({ dim, population, ridge, seed }): TestProblem {
    checkDataSize('logistic-regression', dim, population)
    const plane = uniformRow(seed, 0, dim)
    const noise = uniformRow(seed, 1, population)
    const rows = Array.from({ length: population }, (_, j) => {
      const point = uniformRow(seed, 2 + j, dim)
      const label = inner(plane, point) + (noise[j] as number) / 2 < 0 ? -1 : 1
      return point.map((each) => label * each)
    })
    return regression(dim, { rows, targets: new Float64Array(population), loss: logistic, ridge })
  },
})

/** ln(1 + e^-t), arranged so that nothing overflows. */
const logistic: Loss = {
  value: (t) => Math.log1p(Math.exp(-Math.abs(t))) + Math.max(-t, 0),
  slope: (t) => -share(t),
  curvature: (t) => share(t) * (1 - share(t)),
  largestSlope: 1,
  largestCurvature: 0.25,
}

/** 1 / (1 + e^t). */
function share(t: number): number {
  const small = Math.exp(-Math.abs(t))
  return (t > 0 ? small : 1) / (1 + small)
}
