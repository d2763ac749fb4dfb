import { adaptiveMoments, constant, inverse, type Move, type Schedule, type Step } from '../../src/index.ts'
import { beginOf } from './begin-of.ts'
import { drawnVector } from './vectors.ts'
import { amount, atMost, type Check, type Scale, type Verdict } from './verdict.ts'

const dim = 6
const seed = 61

interface Betas {
  readonly name: string
  readonly beta1: Schedule
  readonly beta2: number
}

const cases: readonly Betas[] = [
  { name: 'beta1 = 0.9, beta2 = 0.3', beta1: constant(0.9), beta2: 0.3 },
  { name: 'beta1 = 0.9 / t, beta2 = 0.99', beta1: inverse(0.9), beta2: 0.99 },
  { name: 'beta1 = beta2 = 0, with 0^0 = 1', beta1: constant(0), beta2: 0 },
]

/** Eq. (4): what the recurrences of Algorithm 1 add up to. */
export const closedForm: Check = {
  id: 'closed-form',
  statement: 'Closed form (4): m_t and v_t are weighted sums of all estimates, for m_0 = v_0 = 0.',
  run: (scale) =>
    closedFormVerdicts(scale, ({ beta1, beta2 }) => adaptiveMoments({ beta1, beta2, initialSecondMoment: 0 })),
}

/** The verdicts for a given implementation of the step. */
export function closedFormVerdicts(scale: Scale, stepFor: (betas: Betas) => Step): Verdict[] {
  const length = amount(scale, { quick: 30, full: 200 })
  return cases.map((betas) =>
    atMost(`${betas.name}: largest relative difference`, 1e-12, worst(betas, stepFor(betas), length)),
  )
}

function worst(betas: Betas, step: Step, length: number): number {
  const at = beginOf(dim)
  const stepping = step.start(at)
  const estimates: Float64Array[] = []
  let most = 0
  for (let t = 1; t <= length; t++) {
    estimates.push(drawnVector(seed, t, dim, 10))
    const move: Move = { direction: drawnVector(seed, t, dim, 10), squares: null, metricSquares: null }
    stepping.apply(move, t, at.start)
    for (let i = 0; i < dim; i++) {
      const sums = closed(betas, estimates, i)
      most = Math.max(most, relative(stepping.memory.vectors?.first?.[i] as number, sums.first, sums.size))
      most = Math.max(most, relative(stepping.memory.vectors?.second?.[i] as number, sums.second, sums.second))
    }
  }
  return most
}

/** The sums of eq. (4) for entry i after all estimates given; `size` is the sum of |terms| of m_t. */
function closed(
  betas: Betas,
  estimates: readonly Float64Array[],
  i: number,
): { first: number; second: number; size: number } {
  const t = estimates.length
  const sums = { first: 0, second: 0, size: 0 }
  estimates.forEach((estimate, index) => {
    const j = index + 1
    const g = estimate[i] as number
    // prod_{k=1}^{t-j} beta_{1,t-k+1}: the betas of the iterations after j.
    let keptFirst = 1
    let keptSecond = 1
    for (let k = 1; k <= t - j; k++) {
      keptFirst *= betas.beta1(t - k + 1)
      keptSecond *= betas.beta2
    }
    const term = keptFirst * (1 - betas.beta1(j)) * g
    sums.first += term
    sums.size += Math.abs(term)
    sums.second += (1 - betas.beta2) * keptSecond * g * g
  })
  return sums
}

function relative(measured: number, predicted: number, size: number): number {
  return Math.abs(measured - predicted) / size
}
