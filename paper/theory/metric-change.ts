import type { ConvexSet } from '../../src/index.ts'
import { librarySets, type NamedSet } from './library-sets.ts'
import { gradientMapping, nearestIn } from './projected-step.ts'
import { difference, drawnMetric, drawnVector, inner, largestEntry, squaredNorm } from './vectors.ts'
import { amount, atMost, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

const dim = 5
const seed = 57

/** The lemma in Theorem 2's proof that compares the projections in two consecutive metrics. */
export const metricChange: Check = {
  id: 'metric-change',
  statement: 'Change of metric: ||P_H1 - P_H2||^2 <= c^-4 sum h2 (h2 - h1) ||grad f_mu||^2 for c <= h1 <= h2.',
  run: (scale) => metricChangeVerdicts(scale, librarySets(dim)),
}

/** The verdicts for given sets. */
export function metricChangeVerdicts(scale: Scale, sets: readonly NamedSet[]): Verdict[] {
  const trials = amount(scale, { quick: 40, full: 400 })
  const ratios = sets.flatMap(({ set }) => Array.from({ length: trials }, (_, trial) => ratioOf(set, trial)))
  const printed = printedRatio()
  return [
    remarked(
      atMost(`left / right side, ${ratios.length} cases on all sets`, 1, Math.max(...ratios)),
      'The paper ends with eta^2 in place of ||grad f_mu||^2, but A2 bounds entries: ||grad f_mu||^2 <= d eta^2.',
    ),
    observed('as printed (eta^2), on a line in R^100, left / right side', '> 1: fails', {
      measured: show(printed),
      passed: printed > 1,
    }),
  ]
}

function ratioOf(set: ConvexSet, trial: number): number {
  const x = nearestIn(set, drawnVector(seed, 4 * trial, dim, 2))
  const gradient = drawnVector(seed, 4 * trial + 1, dim)
  const before = drawnMetric(seed, 4 * trial + 2, dim)
  const growth = drawnMetric(seed, 4 * trial + 3, dim)
  const after = before.map((each, i) => each * (1 + (growth[i] as number) / 5))
  const right = rightSide(before, after) * squaredNorm(gradient)
  return leftSide(set, x, gradient, before, after) / right
}

function leftSide(
  set: ConvexSet,
  x: Float64Array,
  gradient: Float64Array,
  before: Float64Array,
  after: Float64Array,
): number {
  const rate = 0.5
  const change = difference(
    gradientMapping(set, x, gradient, before, rate),
    gradientMapping(set, x, gradient, after, rate),
  )
  return squaredNorm(change)
}

/** c^-4 sum h2 (h2 - h1), with c the smallest entry of h1. */
function rightSide(before: Float64Array, after: Float64Array): number {
  const c = Math.min(...before)
  const sum = after.reduce((total, each, i) => total + each * (each - (before[i] as number)), 0)
  return sum / (c * c * c * c)
}

/** All entries of the gradient are 1 and the set is a line: the d entries together pull along one direction. */
function printedRatio(): number {
  const size = 100
  const gradient = new Float64Array(size).fill(1)
  const along = new Float64Array(size).fill(Math.sqrt(0.5 / (size - 1)))
  along[0] = Math.sqrt(0.5)
  const before = new Float64Array(size).fill(1)
  const after = before.slice()
  after[0] = 1.1
  const eta = largestEntry(gradient)
  return leftSide(line(along), new Float64Array(size), gradient, before, after) / (rightSide(before, after) * eta * eta)
}

/** The multiples of a vector. */
function line(along: Float64Array): ConvexSet {
  return {
    needsMetric: true,
    check: () => undefined,
    contains: () => true,
    scratchSize: () => 0,
    project(x, metric) {
      const weighted = metric === null ? along : along.map((each, i) => each * (metric[i] as number))
      const share = inner(weighted, x) / inner(weighted, along)
      for (let i = 0; i < x.length; i++) x[i] = share * (along[i] as number)
    },
  }
}
