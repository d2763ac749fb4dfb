import { inwardBounds } from '../core/inward-bounds.ts'
import type { Begin, Bounds, DirectionRows, Key, Vector } from '../core/types.ts'

/** How often the smoothing radius is halved in search of a feasible query before the query is projected instead. */
const halvings = 8

/** Whether probes keep to the set: as the option says, otherwise in boxes, where it costs next to nothing. */
export function isInside({ set }: Begin, feasible: boolean | undefined): boolean {
  return feasible ?? (set.bounds !== undefined && set.probesMayLeave !== true)
}

/** Where probe rows lie around x. */
export interface Placement {
  /** Writes x + sign * radius * u (moved into the set if asked for) and returns the radius it used. */
  write(x: Vector, radius: number, key: Key, direction: number, sign: 1 | -1, into: Vector, offset: number): number
}

/** Queries exactly at x +- radius u, inside the set or not: what the paper and its reference code do. */
export function anywhere(rows: DirectionRows): Placement {
  return {
    write(x, radius, key, direction, sign, into, offset) {
      rows.write(x, sign * radius, key, direction, into, offset)
      return radius
    },
  }
}

/**
 * Queries that never leave the set.
 * In a box: a one-sided probe turns round each coordinate that would leave (u_i becomes -u_i), a two-sided probe is
 * clipped, which keeps its signs. Turned coordinates are correlated, so near a corner the estimate is biased.
 * In other sets: the whole direction is turned (which changes nothing in u u^T), then its radius halved; at a corner
 * where that does not help the query is projected. The estimate uses the step really taken in every case.
 */
export function insideSet(at: Begin, rows: DirectionRows, twoSided: boolean): Placement {
  const bounds = inwardBounds(at)
  return bounds === undefined ? insideShape(at, rows, twoSided) : insideBox(at, rows, bounds, twoSided)
}

function insideBox(
  { kernels, dim, precision }: Begin,
  rows: DirectionRows,
  bounds: Bounds,
  twoSided: boolean,
): Placement {
  const candidate = kernels.allocate(dim, precision)
  const { lower, upper } = bounds
  return {
    write(x, radius, key, direction, sign, into, offset) {
      // Where the row lies in the memory of the kernels, it is written there at once.
      const isOurs = into.buffer === candidate.buffer && into.BYTES_PER_ELEMENT === candidate.BYTES_PER_ELEMENT
      const [row, at] = isOurs ? [into, offset] : [candidate, 0]
      rows.write(x, sign * radius, key, direction, row, at)
      kernels.confine(x, lower, upper, !twoSided, row, at)
      if (!isOurs) into.set(row, offset)
      return radius
    },
  }
}

/** Inside a set that is no box. */
function insideShape({ kernels, dim, precision, set }: Begin, rows: DirectionRows, twoSided: boolean): Placement {
  const candidate = kernels.allocate(dim, precision)
  const opposite = kernels.allocate(dim, precision)
  const scratch = new Float64Array(set.scratchSize(dim))

  /** The signed radius at which the probe, and its mirror image if two-sided, lie inside; 0 where none was found. */
  const feasibleRadius = (x: Vector, radius: number, key: Key, direction: number): number => {
    for (let halving = 0, r = radius; halving <= halvings; halving++, r /= 2) {
      rows.write(x, r, key, direction, candidate, 0)
      rows.write(x, -r, key, direction, opposite, 0)
      const ahead = set.contains(candidate)
      const behind = set.contains(opposite)
      if (twoSided ? ahead && behind : ahead) return r
      if (!twoSided && behind) return -r
    }
    return 0
  }

  return {
    write(x, radius, key, direction, sign, into, offset) {
      const signed = feasibleRadius(x, radius, key, direction)
      rows.write(x, sign * (signed === 0 ? radius : signed), key, direction, candidate, 0)
      if (signed === 0) set.project(candidate, null, scratch)
      into.set(candidate, offset)
      return signed === 0 ? radius : Math.abs(signed)
    },
  }
}
