import { flag, join, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Estimator, EstimatorState } from '../../core/types.ts'
import { averaging, estimationOf, probeOptions, probes } from './probes.ts'

/**
 * One-sided differences, averaged over q directions and b samples, eq. (14); eq. (1) for q = b = 1:
 * 1/(bq) sum_j sum_i (factor/mu) [f(x + mu u_i; xi_j) - f(x; xi_j)] u_i. Costs b(q + 1) queries.
 */
export const forward = definePart({
  kind: 'estimator',
  name: 'forward',
  summary: 'One-sided differences along random directions; b(q + 1) queries.',
  options: probeOptions,
  examples: () => [{}, { directions: 3, samples: 2 }],
  make: (options): Estimator => ({
    start(at): EstimatorState {
      const probing = probes(at, { ...options, twoSided: false, needsCenter: true })
      return averaging(probing, (kept) => probing.factor / kept)
    },
  }),
})

/**
 * Two-sided differences: 1/(bq) sum (factor/2mu) [f(x + mu u_i) - f(x - mu u_i)] u_i. Along coordinates this is the
 * estimate of ZO-SCD. Costs 2bq queries; on quadratics its second moment has no mu^2 term.
 */
export const central = definePart({
  kind: 'estimator',
  name: 'central',
  summary: 'Two-sided differences along random directions; 2bq queries.',
  options: probeOptions,
  examples: () => [{}, { directions: 3, samples: 2 }],
  make: (options): Estimator => ({
    start(at): EstimatorState {
      const probing = probes(at, { ...options, twoSided: true, needsCenter: false })
      // A quarter, because the two-sided step is twice as long and stands for the difference and for u.
      return averaging(probing, (kept) => (0.25 * probing.factor) / kept)
    },
  }),
})

/**
 * The antithetic estimate of ZO-NES: q' = ceil(q/2) directions, each queried on both sides, so that q counts queries.
 * The reference code divides by q instead of q' and so estimates half the gradient, which only its sign forgives.
 */
export const nes = definePart({
  kind: 'estimator',
  name: 'nes',
  summary: 'Antithetic pairs along ceil(q/2) random directions; 2b ceil(q/2) queries.',
  options: join(
    probeOptions,
    table({
      /**
       * Divide by q as the reference code does, which gives half the gradient, instead of by the pairs' number. Default
       * false.
       */
      referenceFactor: withDefault(flag, false),
    }),
  ),
  examples: () => [{}, { directions: 5 }],
  make: (options): Estimator => ({
    start(at): EstimatorState {
      const pairs = Math.ceil(options.directions / 2)
      const probing = probes(at, { ...options, directions: pairs, twoSided: true, needsCenter: false })
      const shrink = options.referenceFactor ? probing.directions / options.directions : 1
      return averaging(probing, (kept) => (shrink * 0.25 * probing.factor) / kept)
    },
  }),
})

/**
 * Each direction votes with the sign of its own estimate: sum_i sign(u_i [f(x + mu u_i) - f(x)]). The legacy branch
 * "ZO-M-signSGD" of the reference code. Says where to go, not how steep it is.
 */
export const majorityVote = definePart({
  kind: 'estimator',
  name: 'majority-vote',
  summary: 'The sum of the signs of single-direction estimates; b(q + 1) queries.',
  options: probeOptions,
  examples: () => [{ directions: 4 }],
  make: (options): Estimator => ({
    start(at): EstimatorState {
      const probing = probes(at, { ...options, twoSided: false, needsCenter: true, looksAtRows: true })
      const step = at.kernels.allocate(at.dim, at.precision)
      return estimationOf(probing, (x, iteration, gradient) => {
        gradient.fill(0)
        for (let i = 0; i < probing.directions; i++) {
          const vote = Math.sign(probing.slope(i))
          if (vote === 0) continue
          probing.realisedStep(x, iteration, i, step)
          at.kernels.sign(step)
          for (let k = 0; k < gradient.length; k++) gradient[k] = (gradient[k] as number) + vote * (step[k] as number)
        }
      })
    },
  }),
})
