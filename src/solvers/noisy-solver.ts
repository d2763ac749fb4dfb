import { savedPart } from '../core/memory.ts'
import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { type StagedMethod, stagedSearch } from '../staged/staged-search.ts'
import { throughProjection } from '../staged/through-projection.ts'
import { setKindOf } from './auto-rule.ts'
import { type NoisySettings, noisyTurns } from './noisy-turns.ts'
import { type Scale, scaleOf } from './scale.ts'
import { withinSet } from './within-set.ts'

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
