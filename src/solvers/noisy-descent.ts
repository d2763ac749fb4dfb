import { savedPart } from '../core/memory.ts'
import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { noisyTurns } from './noisy-turns.ts'

/** Quasi-Newton steps and regression for functions whose answers vary. */
export const noisyDescent = definePart({
  kind: 'solver',
  name: 'noisy-descent',
  summary: 'Quasi-Newton steps on wide differences and regression on quadratics, for functions with random noise.',
  options: table({}),
  examples: () => [{}],
  make: (): Solver => {
    const begin = (at: Begin, saved?: SavedMemory): Search => {
      const settings = { horizon: at.budget.maxQueries ?? Infinity }
      const method = noisyTurns(at, coordinatesOf(at), settings, saved && savedPart(saved, 'method'))
      return stagedSearch(at, method, 'start', saved)
    }
    return { begin, resume: begin }
  },
})
