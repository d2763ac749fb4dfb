import { type Made, rotatedQuadratic, smoothAbsolute, sumOfSines, type TestProblem } from '../../src/index.ts'
import { inBall, onSphere } from './random-directions.ts'
import { sampleMean } from './sample-mean.ts'
import { smoothedOf } from './smoothed.ts'
import { difference, squaredNorm } from './vectors.ts'
import { allExpected, amount, atMost, type Check, expected, type Scale, type Verdict } from './verdict.ts'

const dim = 6
const seed = 67
const radius = 0.7

/** The smoothed function of eq. (2) and the moments its properties rest on, by Monte Carlo. */
export const smoothingIdentities: Check = {
  id: 'smoothing-identities',
  statement: 'Smoothing, eq. (2): moments of directions, and f_mu as the mean of f over the ball.',
  run: (scale) =>
    smoothingVerdicts(scale, [rotatedQuadratic({ dim, condition: 10 }), sumOfSines({ dim }), smoothAbsolute({ dim })]),
}

/** The verdicts for problems and what their smoothed functions are said to be; the first must be a quadratic. */
export function smoothingVerdicts(
  scale: Scale,
  problems: readonly Made<TestProblem>[],
  smoothed = smoothedOf,
): Verdict[] {
  const count = amount(scale, { quick: 5000, full: 50_000 })
  return [
    ...ballMoments(count),
    ...directionMoments(count),
    ...problems.map((problem) => smoothedValue(problem, count, smoothed)),
    quadraticGap(problems[0] as TestProblem, count),
  ]
}

/** E||u||^p = d / (d + p) in the ball; the paper's proof of Lemma A1 prints n for d. */
function ballMoments(count: number): Verdict[] {
  const means = [sampleMean(), sampleMean(), sampleMean()] as const
  inBall(dim, count, seed, (u) => {
    const length = Math.sqrt(squaredNorm(u))
    means[0].add(length)
    means[1].add(length * length)
    means[2].add(length * length * length)
  })
  return means.map((mean, i) => expected(`E||u||^${i + 1} in the ball = d / (d + ${i + 1})`, dim / (dim + i + 1), mean))
}

/** ||u|| = 1, E u = 0 and E uu' = I / d on the sphere. */
function directionMoments(count: number): Verdict[] {
  const firsts = Array.from({ length: dim }, sampleMean)
  const seconds = Array.from({ length: dim * dim }, sampleMean)
  let offLength = 0
  onSphere(dim, count, seed, (u) => {
    offLength = Math.max(offLength, Math.abs(Math.sqrt(squaredNorm(u)) - 1))
    for (const [i, mean] of firsts.entries()) mean.add(u[i] as number)
    for (const [k, mean] of seconds.entries()) mean.add((u[Math.floor(k / dim)] as number) * (u[k % dim] as number))
  })
  const scores = [
    ...firsts.map((mean) => mean.score(0)),
    ...seconds.map((mean, k) => mean.score(k % (dim + 1) === 0 ? 1 / dim : 0)),
  ]
  return [
    // The normals behind them have single precision.
    atMost('directions on the sphere: largest | ||u|| - 1 |', 0, offLength, 1e-6),
    allExpected('directions on the sphere', 'E u = 0, E uu^T = I / d', scores),
  ]
}

/** f_mu - f as sampled, against what the problem says it is. */
function smoothedValue(problem: Made<TestProblem>, count: number, smoothed: typeof smoothedOf): Verdict {
  const x = problem.start
  const told = smoothed(problem, x, radius).value - problem.value(x)
  return expected(`f_mu - f, ${problem.origin.name}, mu = ${radius}`, told, sampledGap(problem, count))
}

/** For quadratics f_mu - f = mu^2 tr(A) / (2 (d + 2)), with the trace read off the gradient. */
function quadraticGap(problem: TestProblem, count: number): Verdict {
  const base = problem.gradient(problem.start)
  let trace = 0
  for (let i = 0; i < dim; i++) {
    const moved = problem.start.slice()
    moved[i] = (moved[i] as number) + 1
    trace += difference(problem.gradient(moved), base)[i] as number
  }
  const gap = (radius * radius * trace) / (2 * (dim + 2))
  return expected('f_mu - f = mu^2 tr(A) / (2 (d + 2)) on a quadratic', gap, sampledGap(problem, count))
}

/** The mean of f(x + mu u) - f(x) over the ball; antithetic pairs remove the linear part. */
function sampledGap({ value, start }: TestProblem, count: number) {
  const mean = sampleMean()
  const at = value(start)
  inBall(dim, count, seed + 1, (u) => {
    const shifted = (sign: number): number => value(start.map((each, i) => each + sign * radius * (u[i] as number)))
    mean.add((shifted(1) + shifted(-1)) / 2 - at)
  })
  return mean
}
