import { flag, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Estimation, Estimator } from '../core/types.ts'
import { averaging, probeOptions, probes } from './probes.ts'

/**
 * The antithetic estimate of ZO-NES: q' = ceil(q/2) directions, each queried on both sides, so that q counts queries.
 * The reference code divides by q instead of q' and so estimates half the gradient, which only its sign forgives.
 */
export const nes = definePart({
  kind: 'estimator',
  name: 'nes',
  summary: 'Antithetic pairs along ceil(q/2) random directions; 2b ceil(q/2) queries.',
  options: table({
    ...probeOptions,
    referenceFactor: flag(
      "divide by q as the reference code does, which gives half the gradient, instead of by the pairs' number",
      false,
    ),
  }),
  examples: () => [{}, { directions: 5 }],
  make: (options): Estimator => ({
    begin(at): Estimation {
      const pairs = Math.ceil(options.directions / 2)
      const probing = probes(at, { ...options, directions: pairs, twoSided: true, needsCenter: false })
      const shrink = options.referenceFactor ? probing.directions / options.directions : 1
      return averaging(probing, (kept) => (shrink * 0.25 * probing.factor) / kept)
    },
  }),
})
