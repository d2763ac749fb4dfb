import { count, option, positive, table } from '../core/options.ts'
import { definePart, partType } from '../core/part.ts'
import { listOf, that } from '../core/schema.ts'
import type { ConvexSet } from '../core/types.ts'
import { box } from './box.ts'
import { dykstra, dykstraVectors } from './dykstra.ts'
import { l2Ball } from './l2-ball.ts'
import { slab } from './slab.ts'

/** Each round leaves a share of about 1e-16 of the last error, so even far points need few. */
const rounds = 16

/**
 * The points that several sets have in common, by Dykstra's algorithm with every projection in the same metric.
 * The answer is exact up to `tolerance`, and a point that all sets contain up to it stays as it is. Where the sets have no
 * point in common, or `maxSweeps` is too small for a point far away, `project` throws instead of guessing: which of the
 * two it was cannot be known, so `check` does not try.
 * For a box with a plane or a ball there are exact sets of their own.
 */
export const intersection = definePart({
  kind: 'set',
  name: 'intersection',
  summary: "What several sets have in common, found by Dykstra's algorithm.",
  options: table({
    sets: option(
      that(listOf(partType<ConvexSet>('set', 'project')), (sets) => sets.length > 0, 'must hold at least one set'),
      'the sets',
    ),
    tolerance: positive('how far the sets may still pull the point apart in a last sweep', 1e-10),
    maxSweeps: count('how many times to go through all sets before giving up', 100_000),
  }),
  examples: () => [
    { sets: [box({ lower: -0.5, upper: 0.5 }), l2Ball({ radius: 0.8 })] },
    { sets: [slab({ normal: 1, lower: -0.1, upper: 0.1 }), box({ lower: -0.4 })] },
  ],
  make: ({ sets, tolerance, maxSweeps }): ConvexSet => {
    // From the last set's point back to the first one's the sweep may still have moved by the tolerance for each.
    const contains: ConvexSet['contains'] = (x, allowed = 0) =>
      sets.every((set) => set.contains(x, allowed + sets.length * tolerance))
    return {
      needsMetric: sets.some((set) => set.needsMetric),
      check(dim) {
        for (const set of sets) set.check(dim)
      },
      contains,
      scratchSize: (dim) =>
        (1 + dykstraVectors(sets.length)) * dim + Math.max(...sets.map((set) => set.scratchSize(dim))),
      project(x, metric, scratch) {
        if (contains(x)) return
        const point = scratch.subarray(0, x.length)
        point.set(x)
        // Repeated because a point far outside leaves a rounding error of its own size; mostly once is enough.
        for (let round = 0; round < rounds && !contains(point); round++) {
          dykstra(point, metric, sets, scratch.subarray(x.length), { tolerance, maxSweeps })
        }
        x.set(point)
      },
    }
  },
})
