import { adaptiveMoments, constant, forward, l2Ball, smoothingForHorizon, sphere, sumOfSines } from '../../src/index.ts'
import { follow } from './follow.ts'
import { constrainedMeasure } from './measures.ts'
import { startingGap } from './proposition-2.ts'
import { logLogSlope } from './slope.ts'
import { smoothedOf } from './smoothed.ts'
import { difference, squaredNorm } from './vectors.ts'
import { amount, atMost, between, type Check, remarked, type Scale, show, type Verdict } from './verdict.ts'

const dim = 8
const set = l2Ball({ radius: 1 })
/** From inside the ball; the constrained minimum lies on its boundary, where the gradient and so the noise stay large. */
const problem = { ...sumOfSines({ dim }), start: new Float64Array(dim).fill(0.3) }
const { smoothness = 0, gradientBound = 0 } = problem.constants

/** So large that vhat stays at vhat_0 = c^2 for q >= 4, and alpha <= c / L_g. */
const quietStart = { c: 3, rate: 0.3 }
const seeds = 2

/** So small that the noise drives vhat. */
const noisyStart = { c: 1, rate: 0.1 }

/** Theorem 2: with a constraint, ZO-AdaMM settles at a distance that the variance of the estimates sets. */
export const theorem2: Check = {
  id: 'thm-2',
  statement:
    'Theorem 2 (beta1 = 0, alpha <= c / L_g): the measure (8) falls to a plateau set by the variance, as 1 / q.',
  run: (scale) => theorem2Verdicts(scale, 1),
}

/** The verdicts with the bound multiplied by a factor. */
export function theorem2Verdicts(scale: Scale, factor: number): Verdict[] {
  const counts = scale === 'quick' ? [4, 16] : [4, 16, 64]
  const horizon = amount(scale, { quick: 1000, full: 2000 })
  const quiet = counts.map((q) => runs(quietStart, q, horizon))
  const noisy = counts.map((q) => runs(noisyStart, q, horizon))
  const longer = runs(quietStart, 4, 4 * horizon)
  const exponent = (of: readonly Outcome[], y: (each: Outcome) => number): number =>
    logLogSlope(of.map((each) => ({ x: each.directions, y: y(each) })))
  const ratios = [...quiet, ...noisy, longer].map(({ measure, bound }) => measure / (factor * bound))
  return [
    remarked(
      atMost(
        `sum of sines in an l2 ball, d = ${dim}: mean of (8) / bound, q = ${counts.join(', ')}`,
        1,
        Math.max(...ratios),
      ),
      'The bound is 6 D_f / (alpha T) + (9 / c + 3) Var + 3 d eta^2 E[sum vhat_T] / (c^4 T) + 3 mu^2 d^2 L_g^2 / (4 c), every ' +
        'term from the run. Printed are f_mu for its gradient, eta^2 for d eta^2, and max_t E[.] for E[max_t .].',
    ),
    between(
      'exponent of q: variance of the estimates',
      [-1.05, -0.95],
      exponent(quiet, ({ variance }) => variance),
    ),
    remarked(
      between(
        'exponent of q: plateau (second half), c = 3',
        [-1.2, -0.8],
        exponent(quiet, ({ plateau }) => plateau),
      ),
      `Where the noise itself drives vhat (c = 1) the exponent is ${show(exponent(noisy, ({ plateau }) => plateau))}: small q ` +
        'makes vhat large and the steps short. The theorem bounds the plateau, it does not say how it falls.',
    ),
    between(
      `plateau after ${4 * horizon} iterations / after ${horizon}, q = 4`,
      [0.7, 1.3],
      longer.plateau / (quiet[0] as Outcome).plateau,
    ),
  ]
}

interface Outcome {
  readonly directions: number
  readonly measure: number
  /** The mean of (8) over the second half of the run. */
  readonly plateau: number
  /** The mean of ||g^_t - grad f_mu(x_t)||^2. */
  readonly variance: number
  readonly bound: number
}

function runs({ c, rate }: typeof quietStart, directions: number, horizon: number): Outcome {
  const radius = smoothingForHorizon({ dim, iterations: horizon })
  const recipe = {
    estimator: forward({ along: sphere(), directions, smoothing: radius }),
    step: adaptiveMoments({ beta1: 0, beta2: 0.9, initialSecondMoment: c * c }),
    learningRate: constant(rate),
  }
  const mean = { measure: 0, plateau: 0, variance: 0, maximum: 0 }
  const weight = 1 / (horizon * seeds)
  for (let seed = 0; seed < seeds; seed++) {
    const run = { value: problem.value, start: problem.start, set, iterations: horizon, seed }
    follow(recipe, run, ({ iteration, point, estimate, memory }) => {
      const maximum = memory.maximum as Float64Array
      const measure = constrainedMeasure(set, point, problem.gradient(point), maximum, rate)
      mean.measure += weight * measure
      if (iteration > horizon / 2) mean.plateau += 2 * weight * measure
      mean.variance += weight * squaredNorm(difference(estimate, smoothedGradient(point, radius)))
      if (iteration === horizon) mean.maximum += maximum.reduce((sum, each) => sum + each, 0) / seeds
    })
  }
  const bound =
    (6 * startingGap(problem, radius)) / (rate * horizon) +
    (9 / c + 3) * mean.variance +
    (3 * dim * gradientBound * gradientBound * mean.maximum) / (c * c * c * c * horizon) +
    (3 * radius * radius * dim * dim * smoothness * smoothness) / (4 * c)
  return { directions, ...mean, bound }
}

function smoothedGradient(x: Float64Array, radius: number): Float64Array {
  return smoothedOf(problem, x, radius).gradient
}
