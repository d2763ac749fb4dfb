import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Estimation, Estimator } from '../core/types.ts'
import { averaging, probeOptions, probes } from './probes.ts'

/**
 * Two-sided differences: 1/(bq) sum (factor/2mu) [f(x + mu u_i) - f(x - mu u_i)] u_i. Along coordinates this is the
 * estimate of ZO-SCD. Costs 2bq queries; on quadratics its second moment has no mu^2 term.
 */
export const central = definePart({
  kind: 'estimator',
  name: 'central',
  summary: 'Two-sided differences along random directions; 2bq queries.',
  options: table(probeOptions),
  examples: () => [{}, { directions: 3, samples: 2 }],
  make: (options): Estimator => ({
    begin(at): Estimation {
      const probing = probes(at, { ...options, twoSided: true, needsCenter: false })
      // A quarter, because the two-sided step is twice as long and stands for the difference and for u.
      return averaging(probing, (kept) => (0.25 * probing.factor) / kept)
    },
  }),
})
