import type { Begin, Vector } from '../core/types.ts'
import { copyOf } from './current-point.ts'
import { intoSet } from './into-set.ts'

/** Times that a multiplier is doubled, and that it is narrowed down between two. */
const trials = { doublings: 30, narrowings: 12 }

/** How exactly the plane is met, as a share of the way to it. */
const tolerance = 1e-3

/**
 * The nearest point of the set beyond a plane: writes into `point`, where the point from which it is sought stands, the
 * nearest p with gradient . p <= level. That is the projection of point - m gradient for some m of at least 0, which falls off
 * the further the larger m is. In a box this is not the steepest way: coordinates at their bounds do not come along. Where
 * the set ends before the plane, it is the point furthest in that direction, nearly.
 */
export function nearestBeyond(at: Begin): (point: Vector, gradient: Vector, level: number) => void {
  const { kernels, start } = at
  const enter = intoSet(at)
  const from = copyOf(at, start)
  return (point, gradient, level) => {
    from.set(point)
    const beyond = (multiplier: number): number => {
      for (let i = 0; i < point.length; i++) point[i] = (from[i] as number) - multiplier * (gradient[i] as number)
      enter(point)
      return kernels.dot(point, gradient) - level
    }
    const missing = beyond(0)
    const squares = kernels.dot(gradient, gradient)
    if (!(missing > 0) || !(squares > 0)) return
    beyond(rootOf(beyond, missing, missing / squares))
  }
}

/** Where a function that falls off, from `first` at 0, has come down to 0, within the tolerance or below. */
function rootOf(f: (x: number) => number, first: number, guess: number): number {
  const close = tolerance * first
  let [low, atLow, high] = [0, first, guess]
  let atHigh = f(high)
  for (let i = 0; i < trials.doublings && atHigh > close; i++) {
    ;[low, atLow, high] = [high, atHigh, 2 * high]
    atHigh = f(high)
  }
  if (Math.abs(atHigh) <= close || atHigh > 0) return high
  // Regula falsi, in the Illinois version: the end that stays is taken for half as far off each time.
  for (let i = 0; i < trials.narrowings; i++) {
    const middle = low + ((high - low) * atLow) / (atLow - atHigh)
    const value = f(middle)
    if (Math.abs(value) <= close) return middle
    if (value > 0) [low, atLow, atHigh] = [middle, value, atHigh / 2]
    else [high, atHigh, atLow] = [middle, value, atLow / 2]
  }
  return high
}
