import {
  adaptiveMoments,
  type ConvexSet,
  counterexample,
  inverseSqrt,
  l1Ball,
  type Step,
  slab,
} from '../../src/index.ts'
import { exactGradient } from './exact-gradient.ts'
import { follow } from './follow.ts'
import { difference, inner, largestEntry } from './vectors.ts'
import { type Check, equals, observed, remarked, type Scale, showPoint, type Verdict } from './verdict.ts'

type Projection = 'euclidean' | 'mahalanobis'

/** Makes Algorithm 1's step; a test passes one that projects wrongly. */
export type StepFor = (projection: Projection, moments: Moments) => Step

interface Moments {
  readonly beta1: number
  readonly beta2: number
  readonly initialSecondMoment: number
  readonly maxSecondMoment: boolean
}

/** beta1 = beta2 = 0 without the maximum: projected signSGD, the limit in which the proof argues. */
const signLimit: Moments = { beta1: 0, beta2: 0, initialSecondMoment: 0, maxSecondMoment: false }
const amsGrad: Moments = { beta1: 0.9, beta2: 0.3, initialSecondMoment: 1e-5, maxSecondMoment: true }

const steps = 2000
const rate = inverseSqrt(0.1)
const problem = counterexample()
const stuckAt = problem.start

const slabNote =
  'As printed, |x1 + x2| <= 1 is a slab: f falls for ever along (1, -1), the linear program is unbounded and has no ' +
  'stationary point at all. The l1 ball of the text gives the story that is meant.'

/** Proposition 1 on the set as printed and on the l1 ball. */
export const proposition1: Check = {
  id: 'prop-1',
  statement: 'Proposition 1: with the Euclidean projection Algorithm 1 sticks at (0.5, 0.5), which is not stationary.',
  run: (scale) => proposition1Verdicts(scale, (projection, moments) => adaptiveMoments({ projection, ...moments })),
}

/** The verdicts for a given implementation of the step. */
export function proposition1Verdicts(_: Scale, stepFor: StepFor): Verdict[] {
  const strip = slab({ normal: 1, lower: -1, upper: 1 })
  const ball = l1Ball({ radius: 1 })
  const run = (set: ConvexSet, projection: Projection, moments: Moments, count = steps): Float64Array =>
    lastPoint(set, stepFor(projection, moments), count)
  // Each Mahalanobis step on the slab is (alpha_t / 3) (1, -1), so where the run gets to is a plain sum.
  const drift = Array.from({ length: steps }, (_, t) => rate(t + 1) / 3).reduce((sum, each) => sum + each, 0)
  return [
    remarked(staysStuck('sign steps, slab, Euclidean', run(strip, 'euclidean', signLimit), 1e-15), slabNote),
    staysStuck('sign steps, l1 ball, Euclidean', run(ball, 'euclidean', signLimit), 1e-15),
    reaches(
      'sign steps, slab, Mahalanobis, 1 step',
      [0.5 + 0.1 / 3, 0.5 - 0.1 / 3],
      run(strip, 'mahalanobis', signLimit, 1),
    ),
    reaches(
      'sign steps, slab, Mahalanobis: runs off',
      [0.5 + drift, 0.5 - drift],
      run(strip, 'mahalanobis', signLimit),
    ),
    reaches('sign steps, l1 ball, Mahalanobis: the optimum', [1, 0], run(ball, 'mahalanobis', signLimit)),
    remarked(
      staysStuck('AMSGrad, l1 ball, Euclidean, v0 = 1e-5', run(ball, 'euclidean', amsGrad), 1e-7),
      'Not exactly, because v0 breaks the proportion of v to the squared gradient; with v0 = 0 it is exact.',
    ),
    staysStuck(
      'AMSGrad, l1 ball, Euclidean, v0 = 0',
      run(ball, 'euclidean', { ...amsGrad, initialSecondMoment: 0 }),
      1e-15,
    ),
    reaches('AMSGrad, l1 ball, Mahalanobis: the optimum', [1, 0], run(ball, 'mahalanobis', amsGrad)),
    descentLeft([strip, ball]),
  ]
}

function lastPoint(set: ConvexSet, step: Step, iterations: number): Float64Array {
  const last = new Float64Array(2)
  const recipe = { estimator: exactGradient(problem.gradient), step, learningRate: rate }
  follow(recipe, { value: problem.value, start: problem.start, set, iterations }, ({ next }) => last.set(next))
  return last
}

function staysStuck(claim: string, last: Float64Array, tolerance: number): Verdict {
  const moved = largestEntry(difference(last, stuckAt))
  const measured = `${showPoint(last)}, moved by ${moved.toExponential(1)}`
  return observed(claim, showPoint(stuckAt), { measured, passed: moved <= tolerance })
}

function reaches(claim: string, target: readonly number[], last: Float64Array): Verdict {
  // 2000 roundings of a number below 4 amount to less than 1e-12.
  const passed = largestEntry(difference(last, target)) <= 1e-12
  return observed(claim, showPoint(target), { measured: showPoint(last), passed })
}

/** <grad f, z - x> at z = (0.6, 0.4), which both sets contain: below 0, so x is not stationary. */
function descentLeft(sets: readonly ConvexSet[]): Verdict {
  const other = Float64Array.of(0.6, 0.4)
  const slope = inner(problem.gradient(stuckAt), difference(other, stuckAt))
  const contained = sets.every((set) => set.contains(other))
  return equals('descent is left: <grad f, (0.6, 0.4) - x>', -0.1, contained ? slope : Number.NaN, 1e-15)
}
