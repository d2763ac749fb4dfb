import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Estimation, Estimator } from '../core/types.ts'
import { estimationOf, probeOptions, probes } from './probes.ts'

/**
 * Each direction votes with the sign of its own estimate: sum_i sign(u_i [f(x + mu u_i) - f(x)]). The legacy branch
 * "ZO-M-signSGD" of the reference code. Says where to go, not how steep it is.
 */
export const majorityVote = definePart({
  kind: 'estimator',
  name: 'majority-vote',
  summary: 'The sum of the signs of single-direction estimates; b(q + 1) queries.',
  options: table(probeOptions),
  examples: () => [{ directions: 4 }],
  make: (options): Estimator => ({
    begin(at): Estimation {
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
