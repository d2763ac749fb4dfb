import { count, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { separable } from './separable.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = sum_i sqrt(1 + x_i^2): convex, and A1, A2 and A3 hold everywhere. */
export const smoothAbsolute = definePart({
  kind: 'problem',
  name: 'smooth-absolute',
  summary: 'A convex function with bounded gradients, an absolute value without its kink.',
  options: table({ dim: count('number of variables', 10) }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: new Float64Array(dim).fill(2),
    minimum: dim,
    minimizer: new Float64Array(dim),
    constants: { smoothness: 1, gradientBound: 1, lipschitz: Math.sqrt(dim) },
    ...separable(dim, { value: (t) => Math.sqrt(1 + t * t), slope: (t) => t / Math.sqrt(1 + t * t) }),
  }),
})
