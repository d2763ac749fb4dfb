import { flag, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { autoSolver } from './auto.ts'
import { bayesianSolver } from './bayesian/bayesian.ts'
import { blockDescentSolver } from './block-descent.ts'
import { noisySolver } from './noisy-descent.ts'
import { scaleOption } from './points.ts'
import { ProjectedGradient } from './projected-gradient.ts'
import { randomSolver } from './random.ts'

/** Looks at the problem, chooses a method for it, and hands over to the next when it has done its work. */
export const auto = definePart({
  kind: 'solver',
  name: 'auto',
  summary: 'Chooses the methods for the problem at hand, one after the other.',
  options: table({
    /** End at the first minimum; if left out, only where nothing limits the run. */
    once: optional(flag),
    /** The usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box. */
    scale: scaleOption,
  }),
  examples: () => [{}, { once: false }],
  make: (settings): Solver =>
    autoSolver(settings, { bayesianSolver, blockDescentSolver, noisySolver, ProjectedGradient, randomSolver }),
})
