import {
  adaptiveMoments,
  forward,
  inverseSqrt,
  quadratic,
  rosenbrock,
  type Step,
  sphere,
  sumOfSines,
  type TestProblem,
} from '../../src/index.ts'

import { follow } from './follow.ts'
import { difference, squaredNorm } from './vectors.ts'
import { amount, atMost, type Check, observed, remarked, type Scale, show, type Verdict } from './verdict.ts'

interface Betas {
  readonly beta1: number
  readonly beta2: number
}

/** Pairs with gamma = beta1 / beta2 < 1, from no memory to a long one. */
const allowed: readonly Betas[] = [
  { beta1: 0, beta2: 0.3 },
  { beta1: 0.2, beta2: 0.5 },
  { beta1: 0.8, beta2: 0.99 },
]

/** Steps are differences of points, whose last digits are lost; without momentum the bound is attained. */
const rounding = 1e-9

/** Gradients from 1e-3 to 1e6: the lemma says that their size does not matter. */
const problems: readonly TestProblem[] = [
  sumOfSines({ dim: 8 }),
  quadratic({ dim: 8, condition: 1e6 }),
  rosenbrock({ dim: 8 }),
]

/** The lemma that makes the step length independent of the size of the estimates. */
export const stepBound: Check = {
  id: 'step-bound',
  statement:
    'Step bound: ||x_{t+1} - x_t||^2 <= alpha_t^2 d (1-beta1) / ((1-beta2)(1-gamma)) for gamma = beta1/beta2 < 1.',
  run: (scale) => stepBoundVerdicts(scale, (betas) => adaptiveMoments(betas)),
}

/** The verdicts for a given implementation of the step. */
export function stepBoundVerdicts(scale: Scale, stepFor: (betas: Betas) => Step): Verdict[] {
  const iterations = amount(scale, { quick: 300, full: 3000 })
  const verdicts = allowed.map((betas) => {
    const ratios = problems.map((problem) => longestStep(problem, stepFor(betas), iterations) / bound(betas))
    return atMost(`beta = ${betas.beta1}, ${betas.beta2}: longest step / bound`, 1, Math.max(...ratios), rounding)
  })
  const usual = { beta1: 0.9, beta2: 0.3 }
  return [
    ...verdicts.slice(0, -1),
    remarked(
      verdicts.at(-1) as Verdict,
      'The printed proof sums j = 0..t-1 where (4) has j = 1..t; the bound is the same.',
    ),
    remarked(
      observed("the paper's own betas 0.9, 0.3", 'no bound: gamma = 3', {
        measured: `formula gives ${show(bound(usual))} alpha_t^2 d`,
        passed: bound(usual) < 0,
      }),
      'The settings of the experiments satisfy neither this lemma nor Proposition 2.',
    ),
  ]
}

/** The bound as a multiple of alpha_t^2 d. */
function bound({ beta1, beta2 }: Betas): number {
  return (1 - beta1) / ((1 - beta2) * (1 - beta1 / beta2))
}

/** The largest squared step as a multiple of alpha_t^2 d. */
function longestStep({ value, start, dim }: TestProblem, step: Step, iterations: number): number {
  const rate = inverseSqrt(0.05)
  const recipe = { estimator: forward({ along: sphere(), directions: 1 }), step, learningRate: rate }
  let longest = 0
  follow(recipe, { value, start, iterations }, ({ point, next, iteration }) => {
    const alpha = rate(iteration)
    longest = Math.max(longest, squaredNorm(difference(next, point)) / (alpha * alpha * dim))
  })
  return longest
}
