import { ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { fractionSchedule, option, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { chain } from '../steps/chain.ts'
import { distanceOptions, distanceOverGradients } from '../steps/distance-over-gradients.ts'
import { momentum } from '../steps/momentum.ts'
import { scalarMoment, scalarMomentOptions } from '../steps/scalar-moment.ts'
import { descent } from './descent.ts'
import { constantRate, presetOptions } from './preset-options.ts'

const options = table({
  ...presetOptions({ learningRate: 0.1 }),
  learningRate: optional(
    constantRate,
    'alpha: constant; { value, decay: "sqrt" } decays as alpha / sqrt(t); if left out, the distance covered sets the steps',
  ),
  initial: option(
    distanceOptions.initial,
    'where there is no learning rate, the length of the first step; if left out, a tenth of 1 + ||x_0||',
  ),
  ...scalarMomentOptions,
  beta1: optional(
    fractionSchedule('share of the past in the momentum; if left out, 0.9 with a learning rate and 0.5 without'),
  ),
})

/**
 * ZO-AdaMM with one second moment for all coordinates and the Euclidean projection. Without a learning rate the length
 * of its steps comes from the distance covered so far, and the momentum is taken after that.
 */
export const zoNormalized = definePart({
  kind: 'solver',
  name: 'zo-normalized',
  summary: 'Momentum with one second moment for all coordinates; needs no learning rate.',
  options,
  examples: () => [{}, { initial: 0.5 }, { learningRate: 0.1 }, { beta1: 0.9, maxSecondMoment: false }],
  make: ({ along, directions, samples, smoothing, feasible, ...given }): Solver =>
    descent({ estimator: forward({ along, directions, samples, smoothing, feasible }), ...pace(given) }),
})

/** The step and its rate. */
function pace({ learningRate, initial, beta1, ...moments }: Pick<Output<typeof options>, Pacing>) {
  if (learningRate === undefined) {
    const distance = distanceOverGradients({ initial })
    const steps = [scalarMoment({ ...moments, beta1: 0 }), distance, momentum({ beta: beta1 ?? 0.5 })]
    return { step: chain({ steps }), learningRate: { value: 1, decay: 'none' as const } }
  }
  if (initial === undefined) return { step: scalarMoment({ ...moments, beta1 }), learningRate }
  const wanted = 'is the length of the first step of a run without a learning rate; give only one of them'
  throw new ZerothError('invalid-option', `zo-normalized.initial ${wanted}, got ${initial} and a learningRate`)
}

type Pacing = 'learningRate' | 'initial' | keyof typeof scalarMomentOptions
