import type { Variable } from '../../core/named-variables.ts'
import { scaledVariables } from '../../core/scaled-variables.ts'
import { savedBest } from '../../trace/index.ts'
import type { Coordinate, SavedAt } from '../api.ts'

/** Coordinates of a point that are shown. */
const mostCoordinates = 50

/** A best point, and when it was saved. */
export interface SavedPoint {
  readonly point: readonly Coordinate[]
  readonly saved: SavedAt
}

/** The best point of a run that does not tell it: as it was last saved, in the units of its spec. */
export function savedPoint(folder: string): SavedPoint | undefined {
  const best = savedBest(folder)
  if (best === undefined) return undefined
  const { point, spec, ...saved } = best
  const variables = spec.variables as Readonly<Record<string, Variable>> | undefined
  const own = variables === undefined ? undefined : scaledVariables(variables)
  return { point: coordinates(own?.ownPoint(point) ?? point, own?.names ?? []), saved }
}

/** The first coordinates of a point by name, or by number where they have none. */
export function coordinates(point: ArrayLike<number>, names: readonly string[]): Coordinate[] {
  const shown = Array.from(point).slice(0, mostCoordinates)
  return shown.map((value, i) => ({ name: names[i] ?? `x${i + 1}`, value }))
}
