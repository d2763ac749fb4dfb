import type { ConvexSet } from './types.ts'

/** All of R^d, where no set is given. */
export const unconstrained: ConvexSet = {
  needsMetric: false,
  unbounded: true,
  check: () => undefined,
  contains: () => true,
  scratchSize: () => 0,
  project: () => undefined,
}
