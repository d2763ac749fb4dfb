import { inwardBounds } from '../../optimizer/core/space.ts'
import type { Bounds, ConvexSet, RunContext, Vector } from '../../optimizer/core/types.ts'
import type { Kernels } from '../../optimizer/kernels/kernels.ts'
import { clip, copyOf, withinSet } from '../../optimizer/methods/points.ts'

/** Parts of a vector, each from its first entry to the one behind its last. */
export type Spans = readonly (readonly [from: number, to: number])[]

/**
 * Brings points into the set of a run, as `withinSet` does, and faster if it is a box of many variables or a ball in one. If only
 * some parts of a point were changed since it was in the set, it may be told which. Returns the parts that differ now; undefined
 * if any may: what was not changed is left alone by a box, and where clipping is enough.
 */
export function projectInto(at: RunContext): (x: Vector, changed?: Spans) => Spans | undefined {
  if (at.set.unbounded === true) return (_, changed) => changed
  if (at.set.ball !== undefined) return intoBall(at, at.set.ball)
  const bounds = boundsOf(at)
  // Bounds may cross when they are rounded.
  if (bounds === undefined || !areOrdered(bounds)) {
    const project = withinSet(at)
    return (x) => {
      project(x)
      return undefined
    }
  }
  const { lower, upper } = bounds
  return (x, changed) => {
    // Points from elsewhere than the run's own memory have no faster way; the fast one takes in what was not changed, too.
    const isMuch = changed === undefined || entriesIn(changed) > muchOf * x.length
    if (isMuch && x.buffer === lower.buffer) at.kernels.confine(x, lower, upper, false, x, 0)
    else for (const [from, to] of changed ?? [[0, x.length]]) clip(x, bounds, from, to)
    return changed
  }
}

/** How much shorter than the radius a point is that rounding cannot have brought inside, as a share of the squares. */
const sure = 1e-6

/** Most points are inside once they are clipped, which takes far less time to see than to project them. */
function intoBall(at: RunContext, { box, radius }: NonNullable<ConvexSet['ball']>): ReturnType<typeof projectInto> {
  const [clipInto, project, given] = [projectInto({ ...at, set: box }), withinSet(at), at.start.slice()]
  return (x, changed) => {
    if (x.BYTES_PER_ELEMENT === given.BYTES_PER_ELEMENT) {
      given.set(x)
      const parts = clipInto(x, changed)
      if (at.kernels.dot(x, x) <= (1 - sure) * radius * radius) return parts
      x.set(given)
    }
    project(x)
    return undefined
  }
}

/** The share of a point from which on all of it is clipped at once. */
const muchOf = 1 / 32

function entriesIn(spans: Spans): number {
  return spans.reduce((sum, [from, to]) => sum + to - from, 0)
}

type Bounded = Pick<RunContext, 'dim' | 'precision'> & { readonly bounds: Bounds | undefined }

/** The bounds of each set as its last run with these kernels had them: the methods of a run share them, and the run's memory. */
const known = new WeakMap<ConvexSet, WeakMap<Kernels, Bounded>>()

function boundsOf(at: RunContext): Bounds | undefined {
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
export function projectToPlane(at: RunContext): (point: Vector, gradient: Vector, level: number) => void {
  const { kernels, start } = at
  const enter = projectInto(at)
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
