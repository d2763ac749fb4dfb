import type { ConvexSet } from '../core/types.ts'
import type { TestProblem } from '../index.ts'
import { below, failAt, type Place } from './place.ts'

/** Where a run begins: in numbers, or by what it is. */
export type StartOption = number | Float64Array | 'own' | 'middle'

/** What a start depends on. */
export interface StartSurroundings {
  readonly dim: number
  readonly set: ConvexSet
  readonly problem: TestProblem | undefined
  readonly place: Place
}

/** What a start is when it is left out. */
export function standardStart({ problem, set }: StartSurroundings): StartOption {
  if (problem !== undefined) return 'own'
  return set.bounds === undefined ? 0 : 'middle'
}

/** The point itself. */
export function startPoint(start: StartOption, { dim, set, problem, place }: StartSurroundings): Float64Array {
  if (typeof start === 'number') return new Float64Array(dim).fill(start)
  if (typeof start === 'object') return start
  if (start === 'own' && problem !== undefined) return problem.start.slice()
  if (start === 'middle' && set.bounds !== undefined) return middle(set.bounds(dim), dim)
  const missing = start === 'own' ? 'only test problems have a start of their own' : 'the set is no box'
  throw failAt(below(place, 'start'), ` must be a number or a list of numbers, got ${start}: ${missing}`)
}

function middle({ lower, upper }: { lower: ArrayLike<number>; upper: ArrayLike<number> }, dim: number): Float64Array {
  const at = (bound: ArrayLike<number>, i: number): number => bound[bound.length === 1 ? 0 : i] as number
  return Float64Array.from({ length: dim }, (_, i) => between(at(lower, i), at(upper, i)))
}

/** The middle of two bounds; where one of them is infinite, the number nearest to 0 between them. */
function between(low: number, high: number): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return low / 2 + high / 2
  return Math.min(Math.max(0, low), high)
}
