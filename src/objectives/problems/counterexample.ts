import { table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { TestProblem } from './test-problem.ts'

/**
 * f(x) = -2 x_1 - x_2 from (1/2, 1/2), eq. (5). On the printed set |x_1 + x_2| <= 1 it has no minimum either, because
 * it falls for ever along (1, -1); on the l1 ball |x_1| + |x_2| <= 1 that the text speaks of it is -2, at (1, 0).
 */
export const counterexample = definePart({
  kind: 'problem',
  name: 'counterexample',
  summary: "The linear function of the paper's Proposition 1.",
  options: table({}),
  examples: () => [{}],
  make: (): TestProblem => ({
    dim: 2,
    start: Float64Array.of(0.5, 0.5),
    minimum: -Infinity,
    minimizer: undefined,
    constants: { smoothness: 0, gradientBound: 2, lipschitz: Math.sqrt(5) },
    value: (x) => -2 * (x[0] as number) - (x[1] as number),
    gradient: () => Float64Array.of(-2, -1),
    smoothed: (x) => ({ value: -2 * (x[0] as number) - (x[1] as number), gradient: Float64Array.of(-2, -1) }),
  }),
})
