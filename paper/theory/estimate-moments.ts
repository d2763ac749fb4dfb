import {
  central,
  type Directions,
  type Estimator,
  forward,
  linear,
  orthogonal,
  rotatedQuadratic,
  sphere,
  sumOfSines,
  type TestProblem,
} from '../../src/index.ts'

import { sampleMean } from './sample-mean.ts'
import { entryMeans, type Sampling, sampleEstimates, secondMoment, varianceAround } from './sampled-estimates.ts'
import { smoothedOf } from './smoothed.ts'
import { difference, squaredNorm } from './vectors.ts'
import { allExpected, amount, atMost, type Check, expected, remarked, type Scale, type Verdict } from './verdict.ts'

const dim = 6
const seed = 73
const wide = 0.8
/** So wide that grad f_mu is far from grad f. */
const widest = 2

/** Makes an estimate from `directions` directions at smoothing radius `mu`; a test passes a wrong one. */
export type EstimatorFor = (along: Directions, directions: number, mu: number) => Estimator

/** Lemma A1 (b) and the exact moments of the estimates (1) and (14) behind it. */
export const estimateMoments: Check = {
  id: 'lemma-a1-b',
  statement: 'Lemma A1 (b): mean and second moment of the estimate (1), and what is exact on simple functions.',
  run: (scale) =>
    estimateMomentVerdicts(scale, (along, directions, smoothing) => forward({ along, directions, smoothing })),
}

/** The verdicts for a given one-sided estimator. */
export function estimateMomentVerdicts(scale: Scale, estimatorFor: EstimatorFor): Verdict[] {
  const count = amount(scale, { quick: 4000, full: 50_000 })
  const at: SamplingAt = (problem, estimator, share = 1) => ({
    estimator,
    value: problem.value,
    point: problem.start,
    count: Math.ceil(share * count),
    seed,
  })
  const single = estimatorFor(sphere(), 1, wide)
  return [
    unbiased(at(sumOfSines({ dim }), estimatorFor(sphere(), 1, widest)), sumOfSines({ dim })),
    ...onQuadratic(rotatedQuadratic({ dim, condition: 10 }), at, single),
    ...onLinear(linear({ dim }), at, estimatorFor),
  ]
}

/** How estimates at the start of a problem are sampled; `share` asks for fewer of those that take long to make. */
type SamplingAt = (problem: TestProblem, estimator: Estimator, share?: number) => Sampling

/** E[estimate] = grad f_mu. */
function unbiased(sampling: Sampling, problem: TestProblem): Verdict {
  const means = entryMeans(sampling)
  const smoothed = smoothedOf(problem, sampling.point, widest).gradient
  const plain = problem.gradient(sampling.point)
  const scores = means.map((mean, i) => mean.score(smoothed[i] as number))
  const against = Math.max(...means.map((mean, i) => Math.abs(mean.score(plain[i] as number))))
  return remarked(
    allExpected(`mean of the estimate, sum of sines, mu = ${widest}`, 'grad f_mu', scores),
    `Not grad f, which the same means miss by up to ${against.toFixed(1)} standard errors.`,
  )
}

/** E||estimate||^2 = d ||g||^2 + mu^2 d / (4 (d + 2)) (tr(A)^2 + 2 ||A||_F^2), one direction, one-sided. */
function onQuadratic(problem: TestProblem, at: SamplingAt, single: Estimator): Verdict[] {
  const { trace, squares } = secondDerivatives(problem)
  const plain = dim * squaredNorm(problem.gradient(problem.start))
  const exact = plain + ((wide * wide * dim) / (4 * (dim + 2))) * (trace * trace + 2 * squares)
  const smoothness = problem.constants.smoothness ?? 0
  const bound = 2 * plain + (wide * wide * smoothness * smoothness * dim * dim) / 2
  const onesided = secondMoment(at(problem, single))
  const twosided = secondMoment(at(problem, central({ along: sphere(), directions: 1, smoothing: wide })))
  const gradient = problem.gradient(problem.start)
  const scores = entryMeans(at(problem, single)).map((mean, i) => mean.score(gradient[i] as number))
  return [
    allExpected(`mean of the estimate, quadratic, mu = ${wide}`, 'grad f_mu = grad f', scores),
    expected('E||g^||^2, quadratic: d||g||^2 + mu^2 d (tr^2 + 2||A||_F^2) / (4 (d + 2))', exact, onesided),
    expected('the same, central differences: d||g||^2', plain, twosided),
    remarked(
      atMost('E||g^||^2 / (2d||g||^2 + mu^2 L_g^2 d^2 / 2)', 1, onesided.mean / bound),
      'On quadratics the exact value is at most half of the printed bound.',
    ),
  ]
}

/** Linear f: second moments in closed form, and what more directions and orthogonal ones do to the variance. */
function onLinear(problem: TestProblem, at: SamplingAt, estimatorFor: EstimatorFor): Verdict[] {
  const gradient = problem.gradient(problem.start)
  const squared = squaredNorm(gradient)
  const variance = (along: Directions, q: number, share = 1) =>
    varianceAround(gradient, at(problem, estimatorFor(along, q, wide), share))
  return [
    products(at(problem, estimatorFor(sphere(), 1, wide)), gradient),
    expected('variance, linear, q = 1: (d - 1)||g||^2', (dim - 1) * squared, variance(sphere(), 1)),
    expected('variance, q = 4: (d - 1)||g||^2 / q', ((dim - 1) * squared) / 4, variance(sphere(), 4)),
    expected('variance, 4 orthogonal: (d / q - 1)||g||^2', (dim / 4 - 1) * squared, variance(orthogonal(), 4, 0.3)),
    atMost('variance, d orthogonal: 0', 0, variance(orthogonal(), dim, 0.05).mean, 1e-12),
  ]
}

/** E[g^ g^^T] = d / (d + 2) (||g||^2 I + 2 g g^T). */
function products(sampling: Sampling, gradient: Float64Array): Verdict {
  const means = Array.from({ length: dim * dim }, sampleMean)
  sampleEstimates(sampling, (estimate) => {
    for (const [k, mean] of means.entries())
      mean.add((estimate[Math.floor(k / dim)] as number) * (estimate[k % dim] as number))
  })
  const scores = means.map((mean, k) => {
    const outer = 2 * (gradient[Math.floor(k / dim)] as number) * (gradient[k % dim] as number)
    return mean.score((dim / (dim + 2)) * ((k % (dim + 1) === 0 ? squaredNorm(gradient) : 0) + outer))
  })
  return remarked(
    allExpected('E[g^ g^^T], linear', 'd / (d + 2) (||g||^2 I + 2 g g^T)', scores),
    'Unless one coordinate dominates, the diagonal ||g||^2 + 2 g_i^2 is nearly the same for all: v_t tells them hardly apart.',
  )
}

/** tr(A) and ||A||_F^2, read off the gradients of a quadratic. */
function secondDerivatives(problem: TestProblem): { trace: number; squares: number } {
  const base = problem.gradient(problem.start)
  const columns = Array.from({ length: dim }, (_, i) => {
    const moved = problem.start.slice()
    moved[i] = (moved[i] as number) + 1
    return difference(problem.gradient(moved), base)
  })
  return {
    trace: columns.reduce((sum, column, i) => sum + (column[i] as number), 0),
    squares: columns.reduce((sum, column) => sum + squaredNorm(column), 0),
  }
}
