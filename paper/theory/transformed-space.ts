import {
  box,
  boxAndHyperplane,
  type ConvexSet,
  constant,
  halfspace,
  plain,
  rotatedQuadratic,
  type Step,
  simplex,
  slab,
  type Vector,
  wholeSpace,
} from '../../src/index.ts'
import { exactGradient } from './exact-gradient.ts'
import { follow } from './follow.ts'
import { nearestIn } from './projected-step.ts'
import { difference, drawnMetric, largestEntry } from './vectors.ts'
import { amount, atMost, type Check, remarked, type Scale, type Verdict } from './verdict.ts'

const dim = 5
/** h = sqrt(vhat), the metric in x; y = h^(1/2) x. */
const metric = drawnMetric(59, 0, dim)
const roots = metric.map(Math.sqrt)
const problem = rotatedQuadratic({ dim, condition: 5 })

/** A set X, and the set h^(1/2) X that its points y = h^(1/2) x make up. */
interface Pair {
  readonly inX: ConvexSet
  readonly inY: ConvexSet
}

/** The pairs for which h^(1/2) X is a set of the library, too; balls become ellipsoids, which are not. */
const pairs: readonly Pair[] = [
  { inX: wholeSpace(), inY: wholeSpace() },
  { inX: box({ lower: -0.2, upper: 0.3 }), inY: box({ lower: scaled(-0.2), upper: scaled(0.3) }) },
  { inX: halfspace({ normal: 1, offset: -0.4 }), inY: halfspace({ normal: unscaled(1), offset: -0.4 }) },
  { inX: slab({ normal: 1, lower: 1, upper: 2 }), inY: slab({ normal: unscaled(1), lower: 1, upper: 2 }) },
  { inX: simplex(), inY: boxAndHyperplane({ lower: 0, normal: unscaled(1), offset: 1 }) },
]

/** Section 3.1: with Vhat fixed, Algorithm 1 is projected gradient descent in other coordinates. */
export const transformedSpace: Check = {
  id: 'transformed-space',
  statement: 'Transformed space: for a fixed Vhat, AdaMM on X is projected gradient descent in y = Vhat^1/4 x.',
  run: (scale) => transformedSpaceVerdicts(scale, metric),
}

/** The verdicts for a projection in the given metric, which should be that of the step. */
export function transformedSpaceVerdicts(scale: Scale, projectIn: Float64Array | null): Verdict[] {
  const iterations = amount(scale, { quick: 60, full: 300 })
  const starts = pairs.map((pair) => nearestIn(pair.inX, new Float64Array(dim).fill(1 / dim)))
  const inX = pairs.map((pair, i) => pathInX(pair.inX, starts[i] as Float64Array, iterations, projectIn))
  const inY = pairs.map((pair, i) => pathInY(pair.inY, starts[i] as Float64Array, iterations))
  const worst = Math.max(...inX.map((x, i) => largestEntry(difference(x, inY[i] as Float64Array))))
  return [
    remarked(
      atMost('largest |x_t - Vhat^-1/4 y_t| on R^d, box, half-space, slab, simplex', 1e-12, worst),
      'Only while Vhat stays as it is: when it changes, so do the coordinates, which the paper passes over.',
    ),
  ]
}

function pathInX(
  set: ConvexSet,
  start: Float64Array,
  iterations: number,
  projectIn: Float64Array | null,
): Float64Array {
  const square = (h: Float64Array): Float64Array => h.map((each) => each * each)
  const step: Step = {
    start: () => ({
      memory: {},
      apply(move) {
        move.squares = square(metric)
        move.metricSquares = projectIn === null ? null : square(projectIn)
      },
    }),
  }
  return points({ set, start, step, gradient: problem.gradient, iterations })
}

function pathInY(set: ConvexSet, from: Float64Array, iterations: number): Float64Array {
  const toX = (y: Vector): Float64Array => Float64Array.from(y, (each, i) => each / (roots[i] as number))
  const gradient = (y: Vector): Float64Array => toX(problem.gradient(toX(y)))
  const start = roots.map((root, i) => root * (from[i] as number))
  const inY = points({ set, start, step: plain(), gradient, iterations })
  return inY.map((each, k) => each / (roots[k % dim] as number))
}

/** All points of a run with exact gradients, one after the other in one list. */
function points(run: {
  set: ConvexSet
  start: Float64Array
  step: Step
  gradient: (x: Vector) => Float64Array
  iterations: number
}): Float64Array {
  const all = new Float64Array(dim * run.iterations)
  const recipe = { estimator: exactGradient(run.gradient), step: run.step, learningRate: constant(0.02) }
  follow(recipe, { ...run, value: () => 0 }, ({ iteration, next }) => all.set(next, dim * (iteration - 1)))
  return all
}

function scaled(bound: number): Float64Array {
  return roots.map((root) => bound * root)
}

function unscaled(normal: number): Float64Array {
  return roots.map((root) => normal / root)
}
