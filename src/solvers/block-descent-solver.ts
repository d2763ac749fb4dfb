import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { blockSearch } from './block-search.ts'
import { type Scale, scaleOf } from './scale.ts'

/** How a run works, where the problem does not decide it. */
export interface BlockDescentSettings {
  readonly scale?: Scale
  /** Queries that the whole run may use; those of the budget if left out. */
  readonly horizon?: number | undefined
  /** The standard deviation of answers at one point, 0 for an exact function; found out by a query if left out. */
  readonly deviation?: number | undefined
}

/** The solver with settings that a user does not give, too. */
export function blockDescentSolver(settings: BlockDescentSettings): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    const { horizon = at.budget.maxQueries ?? Infinity, deviation } = settings
    const coordinates = coordinatesOf(at, scaleOf('block-descent', settings.scale, at.dim))
    return stagedSearch(at, blockSearch(at, coordinates, { horizon, deviation }), 'start', saved)
  }
  return { begin, resume: begin }
}
