import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { denseQuasiNewton } from './dense-quasi-newton.ts'

/** Quasi-Newton steps on finite differences: the method of choice for smooth functions. */
export const quasiNewton = definePart({
  kind: 'solver',
  name: 'quasi-newton',
  summary: 'Finite differences and quasi-Newton steps, for smooth functions.',
  options: table({}),
  examples: () => [{}],
  make: (): Solver => {
    const begin = (at: Begin, saved?: SavedMemory): Search => {
      const method = denseQuasiNewton(at, coordinatesOf(at), { horizon: at.budget.maxQueries ?? Infinity })
      return stagedSearch(at, method, 'start', saved)
    }
    return { begin, resume: begin }
  },
})
