import type { ConvexSet } from '../../src/index.ts'
import { librarySets, type NamedSet } from './library-sets.ts'
import { nearestIn, projectedStep } from './projected-step.ts'
import { difference, drawnMetric, drawnVector, inner, largestEntry, weightedSquare } from './vectors.ts'
import { amount, atMost, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

const dim = 4
const seed = 51

/** Exact sets are off by rounding alone; the intersection stops at its option `tolerance`, which is 1e-10. */
const exactness = { exact: 1e-12, iterative: 1e-8 }
const isIterative = ({ name }: NamedSet): boolean => name === 'intersection'

/** The theorem behind Proposition 1's proof: what the Mahalanobis step leaves alone is stationary, and conversely. */
export const fixedPoints: Check = {
  id: 'fixed-points',
  statement: 'Fixed points: x = Pi_H(x - alpha H^-1 g) if and only if <g, z - x> >= 0 for all z in X, in any metric H.',
  run: (scale) => fixedPointVerdicts(scale, librarySets(dim)),
}

/** The verdicts for given sets. */
export function fixedPointVerdicts(scale: Scale, sets: readonly NamedSet[]): Verdict[] {
  const trials = amount(scale, { quick: 40, full: 400 })
  const runs = amount(scale, { quick: 3, full: 20 })
  const worst = (of: readonly NamedSet[], count: number, measure: (set: ConvexSet, trial: number) => number): number =>
    Math.max(...of.flatMap(({ set }) => Array.from({ length: count }, (_, trial) => measure(set, trial))))
  const stay = (of: readonly NamedSet[], name: string, tolerance: number): Verdict[] => {
    const claim = `stationary points stay, ${of.length * trials} cases on ${name}: largest move`
    return of.length === 0 ? [] : [atMost(claim, tolerance, worst(of, trials, moveOfStationary))]
  }
  const rest = worst(sets, runs, (set, trial) => distanceOfRest(set, trial, 'mahalanobis'))
  const euclidean = worst(sets, runs, (set, trial) => distanceOfRest(set, trial, 'euclidean'))
  return [
    ...stay(
      sets.filter((set) => !isIterative(set)),
      'exact sets',
      exactness.exact,
    ),
    ...stay(sets.filter(isIterative), 'intersections', exactness.iterative),
    remarked(
      atMost('where the steps come to rest is stationary: largest distance', exactness.iterative, rest),
      'Found on ||x - p||^2 / 2 in random metrics; its stationary point is the Euclidean projection of p.',
    ),
    downhill(sets, trials),
    observed('with the Euclidean projection they rest elsewhere: largest distance', '> 0.1', {
      measured: show(euclidean),
      passed: euclidean > 0.1,
    }),
  ]
}

/** How far a step moves a point that is stationary for its gradient by construction. */
function moveOfStationary(set: ConvexSet, trial: number): number {
  const outside = drawnVector(seed, 3 * trial, dim, 3)
  const first = drawnMetric(seed, 3 * trial + 1, dim)
  const x = outside.slice()
  set.project(x, first, new Float64Array(set.scratchSize(dim)))
  // x is the projection of `outside`, so g = H (x - outside) has <g, z - x> >= 0 for every z of the set.
  const gradient = x.map((each, i) => (first[i] as number) * (each - (outside[i] as number)))
  const next = projectedStep(set, x, gradient, drawnMetric(seed, 3 * trial + 2, dim), 0.5)
  return largestEntry(difference(next, x))
}

/**
 * Steps on f(x) = ||x - p||^2 / 2 until they stand still, and how far that is from its only stationary point in the
 * set, the Euclidean projection of p.
 */
function distanceOfRest(set: ConvexSet, trial: number, projection: 'euclidean' | 'mahalanobis'): number {
  const target = drawnVector(seed + 1, 2 * trial, dim, 3)
  // Entries from 1/3 to 3: a contraction by 8/9 in each step.
  const metric = drawnMetric(seed + 1, 2 * trial + 1, dim).map(Math.sqrt)
  const inverse = metric.map((each) => 1 / (3 * each))
  let x = nearestIn(set, new Float64Array(dim))
  for (let step = 0; step < 300; step++) {
    const next = x.map((each, i) => each - (inverse[i] as number) * (each - (target[i] as number)))
    set.project(next, projection === 'euclidean' ? null : metric, new Float64Array(set.scratchSize(dim)))
    x = next
  }
  return largestEntry(difference(x, nearestIn(set, target)))
}

/** A step that moves shows that the point was not stationary: it leads downhill, by the square of its length. */
function downhill(sets: readonly NamedSet[], trials: number): Verdict {
  const fails = sets.flatMap(({ set }) => Array.from({ length: trials }, (_, trial) => failsToDescend(set, trial)))
  const failed = fails.filter(Boolean).length
  return observed(
    'every other step leads downhill: <g, x+ - x> <= -||x+ - x||_H^2 / alpha',
    `0 of ${fails.length} fail`,
    {
      measured: `${failed} fail`,
      passed: failed === 0 && fails.length > 0,
    },
  )
}

function failsToDescend(set: ConvexSet, trial: number): boolean {
  const rate = 0.3
  const x = nearestIn(set, drawnVector(seed + 2, 3 * trial, dim, 2))
  const gradient = drawnVector(seed + 2, 3 * trial + 1, dim)
  const metric = drawnMetric(seed + 2, 3 * trial + 2, dim)
  const way = difference(projectedStep(set, x, gradient, metric, rate), x)
  // The intersection's tolerance leaves about 1e-9 of the products.
  return !(inner(gradient, way) <= 1e-9 - weightedSquare(metric, way) / rate)
}
