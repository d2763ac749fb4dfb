import { inwardBounds } from '../core/inward-bounds.ts'
import type { Begin, Bounds, ConvexSet, Vector } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { clip, withinSet } from './within-set.ts'

/** Parts of a vector, each from its first entry to the one behind its last. */
export type Spans = readonly (readonly [from: number, to: number])[]

/**
 * Brings points into the set of a run, as `withinSet` does, and faster where it is a box of many variables. Where only some parts
 * of a point were changed since it was in the set, it may be told which.
 */
export function intoSet(at: Begin): (x: Vector, changed?: Spans) => void {
  const bounds = boundsOf(at)
  // Bounds may cross when they are rounded.
  if (bounds === undefined || !areOrdered(bounds)) return withinSet(at)
  const { lower, upper } = bounds
  return (x, changed) => {
    // Points from elsewhere than the run's own memory have no faster way.
    if (changed === undefined && x.buffer === lower.buffer) at.kernels.confine(x, lower, upper, false, x, 0)
    else for (const [from, to] of changed ?? [[0, x.length]]) clip(x, bounds, from, to)
  }
}

type Bounded = Pick<Begin, 'dim' | 'precision'> & { readonly bounds: Bounds | undefined }

/** The bounds of each set as its last run with these kernels had them: the methods of a run share them, and the run's memory. */
const known = new WeakMap<ConvexSet, WeakMap<Kernels, Bounded>>()

function boundsOf(at: Begin): Bounds | undefined {
  const { set, kernels, dim, precision } = at
  const ofSet = known.get(set) ?? new WeakMap<Kernels, Bounded>()
  const before = ofSet.get(kernels)
  if (before?.dim === dim && before.precision === precision) return before.bounds
  const bounds = set.unbounded === true ? undefined : inwardBounds(at)
  known.set(set, ofSet.set(kernels, { dim, precision, bounds }))
  return bounds
}

function areOrdered({ lower, upper }: Bounds): boolean {
  for (let i = 0; i < lower.length; i++) if (!((lower[i] as number) <= (upper[i] as number))) return false
  return true
}
