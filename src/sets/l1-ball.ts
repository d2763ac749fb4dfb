import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { ConvexSet, Vector } from '../core/types.ts'
import { solveOnPlane } from './breakpoints.ts'
import { centerOption, checkLengths, type Entries, entryAt } from './entries.ts'
import { roundoff } from './roundoff.ts'

/** All x with sum |x_i - center_i| <= radius. */
export const l1Ball = definePart({
  kind: 'set',
  name: 'l1-ball',
  summary: 'Sum of distances to the center at most the radius; projections onto it are sparse.',
  options: table({ radius: positive('largest sum of distances'), center: centerOption }),
  examples: (dim) => [
    { radius: 1 },
    { radius: 2.5, center: Array.from({ length: dim }, (_, i) => 0.5 * (i % 3) - 0.25) },
  ],
  make: ({ radius, center }): ConvexSet => ({
    needsMetric: true,
    check: (dim) => checkLengths('l1-ball', { center }, dim),
    // No two points within the tolerance of each other differ by more than sqrt(d) times it in the sum.
    contains: (x, tolerance = 0) => isWithin(x, radius + tolerance * Math.sqrt(x.length), center),
    scratchSize: (dim) => 2 * dim,
    project(x, metric, scratch) {
      if (isWithin(x, radius, center)) return
      const distances = scratch.subarray(0, x.length)
      for (let i = 0; i < x.length; i++) distances[i] = Math.abs((x[i] as number) - entryAt(center, i))
      // An outside point keeps its signs, so its distances are projected onto the simplex.
      const simplex = { normal: 1, offset: radius, lower: 0, upper: Infinity }
      solveOnPlane(distances, metric, simplex, scratch.subarray(x.length))
      for (let i = 0; i < x.length; i++) {
        const c = entryAt(center, i)
        x[i] = (x[i] as number) < c ? c - (distances[i] as number) : c + (distances[i] as number)
      }
    },
  }),
})

/** Whether the sum of distances is at most the radius, as far as x and the sum can tell. */
function isWithin(x: Vector, radius: number, center: Entries): boolean {
  let sum = 0
  let size = radius
  for (let i = 0; i < x.length; i++) {
    sum += Math.abs((x[i] as number) - entryAt(center, i))
    size += Math.abs(entryAt(center, i))
  }
  return sum <= radius + roundoff(x) * size
}
