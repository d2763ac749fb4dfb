import { z } from 'zod'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { adaptiveMoments, momentOptions } from '../steps/adaptive-moments.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/**
 * ZO-AdaMM, Algorithm 1: adaptive moments of the averaged estimate, projected in the metric sqrt(vhat_t).
 * The default rate is constant: the running maximum already shrinks the steps, and alpha / sqrt(t) on top of it is
 * slower on smooth problems of every size tried. The paper's schedule is learningRate: alpha.
 */
export const zoAdaMM = definePart({
  kind: 'solver',
  name: 'zo-adamm',
  summary: "The paper's method: adaptive momentum with the Mahalanobis projection.",
  options: z.object({ ...presetOptions({ learningRate: { value: 0.1, decay: 'none' } }), ...momentOptions }),
  examples: () => [{}, { maxSecondMoment: false }, { beta1: { value: 0.9, decay: 'linear' } }],
  make: ({ learningRate, along, directions, samples, smoothing, feasible, ...moments }): Solver =>
    descent({
      estimator: forward({ along, directions, samples, smoothing, feasible }),
      step: adaptiveMoments(moments),
      learningRate,
    }),
})
