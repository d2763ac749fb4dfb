import { count, option, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { numberFrom, oneOf } from '../core/schema.ts'
import type { Solver } from '../core/types.ts'
import { quasiNewtonSolver, usualQuasiNewton } from './quasi-newton-solver.ts'
import { scaleOption } from './scale-option.ts'

/** Quasi-Newton steps on finite differences, one batch of queries for each gradient: for smooth functions. */
export const quasiNewton = definePart({
  kind: 'solver',
  name: 'quasi-newton',
  summary: 'Finite differences and quasi-Newton steps, for smooth functions.',
  options: table({
    matrix: optional(
      oneOf('dense', 'limited'),
      'a whole matrix of curvatures, or that of the last steps; if left out, by the number of variables and queries',
    ),
    pairs: count('steps that the limited matrix is made of', usualQuasiNewton.pairs),
    tolerance: option(
      numberFrom(0),
      'relative gains below this, three times in a row, end the run',
      usualQuasiNewton.tolerance,
    ),
    scale: scaleOption,
  }),
  examples: () => [{}, { matrix: 'limited', pairs: 3 }, { matrix: 'dense', scale: 0.5 }],
  make: (options): Solver => quasiNewtonSolver(options),
})
