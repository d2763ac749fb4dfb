import {
  adaptiveMoments,
  constant,
  type FiniteSum,
  forward,
  inverseSqrt,
  l2Ball,
  plain,
  type Step,
  sign,
  sphere,
  type Vector,
} from '../../src/index.ts'
import { follow } from './follow.ts'
import { constrainedMeasure } from './measures.ts'
import { exponentOver, saidInterval } from './slope.ts'
import { difference, squaredNorm } from './vectors.ts'
import { amount, atMost, between, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

const dim = 4
const population = 8

/**
 * f(x; j) = sqrt(1 + ||x - a_j||^2) / 2 + ||x||^2 / 4 with a_j in the corner (3, ..., 3) for one term of four and -1 for the
 * others: its mean and its median lie apart.
 */
const terms: Pick<FiniteSum, 'value' | 'gradient'> = {
  value: (x, j) => Math.sqrt(1 + squaredNorm(difference(x, corner(j)))) / 2 + squaredNorm(x) / 4,
  gradient(x, j) {
    const away = difference(x, corner(j))
    const length = Math.sqrt(1 + squaredNorm(away))
    return away.map((each, i) => each / (2 * length) + (x[i] as number) / 2)
  },
}

function corner(j: number): Float64Array {
  return new Float64Array(dim).fill(j % 4 === 0 ? 3 : -1)
}

function gradient(x: Vector): Float64Array {
  const sum = new Float64Array(dim)
  for (let j = 0; j < population; j++)
    for (const [i, each] of terms.gradient(x, j).entries()) sum[i] = (sum[i] as number) + each / population
  return sum
}

/** Where methods come to rest: ZO-signSGD in a neighbourhood (Sec. 3), ZO-AdaMM with a constraint by the batch (Theorem 2). */
export const neighbourhood: Check = {
  id: 'neighbourhood',
  statement: 'Sec. 3: ZO-signSGD reaches only a neighbourhood, against b and q; Theorem 2: the plateau falls with b.',
  run: (scale) => neighbourhoodVerdicts(scale, sign()),
}

/** The verdicts with the given step in the place of ZO-signSGD's. */
export function neighbourhoodVerdicts(scale: Scale, signStep: Step): Verdict[] {
  const counts = scale === 'quick' ? [1, 4] : [1, 4, 16, 64]
  const horizon = amount(scale, { quick: 250, full: 1000 })
  const rest = (step: Step, samples: number, directions: number, iterations: number): number =>
    restOf(step, { samples, directions, iterations, seeds: amount(scale, { quick: 2, full: 4 }) })
  const short = counts.map((q) => rest(signStep, 1, q, horizon))
  const long = counts.map((q) => rest(signStep, 1, q, 8 * horizon))
  const ratios = long.map((each, i) => each / (short[i] as number))
  const whole = rest(signStep, population, counts.at(-1) as number, 8 * horizon)
  const plainRest = rest(plain(), 1, 1, 8 * horizon)
  return [
    remarked(
      observed(
        `ZO-signSGD, b = 1: mean ||grad f||^2 after ${8 * horizon} / after ${horizon}, q = ${counts.join(', ')}`,
        '>= 0.8: no nearer',
        {
          measured: ratios.map(show).join(', '),
          passed: ratios.every((ratio) => ratio >= 0.8),
        },
      ),
      `Means over the second half, rate 0.3 / sqrt(t), one sampled term of ${population} per iteration. ||grad f||^2 stays at ` +
        `${long.map(show).join(', ')} for q = ${counts.join(', ')}: more directions do not help, because the sign of a ` +
        'sampled slope has another mean than the slope.',
    ),
    remarked(
      atMost(
        `ZO-signSGD with all terms, q = ${counts.at(-1)}: ||grad f||^2 / that of b = 1`,
        0.1,
        whole / (long.at(-1) as number),
      ),
      'So the neighbourhood of Table 1, sqrt d / sqrt b + d / sqrt(bq), is one of sampled terms here; its part in q alone was not found.',
    ),
    atMost('ZO-SGD, b = q = 1: ||grad f||^2 / that of ZO-signSGD', 0.1, plainRest / (long[0] as number)),
    ...batchVerdicts(scale),
  ]
}

interface Rest {
  readonly samples: number
  readonly directions: number
  readonly iterations: number
  readonly seeds: number
}

/** The mean of ||grad f||^2 over the second half of a run. */
function restOf(step: Step, { samples, directions, iterations, seeds }: Rest): number {
  const recipe = {
    estimator: forward({ along: sphere(), samples, directions, smoothing: 1e-4 }),
    step,
    learningRate: inverseSqrt(0.3),
  }
  let mean = 0
  for (let seed = 0; seed < seeds; seed++) {
    follow(recipe, { ...sampledRun(iterations), seed }, ({ iteration, next }) => {
      if (iteration > iterations / 2) mean += squaredNorm(gradient(next)) / (seeds * Math.floor(iterations / 2))
    })
  }
  return mean
}

function sampledRun(iterations: number) {
  const value = (x: Vector, { sample }: { sample: number }): number => terms.value(x, sample)
  return { value, start: new Float64Array(dim).fill(0.3), iterations, population }
}

/** Theorem 2 with the batch b in the place of q: the plateau of (8) and the variance that sets it. */
function batchVerdicts(scale: Scale): Verdict[] {
  const batches = scale === 'quick' ? [1, 4] : [1, 2, 4]
  const iterations = amount(scale, { quick: 100, full: 1000 })
  const seeds = amount(scale, { quick: 3, full: 4 })
  const runs = Array.from({ length: seeds }, (_, seed) => batches.map((b) => plateau(b, iterations, seed)))
  const exponent = (y: (run: Plateau) => number) =>
    exponentOver(runs.map((run) => run.map((each, i) => ({ x: distinct(batches[i] as number), y: y(each) }))))
  const variance = exponent((run) => run.variance)
  const measure = exponent((run) => run.measure)
  return [
    between(
      `Theorem 2, exponent of b (n - 1) / (n - b): variance of the estimates, q = 64, b = ${batches.join(', ')}`,
      [-1.05, -0.9],
      variance.mean,
    ),
    remarked(
      between('the same: plateau of (8)', [-1.2, -0.8], measure.mean),
      `${saidInterval(measure)}. Samples of a batch are distinct, so a batch of b terms of n counts as b (n - 1) / (n - b) independent ones.`,
    ),
  ]
}

/** The independent draws that b distinct ones of the population are worth. */
function distinct(b: number): number {
  return (b * (population - 1)) / (population - b)
}

interface Plateau {
  readonly measure: number
  readonly variance: number
}

function plateau(samples: number, iterations: number, seed: number): Plateau {
  const set = l2Ball({ radius: 1 })
  const [c, rate] = [3, 0.3]
  const recipe = {
    estimator: forward({ along: sphere(), samples, directions: 64, smoothing: 1e-5 }),
    step: adaptiveMoments({ beta1: 0, beta2: 0.9, initialSecondMoment: c * c }),
    learningRate: constant(rate),
  }
  let [measure, variance] = [0, 0]
  const weight = 2 / iterations
  follow(recipe, { ...sampledRun(iterations), set, seed }, ({ iteration, point, estimate, memory }) => {
    if (iteration <= iterations / 2) return
    const slope = gradient(point)
    measure += weight * constrainedMeasure(set, point, slope, memory.maximum as Float64Array, rate)
    variance += weight * squaredNorm(difference(estimate, slope))
  })
  return { measure, variance }
}
