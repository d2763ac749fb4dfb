import {
  adaptiveMoments,
  type FiniteSum,
  forward,
  inverse,
  inverseSqrt,
  l1Ball,
  robustRegression,
  sphere,
} from '../../src/index.ts'

import { follow } from './follow.ts'
import { projectedStep } from './projected-step.ts'
import { logLogSlope } from './slope.ts'
import { smoothedTerm } from './smoothed.ts'
import { amount, atMost, between, type Check, type Scale, type Verdict } from './verdict.ts'

const dim = 4
const population = 24
const problem = robustRegression({ dim, population, seed: 3 })
const terms = problem.terms as FiniteSum
const { lipschitz = 0 } = problem.constants
const set = l1Ball({ radius: 0.5 })
/** D_inf, the largest difference of a coordinate within the set. */
const diameter = 1

/** beta1 / sqrt(beta2) < 1, as the proposition demands. */
export const settings = { alpha: 0.5, beta1: 0.5, beta2: 0.9 }

/** Proposition 4: the regret of ZO-AdaMM on convex functions over a bounded set. */
export const proposition4: Check = {
  id: 'prop-4',
  statement: 'Proposition 4: the average regret of the smoothed functions is below (16); R_T <= R_{T,mu} + 2 mu L_c.',
  run: (scale) => proposition4Verdicts(scale, 1),
}

/** The verdicts with the bound multiplied by a factor. */
export function proposition4Verdicts(scale: Scale, factor: number): Verdict[] {
  const horizons = scale === 'quick' ? [250, 4000] : [250, 1000, 4000, 16_000]
  const optimum = constrainedMinimizer()
  const outcomes = horizons.map((horizon) => runs(optimum, horizon, amount(scale, { quick: 3, full: 6 })))
  const ratios = outcomes.map(({ smoothedRegret, bound }) => smoothedRegret / (factor * bound))
  const largest = (excess: (outcome: Outcome) => number): number => Math.max(...outcomes.map(excess))
  const slope = logLogSlope(outcomes.map(({ horizon, regret }) => ({ x: horizon, y: regret })))
  return [
    atMost(
      `robust regression in an l1 ball: R_{T,mu} / bound (16), T = ${horizons.join(', ')}`,
      1,
      Math.max(...ratios),
    ),
    atMost(
      '(R_T - R_{T,mu}) / (2 mu L_c)',
      1,
      largest(({ regret, smoothedRegret, radius }) => (regret - smoothedRegret) / (2 * radius * lipschitz)),
    ),
    atMost(
      'the same / (mu L_c d / (d + 1)), which is enough for convex f',
      1,
      largest(
        ({ regret, smoothedRegret, radius }) => ((regret - smoothedRegret) * (dim + 1)) / (radius * lipschitz * dim),
      ),
    ),
    between('exponent of T: R_T', [-0.7, -0.4], slope),
  ]
}

interface Outcome {
  readonly horizon: number
  readonly radius: number
  readonly regret: number
  readonly smoothedRegret: number
  readonly bound: number
}

/** Means over seeds of both regrets and of the three terms of (16), for mu = d / sqrt(T), the largest allowed. */
function runs(optimum: Float64Array, horizon: number, seeds: number): Outcome {
  const radius = dim / Math.sqrt(horizon)
  const mean = { regret: 0, smoothedRegret: 0, bound: 0 }
  for (let seed = 0; seed < seeds; seed++) {
    const { regret, smoothedRegret, bound } = run(optimum, horizon, radius, seed)
    mean.regret += regret / seeds
    mean.smoothedRegret += smoothedRegret / seeds
    mean.bound += bound / seeds
  }
  return { horizon, radius, ...mean }
}

function run(optimum: Float64Array, horizon: number, radius: number, seed: number) {
  const { alpha, beta1, beta2 } = settings
  const recipe = {
    estimator: forward({ along: sphere(), directions: 1, smoothing: radius }),
    step: adaptiveMoments({ beta1: inverse(beta1), beta2 }),
    learningRate: inverseSqrt(alpha),
  }
  let sample = 0
  const value = (x: Float64Array | Float32Array, context: { sample: number }): number => {
    sample = context.sample
    return terms.value(x, sample)
  }
  const smoothedLoss = (x: Float64Array, j: number): number => smoothedTerm(problem, x, j, radius).value
  const sums = { regret: 0, smoothedRegret: 0, roots: 0, lastRoots: 0 }
  const squares = new Float64Array(dim)
  follow(recipe, { value, start: problem.start, set, population, iterations: horizon, seed }, (seen) => {
    const { point, estimate, iteration } = seen
    const roots = (seen.memory.maximum as Float64Array).reduce((sum, each) => sum + Math.sqrt(each), 0)
    sums.regret += terms.value(point, sample) - terms.value(optimum, sample)
    sums.smoothedRegret += smoothedLoss(point, sample) - smoothedLoss(optimum, sample)
    sums.roots += (beta1 * roots) / (alpha * Math.sqrt(iteration))
    sums.lastRoots = roots
    for (let i = 0; i < dim; i++)
      squares[i] = (squares[i] as number) + (estimate[i] as number) * (estimate[i] as number)
  })
  const lengths = squares.reduce((sum, each) => sum + Math.sqrt(each), 0)
  return {
    regret: sums.regret / horizon,
    smoothedRegret: sums.smoothedRegret / horizon,
    bound: rightSide(horizon, sums.lastRoots, sums.roots, lengths),
  }
}

/** Eq. (16) for one run: from sum_i vhat_{T,i}^1/2, the sum of the second term, and sum_i ||g^_{1:T,i}||. */
export function rightSide(horizon: number, lastRoots: number, roots: number, lengths: number): number {
  const { alpha, beta1, beta2 } = settings
  const gamma = beta1 / Math.sqrt(beta2)
  const kept = 1 - beta1
  return (
    (diameter * diameter * lastRoots) / (alpha * kept * Math.sqrt(horizon)) +
    (diameter * diameter * roots) / (2 * kept * horizon) +
    (alpha * Math.sqrt(1 + Math.log(horizon)) * lengths) / (kept * kept * (1 - gamma) * Math.sqrt(1 - beta2) * horizon)
  )
}

/** x*, by projected gradient descent with the exact gradient until it stands still. */
function constrainedMinimizer(): Float64Array {
  const metric = new Float64Array(dim).fill(1)
  let x = problem.start
  for (let round = 0; round < 5000; round++) x = projectedStep(set, x, problem.gradient(x), metric, 0.5)
  return x
}
