import type { Begin, SavedMemory, Search, Solver } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import { type StagedMethod, stagedSearch } from '../staged/staged-search.ts'
import { setKindOf, usesDense } from './auto-rule.ts'
import { denseQuasiNewton } from './dense-quasi-newton.ts'
import { limitedQuasiNewton } from './limited-quasi-newton.ts'
import { projectedGradient } from './projected-gradient.ts'
import { type Scale, scaleOf } from './scale.ts'

/** How a quasi-Newton run works, where the problem does not decide it. */
export interface QuasiNewtonSettings {
  readonly matrix?: 'dense' | 'limited' | undefined
  readonly pairs: number
  readonly scale?: Scale
  readonly tolerance: number
  /** Queries that the whole run may use. */
  readonly horizon?: number | undefined
  /** A run that will not get below this value is given up. */
  readonly abandonAbove?: number | undefined
}

/** What it is where nothing is said. */
export const usualQuasiNewton: QuasiNewtonSettings = { pairs: 20, tolerance: 1e-13 }

/** The solver with settings that a user does not give, too. */
export function quasiNewtonSolver(settings: QuasiNewtonSettings): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search =>
    stagedSearch(at, methodFor(at, settings, saved), 'start', saved)
  return { begin, resume: begin }
}

/** A run that is extended keeps its kind of matrix: that of its memory. */
function methodFor(at: Begin, settings: QuasiNewtonSettings, saved: SavedMemory | undefined): StagedMethod {
  const { matrix, pairs, tolerance, abandonAbove, horizon = at.budget.maxQueries ?? Infinity } = settings
  const coordinates = coordinatesOf(at, scaleOf('quasi-newton', settings.scale, at.dim))
  if (setKindOf(at.set) === 'other') return projectedGradient(at, coordinates, tolerance)
  const usual = saved === undefined ? usesDense(at.dim, horizon) : 'method.matrix' in saved.vectors
  const isDense = matrix === undefined ? usual : matrix === 'dense'
  if (isDense) return denseQuasiNewton(at, coordinates, { horizon, abandonAbove, tolerance })
  return limitedQuasiNewton(at, coordinates, { pairs, tolerance })
}
