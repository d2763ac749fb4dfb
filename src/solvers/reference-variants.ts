import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { majorityVote } from '../estimators/majority-vote.ts'
import { adaptiveMoments } from '../steps/adaptive-moments.ts'
import { sign } from '../steps/sign.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-AdaMM as the authors' per-image code runs it: beta2 = 0.9 and v_0 = 1e-7, where the text has 0.3 and 1e-5. */
export const zoAdaMMPerImageReference = definePart({
  kind: 'solver',
  name: 'zo-adamm-per-image-reference',
  summary: "ZO-AdaMM with the settings of the authors' per-image code.",
  options: table(presetOptions({ learningRate: 0.3 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver =>
    descent({
      estimator: forward(options),
      step: adaptiveMoments({ beta2: 0.9, initialSecondMoment: 1e-7 }),
      learningRate,
    }),
})

/** ZO-AdaMM as the authors' universal code runs it: steps divide by sqrt(v), the maximum enters the metric alone. */
export const zoAdaMMUniversalReference = definePart({
  kind: 'solver',
  name: 'zo-adamm-universal-reference',
  summary: "ZO-AdaMM with the settings of the authors' universal code.",
  options: table(presetOptions({ learningRate: 0.1 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver =>
    descent({
      estimator: forward(options),
      step: adaptiveMoments({ initialSecondMoment: 1e-7, maxSecondMoment: 'metric-only' }),
      learningRate,
    }),
})

/** AdaFom (Chen et al., 2019), a sketch in the reference code: v_t is the plain mean of all squares so far. */
export const zoAdaFom = definePart({
  kind: 'solver',
  name: 'zo-adafom',
  summary: 'Momentum divided by the root mean square of all estimates so far.',
  options: table(presetOptions({ learningRate: 0.3 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver =>
    descent({
      estimator: forward(options),
      step: adaptiveMoments({ beta2: (iteration) => (iteration - 1) / iteration, maxSecondMoment: false }),
      learningRate,
    }),
})

/** ZO-M-signSGD, a legacy branch of the reference code: the sign of a majority vote of the directions. */
export const zoMajoritySignSGD = definePart({
  kind: 'solver',
  name: 'zo-m-sign-sgd',
  summary: 'Sign steps by majority vote of the directions.',
  options: table(presetOptions({ learningRate: 0.1 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver =>
    descent({ estimator: majorityVote(options), step: sign(), learningRate }),
})
