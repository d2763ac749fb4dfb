import { count, table } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { dataSeedOption, inner, uniformRow } from './data.ts'
import type { TestProblem } from './test-problem.ts'

/** f(x) = g'x with a drawn g: smoothing changes nothing, so estimates have a variance known in closed form. */
export const linear = definePart({
  kind: 'problem',
  name: 'linear',
  summary: 'A linear function; without a set it has no minimum.',
  options: table({ dim: count('number of variables', 10), seed: dataSeedOption }),
  examples: (dim) => [{ dim }, { dim, seed: 1 }],
  make: ({ dim, seed }): TestProblem => {
    const slopes = uniformRow(seed, 0, dim)
    return {
      dim,
      start: new Float64Array(dim),
      minimum: -Infinity,
      minimizer: undefined,
      constants: {
        smoothness: 0,
        gradientBound: slopes.reduce((most, slope) => Math.max(most, Math.abs(slope)), 0),
        lipschitz: Math.sqrt(inner(slopes, slopes)),
      },
      value: (x) => inner(slopes, x),
      gradient: () => slopes.slice(),
      smoothed: (x) => ({ value: inner(slopes, x), gradient: slopes.slice() }),
    }
  },
})
