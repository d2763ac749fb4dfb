import type { Vector } from '../core/types.ts'
import { type Batch, onlyPoint } from './staged-search.ts'

/** A search along a line for a lower value. */
interface Line {
  readonly value: number
  /** The slope at the beginning, below 0. */
  readonly slope: number
  /** The point at a distance, inside the set of the run and rounded. */
  at(distance: number): Vector
  /** The distance to begin with. */
  readonly first: number
  /** Queries after which a point that is good enough is not improved any more. */
  readonly most: number
  /** A further query only where the parabola promises this share of the gain more. */
  readonly extra: number
  /** Distances below this are not tried. */
  readonly tiny: number
}

/** The lowest point found; at distance 0 where none was lower. */
interface Lowest {
  readonly value: number
  readonly distance: number
  readonly point: Vector | null
  readonly asked: number
}

const maxTries = 25

/**
 * Armijo's rule with quadratic interpolation, back and forth. A query costs one, a gradient of differences d: so a longer
 * step is worth a query wherever the parabola through value, slope and last answer promises more. A failed query counts as
 * infinitely high.
 */
export function* lineSearch(line: Line): Generator<Batch, Lowest, Float64Array> {
  const { value, slope, most, extra, tiny } = line
  let best: Lowest = { value, distance: 0, point: null, asked: 0 }
  let t = line.first
  for (let asked = 1; asked <= maxTries; asked++) {
    const point = line.at(t)
    const answer = (yield onlyPoint(point))[0] as number
    const found = Number.isNaN(answer) ? Infinity : answer
    if (found < best.value) best = { value: found, distance: t, point, asked }
    best = { ...best, asked }
    const bend = found - value - t * slope
    const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : Infinity
    if (found > value + 1e-4 * t * slope) {
      if (best.distance > 0) break
      t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
      if (t < tiny) break
      continue
    }
    if (best.distance !== t) break
    const next = Math.min(lowest, 4 * t)
    const gain = -(slope * next + (bend / (t * t)) * next * next) - (value - found)
    const isWorth = gain > extra * (value - found) && asked < most && Math.abs(next / t - 1) > 0.1
    if (!isWorth || isEqual(line.at(next), point)) break
    t = next
  }
  return best
}

function isEqual(a: Vector, b: Vector): boolean {
  return a.every((value, i) => value === b[i])
}
