import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Estimation, Estimator } from '../core/types.ts'
import { averaging, probeOptions, probes } from './probes.ts'

/**
 * One-sided differences, averaged over q directions and b samples, eq. (14); eq. (1) for q = b = 1:
 * 1/(bq) sum_j sum_i (factor/mu) [f(x + mu u_i; xi_j) - f(x; xi_j)] u_i. Costs b(q + 1) queries.
 */
export const forward = definePart({
  kind: 'estimator',
  name: 'forward',
  summary: 'One-sided differences along random directions; b(q + 1) queries.',
  options: table(probeOptions),
  examples: () => [{}, { directions: 3, samples: 2 }],
  make: (options): Estimator => ({
    begin(at): Estimation {
      const probing = probes(at, { ...options, twoSided: false, needsCenter: true })
      return averaging(probing, (kept) => probing.factor / kept)
    },
  }),
})
