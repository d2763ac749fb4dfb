import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { blockSearch } from './block-search.ts'
import { scaleOf, scaleOption } from './scale-option.ts'

/** How a run works, where the problem does not decide it. */
export interface BlockDescentSettings {
  readonly scale?: number | Float64Array | undefined
  /** Queries that the whole run may use; those of the budget if left out. */
  readonly horizon?: number | undefined
  /** The standard deviation of answers at one point, 0 for an exact function; found out by a query if left out. */
  readonly deviation?: number | undefined
}

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

/** The solver with settings that a user does not give, too. */
export function blockDescentSolver(settings: BlockDescentSettings): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    const { horizon = at.budget.maxQueries ?? Infinity, deviation } = settings
    const coordinates = coordinatesOf(at, scaleOf('block-descent', settings.scale, at.dim))
    return stagedSearch(at, blockSearch(at, coordinates, { horizon, deviation }), 'start', saved)
  }
  return { begin, resume: begin }
}
