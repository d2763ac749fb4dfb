import { adaptiveMoments, forward, inverseSqrt, linear, sphere, sumOfSines, wholeSpace } from '../../src/index.ts'
import { follow } from './follow.ts'
import { gradientMapping } from './projected-step.ts'
import { difference, drawnMetric, drawnVector, largestEntry, squaredNorm, weightedSquare } from './vectors.ts'
import { amount, atMost, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

const dim = 6
const beta1 = 0.6

/** Steps of the proofs that are printed with a slip: the corrected line holds, the printed one does not. */
export const proofSlips: Check = {
  id: 'proof-slips',
  statement: 'Steps of the proofs: the lemma on z_t, and three lines that hold once a slip in them is corrected.',
  run: (scale) => proofSlipVerdicts(scale, beta1),
}

/** The verdicts for a z_t made with the given beta1, which should be that of the run. */
export function proofSlipVerdicts(scale: Scale, beta: number): Verdict[] {
  const iterations = amount(scale, { quick: 200, full: 2000 })
  const { lemma, corrected, printed } = sequence(iterations, beta)
  const moment = secondMoments(iterations)
  const lengths = mappings(amount(scale, { quick: 50, full: 500 }))
  const fails = (claim: string, measured: number, limit: number): Verdict =>
    observed(claim, `> ${show(limit)}: fails`, { measured: show(measured), passed: measured > limit })
  return [
    atMost('lemma on z_t: largest |z_{t+1} - z_t - its right side| / largest step', 1e-12, lemma),
    atMost('z_{t+1} - z_t from two steps of x, with - beta1 / (1 - beta1): the same error', 1e-12, corrected),
    remarked(
      fails('the same with the printed +', printed, 1e-3),
      'A slip of the sign before the squares are taken: the inequality that follows holds with either.',
    ),
    atMost('sum_i vhat_{T,i} / (d max_t ||g^_t||_inf^2)', 1, moment.squared),
    remarked(
      fails('the same with the printed ||g^_t||_inf, not squared', moment.printed, 1),
      'Printed in the last step of the proof of Theorem 2.',
    ),
    atMost('||P||^2 / (||Vhat^1/4 P||^2 / c), c <= Vhat^1/2', 1, lengths.corrected, 1e-12),
    remarked(
      fails('the same with the printed 1 / c^2, c > 1', lengths.printed, 1),
      'In the descent step of Theorem 2. Its end has alpha - L_g alpha^2 / (2c) again, which 1 / c gives.',
    ),
  ]
}

/** How far z_t is from the lemma on it, and from the sum of two steps with either sign. */
function sequence(iterations: number, beta: number): { lemma: number; corrected: number; printed: number } {
  const { value, start } = sumOfSines({ dim })
  const rate = inverseSqrt(0.1)
  const share = beta / (1 - beta)
  const recipe = {
    estimator: forward({ along: sphere() }),
    step: adaptiveMoments({ beta1, beta2: 0.9, initialSecondMoment: 1e-2 }),
    learningRate: rate,
  }
  let stepBefore: Float64Array = new Float64Array(dim)
  let first: Float64Array = new Float64Array(dim)
  let scale: Float64Array = new Float64Array(dim)
  const worst = { lemma: 0, corrected: 0, printed: 0 }
  let longest = 0
  follow(recipe, { value, start, iterations }, ({ iteration, point, next, estimate, memory }) => {
    const step = difference(next, point)
    const now = Float64Array.from(memory.maximum as Float64Array, (each) => rate(iteration) / Math.sqrt(each))
    const z = point.map((each, i) => each + share * (stepBefore[i] as number))
    const change = next.map((each, i) => each + share * (step[i] as number) - (z[i] as number))
    const off = (right: (i: number) => number): number =>
      change.reduce((most, each, i) => Math.max(most, Math.abs(each - right(i))), 0)
    const entry = (of: Float64Array, i: number): number => of[i] as number
    longest = Math.max(longest, largestEntry(step))
    worst.lemma = Math.max(
      worst.lemma,
      off(
        (i) =>
          -share * (entry(now, i) - (iteration === 1 ? 0 : entry(scale, i))) * entry(first, i) -
          entry(now, i) * entry(estimate, i),
      ),
    )
    const both = (sign: number) => (i: number) => entry(step, i) / (1 - beta) + sign * share * entry(stepBefore, i)
    worst.corrected = Math.max(worst.corrected, off(both(-1)))
    worst.printed = Math.max(worst.printed, off(both(1)))
    stepBefore = step
    scale = now
    first = Float64Array.from(memory.first as Float64Array)
  })
  return { lemma: worst.lemma / longest, corrected: worst.corrected / longest, printed: worst.printed / longest }
}

/** The sum of vhat_T against d times the largest entry, squared and not, on a steep linear function. */
function secondMoments(iterations: number): { squared: number; printed: number } {
  const problem = linear({ dim })
  const recipe = {
    estimator: forward({ along: sphere() }),
    step: adaptiveMoments({ beta1, beta2: 0.9, initialSecondMoment: 0 }),
    learningRate: inverseSqrt(0.1),
  }
  let [largest, sum] = [0, 0]
  follow(recipe, { value: (x) => 100 * problem.value(x), start: problem.start, iterations }, (seen) => {
    largest = Math.max(largest, largestEntry(seen.estimate))
    sum = (seen.memory.maximum as Float64Array).reduce((total, each) => total + each, 0)
  })
  return { squared: sum / (dim * largest * largest), printed: sum / (dim * largest) }
}

/** ||P||^2 against ||Vhat^1/4 P||^2 / c and / c^2, for drawn metrics of which the smallest entry is c = 3. */
function mappings(trials: number): { corrected: number; printed: number } {
  const c = 3
  const most = { corrected: 0, printed: 0 }
  for (let trial = 0; trial < trials; trial++) {
    const drawn = drawnMetric(83, 2 * trial, dim)
    const smallest = Math.min(...drawn)
    const metric = drawn.map((each) => (c * each) / smallest)
    const vector = drawnVector(83, 2 * trial + 1, dim)
    const mapping = gradientMapping(wholeSpace(), new Float64Array(dim), vector, metric, 0.1)
    const ratio = squaredNorm(mapping) / weightedSquare(metric, mapping)
    most.corrected = Math.max(most.corrected, c * ratio)
    most.printed = Math.max(most.printed, c * c * ratio)
  }
  return most
}
