import { option } from '../core/options.ts'
import { that } from '../core/schema.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { checkLengths, type Entries, entriesOption, entryAt, weightAt } from './entries.ts'
import { negligible, roundoff } from './roundoff.ts'

/** Each correction leaves a share of about 1e-16 of the last excess, so even far points need few. */
const corrections = 32

/** The normal c of a plane c'x = b. */
export const normalOption = option(
  that(entriesOption, (normal) => usable(normal), 'must not be 0, nor too small or large to be squared'),
  'one number for all coordinates, or one each',
)

/** The set lower <= c'x <= upper; one side may be infinite. */
export function betweenPlanes(owner: string, normal: Entries, lower: number, upper: number): ConvexSet {
  return {
    needsMetric: true,
    check: (dim) => checkLengths(owner, { normal }, dim),
    contains(x, tolerance = 0) {
      const level = levelOf(normal, x)
      const allowance = tolerance > 0 ? tolerance * Math.sqrt(inverseWeight(normal, null, x.length)) : 0
      return (
        level >= lower - allowance - slack(normal, lower, x) && level <= upper + allowance + slack(normal, upper, x)
      )
    },
    scratchSize: () => 0,
    project(x, metric) {
      const level = levelOf(normal, x)
      if (level > upper) moveToPlane(x, metric, normal, upper)
      else if (level < lower) moveToPlane(x, metric, normal, lower)
    },
  }
}

/** c'x. */
function levelOf(normal: Entries, x: Vector): number {
  let level = 0
  for (let i = 0; i < x.length; i++) level += entryAt(normal, i) * (x[i] as number)
  return level
}

/** Whether c'x = b as far as x and the sum can tell, or x lies within the tolerance of such a point. */
export function onPlane(normal: Entries, offset: number, x: Vector, tolerance: number): boolean {
  const allowance = tolerance > 0 ? tolerance * Math.sqrt(inverseWeight(normal, null, x.length)) : 0
  return Math.abs(levelOf(normal, x) - offset) <= allowance + slack(normal, offset, x)
}

/** x - lambda c / h with lambda = (c'x - b) / sum(c_i^2 / h_i), repeated while rounding leaves something to correct. */
export function moveToPlane(x: Vector, metric: Vector | null, normal: Entries, offset: number): void {
  const weight = inverseWeight(normal, metric, x.length)
  for (let round = 0; round < corrections && !onPlane(normal, offset, x, 0); round++) {
    const lambda = (levelOf(normal, x) - offset) / weight
    for (let i = 0; i < x.length; i++) {
      x[i] = (x[i] as number) - (lambda * entryAt(normal, i)) / weightAt(metric, i)
    }
  }
}

/** sum(c_i^2 / h_i), the squared length of the normal in the dual of the metric. */
function inverseWeight(normal: Entries, metric: Vector | null, dim: number): number {
  let sum = 0
  for (let i = 0; i < dim; i++) sum += (entryAt(normal, i) * entryAt(normal, i)) / weightAt(metric, i)
  return sum
}

/** By how much c'x can differ from the offset although x is, up to rounding, on the plane. */
function slack(normal: Entries, offset: number, x: Vector): number {
  let size = Math.abs(offset)
  for (let i = 0; i < x.length; i++) size += Math.abs(entryAt(normal, i) * (x[i] as number))
  return size < Infinity ? roundoff(x) * size + negligible(x) : 0
}

function usable(normal: Entries): boolean {
  const squared = inverseWeight(normal, null, typeof normal === 'number' ? 1 : normal.length)
  return squared > 0 && squared < Infinity
}
