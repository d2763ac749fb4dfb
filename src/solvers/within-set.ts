import { inwardBounds } from '../core/inward-bounds.ts'
import type { Begin, Bounds, Vector } from '../core/types.ts'

/** Brings points into the set of a run: clips them where it is a box, projects them where it is not. */
export function withinSet(at: Begin): (x: Vector) => void {
  const { set, dim } = at
  if (set.unbounded === true) return () => undefined
  const bounds = inwardBounds(at)
  if (bounds !== undefined) return (x) => clip(x, bounds)
  const scratch = new Float64Array(set.scratchSize(dim))
  return (x) => {
    if (!set.contains(x)) set.project(x, null, scratch)
  }
}

/** Clips the entries of a point from one to the one before another; all of them if left out. */
export function clip(x: Vector, { lower, upper }: Bounds, from = 0, to: number = x.length): void {
  const stride = lower.length === 1 ? 0 : 1
  for (let i = from; i < to; i++) {
    const value = x[i] as number
    const low = lower[i * stride] as number
    const high = upper[i * stride] as number
    if (value < low) x[i] = low
    else if (value > high) x[i] = high
  }
}
