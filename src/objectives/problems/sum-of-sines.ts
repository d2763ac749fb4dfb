import { count, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { separable } from './separable.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = sum_i sin(x_i): nonconvex, smooth, with bounded gradients, so that A1, A2 and A3 hold everywhere. */
export const sumOfSines = definePart({
  kind: 'problem',
  name: 'sum-of-sines',
  summary: 'A nonconvex function with bounded gradients.',
  options: table({ dim: count('number of variables', 10) }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: new Float64Array(dim).fill(0.5),
    minimum: -dim,
    minimizer: new Float64Array(dim).fill(-Math.PI / 2),
    constants: { smoothness: 1, gradientBound: 1, lipschitz: Math.sqrt(dim) },
    ...separable(dim, { value: Math.sin, slope: Math.cos }),
  }),
})
