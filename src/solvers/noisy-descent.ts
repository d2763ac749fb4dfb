import { savedPart } from '../core/memory.ts'
import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { type StagedMethod, stagedSearch } from '../staged/staged-search.ts'
import { throughProjection } from '../staged/through-projection.ts'
import { setKindOf } from './auto-rule.ts'
import { type NoisySettings, noisyTurns } from './noisy-turns.ts'
import { type Scale, scaleOf, scaleOption } from './scale-option.ts'
import { withinSet } from './within-set.ts'

/** Quasi-Newton steps and regression for functions whose answers vary. */
export const noisyDescent = definePart({
  kind: 'solver',
  name: 'noisy-descent',
  summary: 'Quasi-Newton steps on wide differences and regression on quadratics, for functions with random noise.',
  options: table({ scale: scaleOption }),
  examples: () => [{}],
  make: ({ scale }): Solver => noisySolver({ scale }),
})

/** The solver with settings that a user does not give, too. */
export function noisySolver({ horizon, scale, startValues }: Partial<NoisySettings> & { scale?: Scale }): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    const settings = { horizon: horizon ?? at.budget.maxQueries ?? Infinity, startValues }
    const coordinates = coordinatesOf(at, scaleOf('noisy-descent', scale, at.dim))
    const method: StagedMethod = noisyTurns(at, coordinates, settings, saved && savedPart(saved, 'method'))
    const inSet = setKindOf(at.set) === 'other' ? throughProjection(at, method, withinSet(at)) : method
    return stagedSearch(at, inSet, 'start', saved)
  }
  return { begin, resume: begin }
}
