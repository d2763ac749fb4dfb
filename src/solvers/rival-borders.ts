import type { Begin, Vector } from '../core/types.ts'
import { distance } from './border-moves.ts'
import { copyOf } from './current-point.ts'
import { nearestBeyond } from './nearest-across.ts'
import type { RivalValues, SlopeMemory } from './slope-memory.ts'

/** Slopes of all classes together that are too many to keep. */
const manySlopes = 1_000_000

/** The classes that a search tells apart: those of which the objective tells, unless their slopes take too much room. */
export function rivalsFor({ attack, dim }: Begin): number {
  const { rivals = 0 } = attack ?? {}
  return rivals * dim > manySlopes ? 0 : rivals
}

/** The values of one class at all rows. */
export function valuesOf({ count, values }: RivalValues, rival: number, rows: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, row) => values[row * count + rival] as number)
}

/** Where the values of rivals are known. */
export interface Sighting {
  readonly point: Vector
  readonly origin: Vector
  /** The first row is the point itself, the last one a probe away from the origin. */
  readonly rivals: RivalValues
  readonly rows: number
  /** The length of the probe. */
  readonly probe: number
  /** The value of a success: floor + rate times the squared distance from the origin. */
  readonly floor: number
  readonly rate: number
}

/** The borders of rival classes as the slopes see them: planes. */
export interface RivalBorders {
  /** How far each border is from the origin. */
  distances(seen: Sighting): Float64Array
  /** into = the point of the border of a rival that is nearest to the origin; returns its distance. */
  nearest(seen: Sighting, rival: number, into: Vector): number
}

/** How much of the way to a plane may be missing. */
const tolerance = 0.01

/** The borders as the remembered slopes see them from where they were taken last. */
export function rivalBorders(at: Begin, slopes: SlopeMemory): RivalBorders {
  const crossPlane = nearestBeyond(at)
  const normal = copyOf(at, at.start)
  const room = copyOf(at, at.start)
  const nearest = (seen: Sighting, rival: number, into: Vector): number => {
    const { point, origin, floor, rate } = seen
    if (!Number.isFinite(seen.rivals.values[rival])) return Infinity
    slopes.gradientOf(rival, normal)
    const radius = distance(point, origin)
    const share = shareOutwards(seen, rival, normal, radius)
    for (let i = 0; i < normal.length; i++) {
      normal[i] = (normal[i] as number) + share * ((point[i] as number) - (origin[i] as number))
    }
    const excess = (seen.rivals.values[rival] as number) - floor - rate * radius * radius
    const level = at.kernels.dot(normal, point) - excess
    into.set(origin)
    crossPlane(into, normal, level)
    const missing = at.kernels.dot(normal, into) - level
    // Where the set ends before the plane there is no such point.
    return missing > tolerance * Math.abs(at.kernels.dot(normal, origin) - level) ? Infinity : distance(into, origin)
  }
  return {
    nearest,
    distances: (seen) =>
      Float64Array.from({ length: seen.rivals.count }, (_, rival) => {
        return nearest(seen, rival, room)
      }),
  }
}

/** What is to be added to the gradient per way from the origin: the slope outwards is known, and the distance is no part. */
function shareOutwards(
  { point, origin, rivals, rows, probe, rate }: Sighting,
  rival: number,
  gradient: Vector,
  radius: number,
): number {
  const { count, values } = rivals
  if (rows < 2 || !(radius > 0)) return -2 * rate
  const outwards = ((values[(rows - 1) * count + rival] as number) - (values[rival] as number)) / probe
  if (Number.isNaN(outwards)) return -2 * rate
  let known = 0
  for (let i = 0; i < gradient.length; i++) {
    known += (gradient[i] as number) * ((point[i] as number) - (origin[i] as number))
  }
  return (outwards - known / radius) / radius - 2 * rate
}
