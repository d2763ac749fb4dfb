import { count, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Vector } from '../../core/types.ts'
import { conditionOption, geometricSpectrum } from './spectrum.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = 1/2 sum_i h_i x_i^2 with curvatures h_i from 1 to the condition number; by default 1/2 ||x||^2. */
export const quadratic = definePart({
  kind: 'problem',
  name: 'quadratic',
  summary: 'A quadratic along the coordinate axes.',
  options: table({ dim: count('number of variables', 10), condition: conditionOption }),
  examples: (dim) => [{ dim }, { dim, condition: 100 }],
  make: ({ dim, condition }): TestProblem => {
    const curvatures = geometricSpectrum(dim, condition)
    const trace = curvatures.reduce((sum, curvature) => sum + curvature, 0)
    const value = (x: Vector): number => {
      let sum = 0
      for (let i = 0; i < dim; i++) sum += (curvatures[i] as number) * (x[i] as number) * (x[i] as number)
      return sum / 2
    }
    const gradient = (x: Vector): Float64Array => curvatures.map((curvature, i) => curvature * (x[i] as number))
    return {
      dim,
      start: new Float64Array(dim).fill(1),
      minimum: 0,
      minimizer: new Float64Array(dim),
      constants: { smoothness: curvatures[dim - 1] as number },
      value,
      gradient,
      // E u_i^2 = 1 / (d + 2) in the ball: f_mu - f = mu^2 tr(A) / (2 (d + 2)).
      smoothed: (x, radius) => ({
        value: value(x) + (radius * radius * trace) / (2 * (dim + 2)),
        gradient: gradient(x),
      }),
    }
  },
})
