import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { noisySolver } from './noisy-solver.ts'
import { scaleOption } from './scale-option.ts'

/** Quasi-Newton steps and regression for functions whose answers vary. */
export const noisyDescent = definePart({
  kind: 'solver',
  name: 'noisy-descent',
  summary: 'Quasi-Newton steps on wide differences and regression on quadratics, for functions with random noise.',
  options: table({ scale: scaleOption }),
  examples: () => [{}],
  make: ({ scale }): Solver => noisySolver({ scale }),
})
