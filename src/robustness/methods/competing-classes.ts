import type { RunContext, Vector } from '../../optimizer/core/types.ts'
import { copyOf } from '../../optimizer/methods/points.ts'
import { type BoundaryProgress, distance } from './boundary-moves.ts'
import type { ClassValues, GradientMemory } from './gradient-memory.ts'
import { projectToPlane } from './project-into.ts'

/** Slopes of all classes together that are too many to keep. */
const manySlopes = 1_000_000

/** The classes that a search tells apart: those of which the objective tells, unless their slopes take too much room. */
export function competingClassesOf({ attack, dim }: RunContext): number {
  const { competingClasses = 0 } = attack ?? {}
  return competingClasses * dim > manySlopes ? 0 : competingClasses
}

/** The values of one class at all rows. */
export function valuesOf({ count, values }: ClassValues, competitor: number, rows: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, row) => values[row * count + competitor] as number)
}

/** Where the values of competing classes are known. */
export interface Sighting {
  readonly point: Vector
  readonly origin: Vector
  /** The first row is the point itself, the last one a probe away from the origin. */
  readonly competitors: ClassValues
  readonly rows: number
  /** The length of the probe. */
  readonly probe: number
  /** The value of a success: floor + rate times the squared distance from the origin. */
  readonly floor: number
  readonly rate: number
}

/** The boundaries of competing classes as the slopes see them: planes. */
export interface ClassBoundaries {
  /** How far each boundary is from the origin. */
  distances(seen: Sighting): Float64Array
  /** into = the point of the boundary of a competing class that is nearest to the origin; returns its distance. */
  nearest(seen: Sighting, competitor: number, into: Vector): number
}

/** How much of the way to a plane may be missing. */
const tolerance = 0.01

/** The boundaries as the remembered slopes see them from where they were taken last. */
export function classBoundaries(at: RunContext, slopes: GradientMemory): ClassBoundaries {
  const toPlane = projectToPlane(at)
  const normal = copyOf(at, at.start)
  const room = copyOf(at, at.start)
  const nearest = (seen: Sighting, competitor: number, into: Vector): number => {
    const { point, origin, floor, rate } = seen
    if (!Number.isFinite(seen.competitors.values[competitor])) return Infinity
    slopes.gradientOf(competitor, normal)
    const radius = distance(point, origin)
    const share = shareOutwards(seen, competitor, normal, radius)
    for (let i = 0; i < normal.length; i++) {
      normal[i] = (normal[i] as number) + share * ((point[i] as number) - (origin[i] as number))
    }
    const excess = (seen.competitors.values[competitor] as number) - floor - rate * radius * radius
    const level = at.kernels.dot(normal, point) - excess
    into.set(origin)
    toPlane(into, normal, level)
    const missing = at.kernels.dot(normal, into) - level
    // Where the set ends before the plane there is no such point.
    return missing > tolerance * Math.abs(at.kernels.dot(normal, origin) - level) ? Infinity : distance(into, origin)
  }
  return {
    nearest,
    distances: (seen) =>
      Float64Array.from({ length: seen.competitors.count }, (_, competitor) => {
        return nearest(seen, competitor, room)
      }),
  }
}

/** What is to be added to the gradient per way from the origin: the slope outwards is known, and the distance is no part. */
function shareOutwards(
  { point, origin, competitors, rows, probe, rate }: Sighting,
  competitor: number,
  gradient: Vector,
  radius: number,
): number {
  const { count, values } = competitors
  if (rows < 2 || !(radius > 0)) return -2 * rate
  const outwards = ((values[(rows - 1) * count + competitor] as number) - (values[competitor] as number)) / probe
  if (Number.isNaN(outwards)) return -2 * rate
  let known = 0
  for (let i = 0; i < gradient.length; i++) {
    known += (gradient[i] as number) * ((point[i] as number) - (origin[i] as number))
  }
  return (outwards - known / radius) / radius - 2 * rate
}

/** What the walk along the boundary of one class has come to, and what the slopes say of the others. */
export interface Standing {
  /** The class whose boundary is walked along. */
  readonly own: number
  /** How far the nearest success of this walk is from the origin, Infinity before there is one; and that of all walks. */
  readonly ownRadius: number
  readonly bestRadius: number
  /** How far the boundary of each class is from the origin, as the slopes see it. */
  readonly reach: Float64Array
  /** Variables of the search. */
  readonly dim: number
}

/** On along the same boundary, over to that of another class, or back to the best success. */
export type Turn =
  | { readonly to: 'stay' }
  | { readonly to: 'competitor'; readonly competitor: number }
  | { readonly to: 'best' }

/** How much nearer another boundary must seem to be turned to on the way, and after how many looks. */
const better = { share: 0.9, looks: 3 }

/** A boundary that seems further away than the best success by that share is left after so many looks. */
const hopeless = { share: 1.03, looks: 3 }

/** A walk is done once it has come nearer by less than a share within so many queries: at least, and per variable. */
const settled = { progress: 0.01, queries: 400, perVariable: 0.25 }

/** Where a walk is done, boundaries that seem no further away than the best success by that share are tried as well. */
const slack = 1.05

/** How often a class is turned to at most. */
const mostTurns = 3

/**
 * Decides after a look where to walk on, and notes in `walked` which classes are done with. Slopes see far boundaries as too
 * near, so that a class that was turned to is given some looks before it is compared with the others again.
 */
export function nextTurn(state: BoundaryProgress, walked: Vector, standing: Standing): Turn {
  const { own, ownRadius, bestRadius, reach } = standing
  const isDone = isOver(state, standing)
  if (isDone) walked[own] = mostTurns
  const competitor = nearestOther(reach, walked, own)
  const seen = competitor < 0 ? Infinity : (reach[competitor] as number)
  const isSure = ownRadius < Infinity && state.looks > better.looks
  const isNearer = seen < better.share * Math.min(reach[own] as number, ownRadius)
  if (isDone ? seen < slack * bestRadius : isSure && isNearer) return { to: 'competitor', competitor }
  return { to: isDone && ownRadius > bestRadius ? 'best' : 'stay' }
}

/** Whether a walk leads no further, or nowhere near the best success. */
function isOver(state: BoundaryProgress, { own, ownRadius, bestRadius, reach, dim }: Standing): boolean {
  const isFar = ownRadius > bestRadius && (reach[own] as number) > hopeless.share * bestRadius
  const isHopeless = isFar && state.looks > hopeless.looks
  if (state.used - state.markUsed < Math.max(settled.queries, settled.perVariable * dim)) return isHopeless
  const isSettled = !(ownRadius < (1 - settled.progress) * state.markRadius)
  state.markUsed = state.used
  state.markRadius = ownRadius
  return isHopeless || isSettled
}

/** The class whose boundary seems nearest of those that are not done with; -1 where there is none. */
function nearestOther(reach: Float64Array, walked: Vector, own: number): number {
  let nearest = -1
  for (let j = 0; j < reach.length; j++) {
    if (j === own || (walked[j] as number) >= mostTurns) continue
    if ((reach[j] as number) < (reach[nearest] ?? Infinity)) nearest = j
  }
  return nearest
}

/** A walk begins: nothing is known of how it gets on. */
export function beginWalk(state: BoundaryProgress, competitor: number, value: number, radius: number): void {
  state.competitor = competitor
  state.value = value
  state.looks = 0
  state.markUsed = state.used
  state.markRadius = radius
}
