import {
  adaptiveMoments,
  box,
  constant,
  forward,
  inverse,
  inverseSqrt,
  smoothingForHorizon,
  sphere,
  type Vector,
} from '../../src/index.ts'
import { follow } from './follow.ts'
import { unconstrainedMeasure } from './measures.ts'
import { settings as regretSettings, rightSide } from './proposition-4.ts'
import { onSphere } from './random-directions.ts'
import { exponentOver, logLogSlope, saidInterval } from './slope.ts'
import { largestEntry, squaredNorm } from './vectors.ts'
import { amount, atMost, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

/** How the rates depend on the number of variables: Theorem 1, eq. (13), Proposition 4, and the remark on Proposition 3. */
export const dimension: Check = {
  id: 'dimension',
  statement: 'Exponents of d: Theorem 1 (1/2), eq. (13) (1/2), the regret of Proposition 4 (3/2), sup norms (1/2).',
  run: (scale) => dimensionVerdicts(scale, 0),
}

/** The verdicts with the exponents that the paper gives lowered by so much. */
export function dimensionVerdicts(scale: Scale, lowered: number): Verdict[] {
  const seeds = amount(scale, { quick: 3, full: 4 })
  const bySeed = <T>(dims: readonly number[], of: (dim: number, seed: number) => T): T[][] =>
    Array.from({ length: seeds }, (_, seed) => dims.map((dim) => of(dim, seed)))
  /** A power of d as an upper bound: the fitted exponent may be smaller, and a tenth larger. */
  const within = <T>(claim: string, bound: number, dims: readonly number[], runs: T[][], y: (run: T) => number) => {
    const exponent = exponentOver(runs.map((run) => run.map((each, i) => ({ x: dims[i] as number, y: y(each) }))))
    const measured = saidInterval(exponent)
    return observed(`${claim}, d = ${dims.join(', ')}`, `<= ${show(bound - lowered)} + 0.1`, {
      measured,
      passed: exponent.mean <= bound - lowered + 0.1,
    })
  }
  const horizon = amount(scale, { quick: 2048, full: 16_384 })
  const dims = scale === 'quick' ? [2, 4, 8] : [4, 8, 16, 32]
  const descents = bySeed(dims, (dim, seed) => unconstrained(dim, horizon, seed))
  const wide = scale === 'quick' ? [2, 4, 8] : [2, 4, 8, 16]
  const rounds = amount(scale, { quick: 1000, full: 4000 })
  const regrets = bySeed(wide, (dim, seed) => regretOf(dim, rounds, seed))
  return [
    remarked(
      within('Theorem 1: mean of (9)', 0.5, dims, descents, ({ measure }) => measure),
      `f = sqrt(1 + ||x||^2) from ||x|| = 3, whose constants are the same in every d; T = ${horizon}, mu = alpha = 1 / sqrt(Td), ` +
        `so that sqrt(d / T) is the larger of the theorem's two terms. Intervals are of 95 %, over ${seeds} seeds.`,
    ),
    remarked(
      within(
        'eq. (13): mean of ||grad f||^2 / mean of (9)',
        0.5 + logExponent(dims, horizon),
        dims,
        descents,
        (run) => run.squares / run.measure,
      ),
      'The bound is sqrt(d log(dT / delta)) with delta = 1 / (T sqrt d); its exponent over these d is predicted.',
    ),
    remarked(
      within(
        'Proposition 4: right side of (16) from the run',
        1.5 + logExponent(wide, rounds),
        wide,
        regrets,
        ({ bound }) => bound,
      ),
      `f = ||x|| in the box [-1/2, 1/2]^d from a corner, mu = d / sqrt(T), T = ${rounds}. Where f is smooth, sqrt(1 + ||x||^2), the ` +
        'estimates shrink near the solution and the exponents only come down towards 3/2 as T grows (tried once: 2.1 to 1.86).',
    ),
    within('Proposition 4: average regret R_T', 1.5, wide, regrets, ({ regret }) => regret),
    ...tightness(scale),
  ]
}

/** The exponent of d in sqrt(log(dT / delta)), delta = 1 / (T sqrt d). */
function logExponent(dims: readonly number[], horizon: number): number {
  return logLogSlope(dims.map((x) => ({ x, y: Math.sqrt(1.5 * Math.log(x) + 2 * Math.log(horizon)) })))
}

/** sqrt(1 + ||x||^2): D_f, L_g = 1, eta <= 1 and L_c = 1 depend on ||x|| alone. */
function value(x: Vector): number {
  return Math.sqrt(1 + squaredNorm(x))
}

/** Algorithm 1 with the settings of Theorem 1. */
function unconstrained(dim: number, horizon: number, seed: number): { measure: number; squares: number } {
  const width = smoothingForHorizon({ dim, iterations: horizon })
  const recipe = {
    estimator: forward({ along: sphere(), directions: 1, smoothing: width }),
    step: adaptiveMoments({ beta1: 0.2, beta2: 0.5, initialSecondMoment: 1e-4 }),
    learningRate: constant(width),
  }
  let [measure, squares] = [0, 0]
  const start = new Float64Array(dim).fill(3 / Math.sqrt(dim))
  follow(recipe, { value, start, iterations: horizon, seed }, ({ point, memory }) => {
    const length = value(point)
    const gradient = Float64Array.from(point, (each) => each / length)
    measure += unconstrainedMeasure(gradient, memory.maximum as Float64Array) / horizon
    squares += squaredNorm(gradient) / horizon
  })
  return { measure, squares }
}

/** Algorithm 1 with the settings of Proposition 4: its average regret against 0, and the right side of (16). */
function regretOf(dim: number, horizon: number, seed: number): { regret: number; bound: number } {
  const { alpha, beta1, beta2 } = regretSettings
  const recipe = {
    estimator: forward({ along: sphere(), directions: 1, smoothing: dim / Math.sqrt(horizon) }),
    step: adaptiveMoments({ beta1: inverse(beta1), beta2 }),
    learningRate: inverseSqrt(alpha),
  }
  const squares = new Float64Array(dim)
  let [regret, roots, lastRoots] = [0, 0, 0]
  const run = {
    value: (x: Vector) => Math.sqrt(squaredNorm(x)),
    start: new Float64Array(dim).fill(0.5),
    set: box({ lower: -0.5, upper: 0.5 }),
    iterations: horizon,
    seed,
  }
  follow(recipe, run, ({ point, estimate, iteration, memory }) => {
    regret += Math.sqrt(squaredNorm(point)) / horizon
    lastRoots = (memory.maximum as Float64Array).reduce((sum, each) => sum + Math.sqrt(each), 0)
    roots += (beta1 * lastRoots) / (alpha * Math.sqrt(iteration))
    for (const [i, each] of estimate.entries()) squares[i] = (squares[i] as number) + each * each
  })
  const lengths = squares.reduce((sum, each) => sum + Math.sqrt(each), 0)
  return { regret, bound: rightSide(horizon, lastRoots, roots, lengths) }
}

/** "This is a tight bound since when the function difference is a constant" ||g^||_inf = d |difference| / mu max_i |u_i|. */
function tightness(scale: Scale): Verdict[] {
  const dims = scale === 'quick' ? [10, 100, 1000] : [10, 100, 1000, 10_000]
  const draws = amount(scale, { quick: 50, full: 200 })
  let least = Number.POSITIVE_INFINITY
  const means = dims.map((dim) => {
    let sum = 0
    onSphere(dim, draws, 89, (u) => {
      const share = Math.sqrt(dim) * largestEntry(u)
      least = Math.min(least, share)
      sum += share / draws
    })
    return sum
  })
  const toLimit = means.map((mean, i) => mean / Math.sqrt(2 * Math.log(dims[i] as number)))
  return [
    remarked(
      atMost('Omega(sqrt d): sqrt(d) / (||g^||_inf / L_c), largest, f = the length of a step', 1, 1 / least, 1e-6),
      `In the mean ||g^||_inf is ${means.map(show).join(', ')} times sqrt(d) L_c for d = ${dims.join(', ')}.`,
    ),
    atMost(
      'the same, mean / sqrt(2 d log d): the bound of Proposition 3 is tight but for its constant',
      1,
      Math.max(...toLimit),
    ),
  ]
}
