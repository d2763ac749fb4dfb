import { adaptiveMoments, constant, type Estimator, forward, sphere, type Vector } from '../../src/index.ts'
import { exactGradient } from './exact-gradient.ts'
import { follow } from './follow.ts'
import { sampleMean } from './sample-mean.ts'
import { exponentOver, logLogSlope, saidInterval } from './slope.ts'
import { squaredNorm } from './vectors.ts'
import { amount, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

/** beta1 / beta2 < 1; vhat_0 = c^2 is below the squared entries of the gradient in every dimension used. */
const moments = { beta1: 0.5, beta2: 0.9, initialSecondMoment: 1e-4 }

/** From ||grad f||^2 = 1/2 at the start to half of it. */
const accuracy = 0.25

/** The headline: ZO-AdaMM is slower than AdaMM by a factor of about sqrt(d). */
export const slowdown: Check = {
  id: 'slowdown',
  statement:
    'Headline: ZO-AdaMM is slower than first-order AdaMM by O(sqrt d), up to the log(dT / delta) of Proposition 3.',
  run: (scale) => slowdownVerdicts(scale, () => forward({ along: sphere(), directions: 1, smoothing: 1e-4 })),
}

/** The verdicts for a given estimator of the gradient. */
export function slowdownVerdicts(scale: Scale, estimatorFor: (dim: number) => Estimator): Verdict[] {
  const dims = scale === 'quick' ? [4, 16, 64, 256] : [4, 16, 64, 256, 1024, 4096]
  const seeds = amount(scale, { quick: 3, full: 4 })
  const exact = dims.map((dim) => iterationsTo(dim, exactGradient(gradient), 0))
  const runs = Array.from({ length: seeds }, (_, seed) =>
    dims.map((dim) => iterationsTo(dim, estimatorFor(dim), seed + 1)),
  )
  const from = dims.length - 3
  const pointsOf = (run: readonly number[], first: number, y: (iterations: number, i: number) => number) =>
    dims.slice(first).map((dim, k) => ({ x: dim, y: y(run[first + k] as number, first + k) }))
  const factor = (iterations: number, i: number): number => iterations / (exact[i] as number)
  const whole = exponentOver(runs.map((run) => pointsOf(run, 0, factor)))
  const upper = exponentOver(runs.map((run) => pointsOf(run, from, factor)))
  const logs = sampleMean()
  for (const run of runs) logs.add(logLogSlope(pointsOf(run, from, (T, i) => Math.sqrt(logTerm(dims[i] as number, T)))))
  const limit = 0.5 + logs.mean
  const means = dims.map((_, i) => runs.reduce((sum, run) => sum + factor(run[i] as number, i), 0) / seeds)
  return [
    remarked(
      observed(`exponent of d: iterations of ZO-AdaMM / AdaMM, d = ${dims[from]} to ${dims.at(-1)}`, '< 1: below d', {
        measured: saidInterval(upper),
        passed: upper.mean + upper.half < 1,
      }),
      `f = sqrt(1 + ||x||^2), for which D_f, L_g and L_c are the same in every d; until ||grad f||^2 <= ${accuracy}; both with ` +
        `alpha = 1 / (4d). Exact gradient: ${exact.join(', ')} iterations for d = ${dims.join(', ')}; ZO-AdaMM needs ` +
        `${means.map(show).join(', ')} times as many. Intervals are of 95 %, over ${seeds} seeds.`,
    ),
    remarked(
      observed(
        `the same against sqrt(d log(dT / delta)): exponent ${show(limit)}`,
        `${show(limit)} within 0.1, not below 0.5`,
        {
          measured: saidInterval(upper),
          passed: upper.mean - upper.half <= limit + 0.1 && upper.mean + upper.half >= 0.5,
        },
      ),
      'T is what each run took and delta = 1 / (T sqrt d), as in Theorem 1. ' +
        `Over all d the exponent is ${saidInterval(whole)}: the factor rises faster than sqrt(d) among small d.`,
    ),
  ]
}

/** log(dT / delta) for delta = 1 / (T sqrt d). */
function logTerm(dim: number, iterations: number): number {
  return 1.5 * Math.log(dim) + 2 * Math.log(iterations)
}

/** Iterations of Algorithm 1 until the squared gradient is at most `accuracy`. */
function iterationsTo(dim: number, estimator: Estimator, seed: number): number {
  const recipe = { estimator, step: adaptiveMoments(moments), learningRate: constant(1 / (4 * dim)) }
  const start = new Float64Array(dim).fill(1 / Math.sqrt(dim))
  let taken = Number.NaN
  follow(recipe, { value, start, iterations: 40 * dim + 200, seed }, ({ iteration, next }) => {
    const squares = squaredNorm(next)
    if (squares / (1 + squares) > accuracy) return false
    taken = iteration
    return true
  })
  return taken
}

function value(x: Vector): number {
  return Math.sqrt(1 + squaredNorm(x))
}

function gradient(x: Vector): Float64Array {
  const length = value(x)
  return Float64Array.from(x, (each) => each / length)
}
