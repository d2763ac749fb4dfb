import { type Estimator, type FiniteSum, forward, robustRegression, sphere, type TestProblem } from '../../src/index.ts'
import type { SampleMean } from './sample-mean.ts'
import { varianceAround } from './sampled-estimates.ts'
import { difference, squaredNorm } from './vectors.ts'
import {
  allowedScore,
  amount,
  atMost,
  type Check,
  observed,
  remarked,
  type Scale,
  show,
  type Verdict,
} from './verdict.ts'

const dim = 8
const population = 48
const batches = [1, 4, 16, population]
const seed = 83

/** Small enough for grad f_mu = grad f to seven digits, large enough for the differences to keep nine. */
const smoothing = 1e-5

/** Makes the averaged estimate (14) of b samples and q directions. */
export type AveragedEstimator = (samples: number, directions: number) => Estimator

/** Lemma 1: the variance of the averaged estimate, eq. (14) and (15). */
export const lemma1: Check = {
  id: 'lemma-1',
  statement: 'Lemma 1: the variance of the averaged estimate (14) is O(d / b + d^2 / q), or O(1 / b + d / q) under A3.',
  run: (scale) =>
    lemma1Verdicts(scale, (samples, directions) => forward({ along: sphere(), samples, directions, smoothing })),
}

/** The verdicts for a given averaged estimator. */
export function lemma1Verdicts(scale: Scale, estimatorFor: AveragedEstimator): Verdict[] {
  const counts = scale === 'quick' ? [1, 8] : [1, 4, 16]
  const problem = robustRegression({ dim, population })
  const terms = problem.terms as FiniteSum
  const spread = spreadOf(problem, terms)
  const cells = batches.map((b) =>
    counts.map((q): Cell => {
      const sampling = {
        estimator: estimatorFor(b, q),
        value: (x: Parameters<FiniteSum['value']>[0], { sample }: { sample: number }) => terms.value(x, sample),
        point: problem.start,
        count: Math.ceil(amount(scale, { quick: 4000, full: 12_000 }) / Math.sqrt(b * q)),
        seed,
        population,
      }
      return { b, q, predicted: spread(b, q), sampled: varianceAround(problem.gradient(problem.start), sampling) }
    }),
  )
  const all = cells.flat()
  const { gradientBound = 0, lipschitz = 0 } = problem.constants
  return [
    ...cells.map(rowVerdict),
    atMost('largest variance / (eta^2 (d / b + d^2 / q))', 2, largestShare(all, gradientBound, dim)),
    atMost('largest variance / (L_c^2 (1 / b + d / q)), under A3', 2, largestShare(all, lipschitz, 1)),
  ]
}

interface Cell {
  readonly b: number
  readonly q: number
  readonly predicted: number
  readonly sampled: SampleMean
}

/**
 * The exact variance for mu to 0: all samples share the directions, so with S_b the variance of the sampled gradient
 * it is S_b (1 + (d - 1) / q) + (d - 1) ||g||^2 / q, and S_b carries (n - b) / (n - 1) because samples are distinct.
 */
function spreadOf(problem: TestProblem, terms: FiniteSum): (b: number, q: number) => number {
  const gradient = problem.gradient(problem.start)
  const spread = Array.from({ length: population }, (_, j) =>
    squaredNorm(difference(terms.gradient(problem.start, j), gradient)),
  ).reduce((sum, each) => sum + each / population, 0)
  return (b, q) => {
    const sampled = (spread / b) * ((population - b) / (population - 1))
    return sampled * (1 + (dim - 1) / q) + ((dim - 1) * squaredNorm(gradient)) / q
  }
}

function rowVerdict(row: readonly Cell[]): Verdict {
  const { b } = row[0] as Cell
  const scores = row.map(({ predicted, sampled }) => Math.abs(sampled.score(predicted)))
  const verdict = observed(
    `variance at b = ${b}${b === population ? ' (all terms)' : ''}, q = ${row.map(({ q }) => q).join(', ')}`,
    row.map(({ predicted }) => show(predicted)).join(', '),
    {
      measured: `${row.map(({ sampled }) => show(sampled.mean)).join(', ')}, |z| <= ${Math.max(...scores).toFixed(1)}`,
      passed: scores.every((score) => score <= allowedScore),
    },
  )
  if (b !== population) return verdict
  return remarked(
    verdict,
    'All samples share the directions, so even the whole sum leaves (d - 1)||g||^2 / q: only q removes it. The ' +
      'predictions are exact (derived for mu to 0), not only of the right order.',
  )
}

/** The largest variance as a share of bound^2 (scale / b + scale d / q). */
function largestShare(cells: readonly Cell[], bound: number, scale: number): number {
  const shares = cells.map(({ b, q, sampled }) => sampled.mean / (bound * bound * scale * (1 / b + dim / q)))
  return Math.max(...shares)
}
