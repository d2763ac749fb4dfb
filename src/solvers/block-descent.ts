import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { blockSearch } from './block-search.ts'

/**
 * Descent by blocks of random directions, without a rate: for budgets below about 5 queries per variable, up to millions of
 * variables. It keeps 3 vectors beside the best point, works with 3 to 5 more, and makes rows on demand: some 70 MB at
 * 1,000,000 variables in float64.
 */
export const blockDescent = definePart({
  kind: 'solver',
  name: 'block-descent',
  summary: 'Blocks of random directions and line searches, for few queries per variable.',
  options: table({}),
  examples: () => [{}],
  make: (): Solver => {
    const begin = (at: Begin, saved?: SavedMemory): Search => {
      const method = blockSearch(at, coordinatesOf(at), { horizon: at.budget.maxQueries ?? Infinity })
      return stagedSearch(at, method, 'start', saved)
    }
    return { begin, resume: begin }
  },
})
