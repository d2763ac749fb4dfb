import { adaptiveMoments, forward, inverseSqrt, smoothingForHorizon, sphere, sumOfSines } from '../../src/index.ts'
import { follow } from './follow.ts'
import { smoothedOf } from './smoothed.ts'
import { difference, inner, largestEntry, squaredNorm, weightedSquare } from './vectors.ts'
import { amount, atMost, type Check, remarked, type Scale, type Verdict } from './verdict.ts'

const dim = 6
const [beta1, c] = [0.6, 0.1]
const problem = sumOfSines({ dim })
const { smoothness = 0, gradientBound = 0 } = problem.constants
/** f_mu, exact. */
const smoothed = (x: Float64Array, radius: number) => smoothedOf(problem, x, radius)

/** The two lemmas with which the proof of Proposition 2 goes from f_mu(z_t) to the measure (9). */
export const lemmasOnZ: Check = {
  id: 'lemmas-on-z',
  statement: 'Proof of Proposition 2: the lemmas "telescope" and "first-order split" on z_t, every term from the run.',
  run: (scale) => lemmaOnZVerdicts(scale, 1),
}

/** The verdicts with both bounds multiplied by a factor. */
export function lemmaOnZVerdicts(scale: Scale, factor: number): Verdict[] {
  const iterations = amount(scale, { quick: 200, full: 2000 })
  const seeds = amount(scale, { quick: 3, full: 12 })
  const from = (start: Float64Array): Sums[] =>
    Array.from({ length: seeds }, (_, seed) => watch(start, iterations, seed))
  const runs = from(problem.start)
  // Around the solution f curves as L_g allows, and steps of the noise go up.
  const atRest = from(problem.minimizer ?? problem.start)
  const largest = Math.max(...runs.map(({ estimate }) => estimate))
  const allowance = ((gradientBound * largest) / (1 - beta1) + gradientBound * gradientBound) * firstRates
  const split = runs.reduce((sum, run) => sum + run.split / runs.length, 0)
  return [
    remarked(
      atMost(
        'telescope, largest over all T: (f_mu(z_{T+1}) - f_mu(z_1) - sum <grad f_mu, dz>) / last term',
        factor,
        Math.max(...[...runs, ...atRest].map(({ telescope }) => telescope)),
      ),
      'It holds on every path, before the expectation is taken. Printed is z_{t+1} on the left, where T + 1 is meant.',
    ),
    atMost(
      'first-order split: (sum <grad f_mu, dz> + sum <grad f_mu, alpha_t Vhat^-1/2 grad f_mu>) / first term',
      factor,
      split / allowance,
    ),
  ]
}

/** sum_i alpha_1 / sqrt(vhat_{0,i}). */
const rate = inverseSqrt(0.1)
const firstRates = (dim * rate(1)) / c

interface Sums {
  /** The largest share of the last term of "telescope" that its left side needs beyond the inner products. */
  readonly telescope: number
  /** What "first-order split" bounds, at the end. */
  readonly split: number
  /** The largest entry of an estimate. */
  readonly estimate: number
}

function watch(start: Float64Array, iterations: number, seed: number): Sums {
  const radius = smoothingForHorizon({ dim, iterations })
  const share = beta1 / (1 - beta1)
  const weight = (smoothness * (4 + 5 * beta1 * beta1)) / (2 * (1 - beta1) * (1 - beta1))
  const recipe = {
    estimator: forward({ along: sphere(), smoothing: radius }),
    step: adaptiveMoments({ beta1, beta2: 0.9, initialSecondMoment: c * c }),
    learningRate: rate,
  }
  const first = smoothed(start, radius).value
  let stepBefore: Float64Array = new Float64Array(dim)
  let [products, squares, lengths] = [0, 0, 0]
  let [telescope, estimate] = [Number.NEGATIVE_INFINITY, 0]
  follow(recipe, { value: problem.value, start, iterations, seed }, (seen) => {
    const slope = smoothed(seen.point, radius).gradient
    const step = difference(seen.next, seen.point)
    const z = seen.point.map((each, i) => each + share * (stepBefore[i] as number))
    const next = seen.next.map((each, i) => each + share * (step[i] as number))
    products += inner(slope, difference(next, z))
    squares += weightedSquare(
      Float64Array.from(seen.memory.maximum as Float64Array, (each) => rate(seen.iteration) / Math.sqrt(each)),
      slope,
    )
    lengths += squaredNorm(step)
    telescope = Math.max(telescope, (smoothed(next, radius).value - first - products) / (weight * lengths))
    estimate = Math.max(estimate, largestEntry(seen.estimate))
    stepBefore = step
  })
  return { telescope, split: products + squares, estimate }
}
