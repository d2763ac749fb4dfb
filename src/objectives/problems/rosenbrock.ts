import { option, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { wholeFrom } from '../../core/schema.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2: a long curved valley. None of A1, A2 and A3 holds everywhere. */
export const rosenbrock = definePart({
  kind: 'problem',
  name: 'rosenbrock',
  summary: 'A long curved valley.',
  options: table({ dim: option(wholeFrom(2), 'number of variables', 2) }),
  examples: (dim) => [{ dim }],
  make: ({ dim }): TestProblem => ({
    dim,
    start: Float64Array.from({ length: dim }, (_, i) => (i % 2 === 0 ? -1.2 : 1)),
    minimum: 0,
    minimizer: new Float64Array(dim).fill(1),
    constants: {},
    value(x) {
      let sum = 0
      for (let i = 0; i + 1 < dim; i++) {
        const here = x[i] as number
        const offValley = (x[i + 1] as number) - here * here
        sum += 100 * offValley * offValley + (1 - here) * (1 - here)
      }
      return sum
    },
    gradient(x) {
      const gradient = new Float64Array(dim)
      for (let i = 0; i + 1 < dim; i++) {
        const here = x[i] as number
        const offValley = (x[i + 1] as number) - here * here
        gradient[i] = (gradient[i] as number) - 400 * here * offValley - 2 * (1 - here)
        gradient[i + 1] = 200 * offValley
      }
      return gradient
    },
  }),
})
