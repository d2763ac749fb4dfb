import { optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Schedule, Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { adaptiveMoments, momentOptions } from '../steps/adaptive-moments.ts'
import { descent } from './descent.ts'
import { constantRate, presetOptions } from './preset-options.ts'

/**
 * ZO-AdaMM, Algorithm 1: adaptive moments of the averaged estimate, projected in the metric sqrt(vhat_t).
 * Its rate is constant, because the running maximum already shrinks the steps; the paper's alpha / sqrt(t) is
 * { value: alpha, decay: 'sqrt' }. The default falls with the dimension: steps follow (q / d) of the gradient, and longer ones are unstable.
 */
export const zoAdaMM = definePart({
  kind: 'solver',
  name: 'zo-adamm',
  summary: "The paper's method: adaptive momentum with the Mahalanobis projection.",
  options: table({
    ...presetOptions({ learningRate: 0.1 }),
    learningRate: optional(
      constantRate,
      'alpha: constant; { value, decay: "sqrt" } decays as alpha / sqrt(t); if left out, min(0.1, sqrt(q / d))',
    ),
    ...momentOptions,
  }),
  examples: () => [{}, { maxSecondMoment: false }, { beta1: { value: 0.9, decay: 'linear' } }],
  make: ({ learningRate, along, directions, samples, smoothing, feasible, ...moments }): Solver =>
    descent({
      estimator: forward({ along, directions, samples, smoothing, feasible }),
      step: adaptiveMoments(moments),
      learningRate: learningRate ?? defaultRate(directions),
    }),
})

function defaultRate(directions: number): Schedule {
  return (_, dim = directions) => Math.min(0.1, Math.sqrt(directions / dim))
}
