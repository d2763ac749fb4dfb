import { z } from 'zod'
import { countOption, positiveOption } from '../core/options.ts'
import { definePart, partOption } from '../core/part.ts'
import type { ConvexSet } from '../core/types.ts'
import { box } from './box.ts'
import { dykstra } from './dykstra.ts'
import { l1Ball } from './l1-ball.ts'
import { l2Ball } from './l2-ball.ts'
import { slab } from './slab.ts'

/**
 * The points that several sets have in common, by Dykstra's algorithm with every projection in the same metric.
 * The answer is exact up to `tolerance`; a point that all sets contain stays as it is. The sets may have no point in
 * common: then, or where `maxSweeps` is too small for a point far away, `project` throws instead of guessing.
 * For a box with a plane or a ball there are exact sets of their own.
 */
export const intersection = definePart({
  kind: 'set',
  name: 'intersection',
  summary: "What several sets have in common, found by Dykstra's algorithm.",
  options: z.object({
    sets: z
      .array(partOption<ConvexSet>('set', 'project'))
      .refine((sets) => sets.length > 0, { error: 'must hold at least one set' })
      .describe('the sets'),
    tolerance: positiveOption
      .default(1e-10)
      .describe('how far the sets may still pull the point apart in a last sweep'),
    maxSweeps: countOption.default(10_000).describe('how many times to go through all sets before giving up'),
  }),
  examples: () => [
    { sets: [box({ lower: -0.5, upper: 0.5 }), l2Ball({ radius: 0.8 })] },
    { sets: [l1Ball({ radius: 1.5 }), slab({ normal: 1, lower: -0.1, upper: 0.1 }), box({ lower: -0.4 })] },
  ],
  make: ({ sets, tolerance, maxSweeps }): ConvexSet => ({
    needsMetric: sets.some((set) => set.needsMetric),
    check: (dim) => sets.forEach((set) => set.check(dim)),
    contains: (x, allowed) => sets.every((set) => set.contains(x, allowed)),
    scratchSize: (dim) => (sets.length + 2) * dim + Math.max(...sets.map((set) => set.scratchSize(dim))),
    project(x, metric, scratch) {
      if (sets.every((set) => set.contains(x))) return
      const point = scratch.subarray(0, x.length)
      point.set(x)
      dykstra(point, metric, sets, scratch.subarray(x.length), { tolerance, maxSweeps })
      x.set(point)
    },
  }),
})
