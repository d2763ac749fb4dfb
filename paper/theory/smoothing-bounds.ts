import { logisticRegression, robustRegression, smoothAbsolute, sumOfSines, type TestProblem } from '../../src/index.ts'
import { smoothedOf } from './smoothed.ts'
import { difference, drawnVector, squaredNorm } from './vectors.ts'
import { amount, atMost, type Check, remarked, type Scale, type Verdict } from './verdict.ts'

const dim = 6
const seed = 71
const radii = [0.01, 0.1, 1]

/** Both sides are differences of values near 1, known to 1e-15, and the smallest gap is about 1e-5. */
const rounding = 1e-9

/** Lemma A1 (a): how near f_mu is to f, and what it inherits. Smoothed values are exact here, nothing is sampled. */
export const smoothingBounds: Check = {
  id: 'lemma-a1-a',
  statement: 'Lemma A1 (a): distance of f_mu from f, and what f_mu inherits from f.',
  run: (scale) =>
    smoothingBoundVerdicts(
      scale,
      [sumOfSines({ dim }), smoothAbsolute({ dim }), robustRegression({ dim })],
      [smoothAbsolute({ dim }), robustRegression({ dim }), logisticRegression({ dim })],
    ),
}

/** The verdicts for problems with all constants, and for convex problems. */
export function smoothingBoundVerdicts(
  scale: Scale,
  bounded: readonly TestProblem[],
  convex: readonly TestProblem[],
): Verdict[] {
  const trials = amount(scale, { quick: 20, full: 300 })
  const worst = (problems: readonly TestProblem[], ratio: (at: Place) => number): number =>
    Math.max(...problems.flatMap((problem) => places(problem, trials).map(ratio)))
  const d = dim
  return [
    atMost('|f_mu - f| / (L_c mu)', 1, worst(bounded, valueByLipschitz)),
    atMost('|f_mu - f| / (L_c mu d / (d + 1)), sharper', 1, worst(bounded, valueByLipschitz) * ((d + 1) / d)),
    atMost('|f_mu - f| / (L_g mu^2 / 2)', 1, worst(bounded, valueBySmoothness)),
    atMost(
      '|f_mu - f| / (L_g mu^2 / 2 d / (d + 2)), sharp',
      1,
      worst(bounded, valueBySmoothness) * ((d + 2) / d),
      rounding,
    ),
    atMost('||grad f_mu - grad f||^2 / (mu^2 d^2 L_g^2 / 4)', 1, worst(bounded, gradientGap) * (4 / (d * d))),
    remarked(
      atMost(
        '||grad f_mu - grad f||^2 / (mu^2 L_g^2 d^2 / (d + 1)^2), sharper',
        1,
        worst(bounded, gradientGap) * (((d + 1) * (d + 1)) / (d * d)),
      ),
      'grad f_mu is the mean of grad f over the ball and E||u|| = d / (d + 1): for d > 1 this is (d + 1)^2 / 4 times ' +
        'sharper than the printed bound.',
    ),
    atMost('f_mu inherits L_c: |f_mu(x) - f_mu(y)| / (L_c ||x - y||)', 1, worst(bounded, inheritedLipschitz)),
    atMost(
      'f_mu inherits L_g: ||grad f_mu(x) - grad f_mu(y)|| / (L_g ||x - y||)',
      1,
      worst(bounded, inheritedSmoothness),
    ),
    atMost('f_mu inherits convexity: f_mu((x + y) / 2) - (f_mu(x) + f_mu(y)) / 2', 0, worst(convex, bulge), 1e-14),
  ]
}

/** A problem with two points and a radius to try it on. */
interface Place {
  readonly problem: TestProblem
  readonly x: Float64Array
  readonly y: Float64Array
  readonly radius: number
}

function places(problem: TestProblem, trials: number): Place[] {
  return Array.from({ length: trials }, (_, trial) => ({
    problem,
    x: drawnVector(seed, 2 * trial, dim, 2),
    y: drawnVector(seed, 2 * trial + 1, dim, 2),
    radius: radii[trial % radii.length] as number,
  }))
}

function smoothedAt({ problem, radius }: Place, x: Float64Array) {
  return smoothedOf(problem, x, radius)
}

function valueGap(place: Place): number {
  return Math.abs(smoothedAt(place, place.x).value - place.problem.value(place.x))
}

function valueByLipschitz(place: Place): number {
  return valueGap(place) / ((place.problem.constants.lipschitz ?? 0) * place.radius)
}

function valueBySmoothness(place: Place): number {
  return valueGap(place) / (((place.problem.constants.smoothness ?? 0) * place.radius * place.radius) / 2)
}

function gradientGap(place: Place): number {
  const reach = place.radius * (place.problem.constants.smoothness ?? 0)
  const gap = difference(smoothedAt(place, place.x).gradient, place.problem.gradient(place.x))
  return squaredNorm(gap) / (reach * reach)
}

function inheritedLipschitz(place: Place): number {
  const rise = Math.abs(smoothedAt(place, place.x).value - smoothedAt(place, place.y).value)
  return rise / ((place.problem.constants.lipschitz ?? 0) * distance(place))
}

function inheritedSmoothness(place: Place): number {
  const turn = difference(smoothedAt(place, place.x).gradient, smoothedAt(place, place.y).gradient)
  return Math.sqrt(squaredNorm(turn)) / ((place.problem.constants.smoothness ?? 0) * distance(place))
}

function bulge(place: Place): number {
  const middle = place.x.map((each, i) => (each + (place.y[i] as number)) / 2)
  const ends = smoothedAt(place, place.x).value + smoothedAt(place, place.y).value
  return smoothedAt(place, middle).value - ends / 2
}

function distance({ x, y }: Place): number {
  return Math.sqrt(squaredNorm(difference(x, y)))
}
