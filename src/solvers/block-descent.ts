import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { blockDescentSolver } from './block-descent-solver.ts'
import { scaleOption } from './scale-option.ts'

/**
 * Descent by blocks of random directions, without a rate: for budgets below about 5 queries per variable, up to millions of
 * variables. It keeps 3 vectors beside the best point, works with 4 to 6 more, and makes rows on demand: some 80 MB at
 * 1,000,000 variables in float64.
 */
export const blockDescent = definePart({
  kind: 'solver',
  name: 'block-descent',
  summary: 'Blocks of random directions and line searches, for few queries per variable.',
  options: table({ scale: scaleOption }),
  examples: () => [{}, { scale: 0.5 }],
  make: (options): Solver => blockDescentSolver(options),
})
