import {
  adaptiveMoments,
  type ConvexSet,
  forward,
  inverseSqrt,
  sphere,
  sumOfSines,
  wholeSpace,
} from '../../src/index.ts'
import { follow } from './follow.ts'
import { gradientMapping } from './projected-step.ts'
import { weightedSquare } from './vectors.ts'
import { amount, atMost, type Check, remarked, type Scale, type Verdict } from './verdict.ts'

/** ||G(x)||^2 = ||Vhat^1/4 P(x, grad f, alpha)||^2, eq. (8). */
export function constrainedMeasure(
  set: ConvexSet,
  x: Float64Array,
  gradient: Float64Array,
  maximum: ArrayLike<number>,
  rate: number,
): number {
  const metric = Float64Array.from(maximum, Math.sqrt)
  return weightedSquare(metric, gradientMapping(set, x, gradient, metric, rate))
}

/** ||Vhat^-1/4 grad f||^2, eq. (9). */
export function unconstrainedMeasure(gradient: ArrayLike<number>, maximum: ArrayLike<number>): number {
  return weightedSquare(
    Float64Array.from(maximum, (each) => 1 / Math.sqrt(each)),
    gradient,
  )
}

/** The paper's two measures of convergence agree where there is no constraint. */
export const measures: Check = {
  id: 'measures',
  statement: 'Measures: on R^d the measure (8) of the gradient mapping is the measure (9) of the gradient.',
  run: (scale) => measureVerdicts(scale, wholeSpace()),
}

/** The verdicts with the given set in the place of R^d. */
export function measureVerdicts(scale: Scale, space: ConvexSet): Verdict[] {
  const problem = sumOfSines({ dim: 8 })
  const rate = inverseSqrt(0.1)
  const recipe = { estimator: forward({ along: sphere() }), step: adaptiveMoments(), learningRate: rate }
  let worst = 0
  follow(
    recipe,
    { value: problem.value, start: problem.start, iterations: amount(scale, { quick: 100, full: 1000 }) },
    ({ point, memory, iteration }) => {
      const maximum = memory.maximum as Float64Array
      const gradient = problem.gradient(point)
      const [general, plain] = [
        constrainedMeasure(space, point, gradient, maximum, rate(iteration)),
        unconstrainedMeasure(gradient, maximum),
      ]
      worst = Math.max(worst, Math.abs(general - plain) / plain)
    },
  )
  return [
    remarked(
      atMost('largest relative difference of (8) and (9) on a run of ZO-AdaMM', 1e-9, worst),
      '(8) is computed from (x - x+) / alpha, in which digits cancel: steps of 1e-5 leave eleven of them.',
    ),
  ]
}
