import { adaptiveMoments, forward, inverseSqrt, rotatedQuadratic, type Step, sphere } from '../../src/index.ts'
import { follow } from './follow.ts'
import { largestEntry } from './vectors.ts'
import { amount, type Check, observed, remarked, type Scale, type Verdict } from './verdict.ts'

const dim = 12
const initial = 1e-5

/** Facts about Algorithm 1's moments that every proof starts from. */
export const monotoneMoments: Check = {
  id: 'monotone-moments',
  statement:
    'Moments: vhat never falls, alpha_t / sqrt(vhat_t) never rises, m and vhat stay within the largest estimate.',
  run: (scale) => monotoneMomentVerdicts(scale, (v0) => adaptiveMoments({ initialSecondMoment: v0 })),
}

/** The verdicts for a given implementation of the step; its memory must hold `first`, `second` and `maximum`. */
export function monotoneMomentVerdicts(scale: Scale, stepFrom: (initialSecondMoment: number) => Step): Verdict[] {
  const small = violations(scale, stepFrom(initial), initial)
  const large = violations(scale, stepFrom(1e8), 1e8)
  const never = (claim: string, count: number): Verdict =>
    observed(claim, `0 of ${small.entries}`, { measured: String(count), passed: count === 0 })
  return [
    never('entries with vhat_t < vhat_{t-1} or vhat_t < v_t', small.fallen),
    never('entries with alpha_t / sqrt(vhat_t) > alpha_{t-1} / sqrt(vhat_{t-1})', small.risen),
    never('entries with |m_t| > the largest estimate so far', small.outgrown),
    never('entries with sqrt(vhat_t) > the largest estimate so far (after Theorem 1)', small.above),
    remarked(
      observed('the same from vhat_0 = 1e8', 'fails', {
        measured: `${large.above} of ${large.entries}`,
        passed: large.above > 0,
      }),
      'The relation printed after Theorem 1 also needs sqrt(vhat_0) to be at most the largest estimate.',
    ),
  ]
}

interface Violations {
  readonly entries: number
  readonly fallen: number
  readonly risen: number
  readonly outgrown: number
  readonly above: number
}

/** Counts, over all entries of a run, how often each fact fails. */
function violations(scale: Scale, step: Step, initialMaximum: number): Violations {
  const problem = rotatedQuadratic({ dim, condition: 20 })
  const rate = inverseSqrt(0.1)
  const recipe = { estimator: forward({ along: sphere(), directions: 2 }), step, learningRate: rate }
  const rateBefore = (iteration: number): number => (iteration === 1 ? Infinity : rate(iteration - 1))
  const before = new Float64Array(dim).fill(initialMaximum)
  const count = { entries: 0, fallen: 0, risen: 0, outgrown: 0, above: 0 }
  let largest = 0
  follow(
    recipe,
    { value: problem.value, start: problem.start, iterations: amount(scale, { quick: 300, full: 5000 }) },
    ({ memory, estimate, iteration }) => {
      // Weighted means are rounded three times, so they may pass the largest value by that much.
      largest = Math.max(largest, largestEntry(estimate) * (1 + 1e-15))
      for (let i = 0; i < dim; i++) {
        const entry = (of: string): number => memory[of]?.[i] as number
        const was = before[i] as number
        const now = entry('maximum')
        count.entries++
        // Written so that a moment that is missing or NaN counts as a violation.
        if (!(now >= was && now >= entry('second'))) count.fallen++
        if (!(rate(iteration) / Math.sqrt(now) <= rateBefore(iteration) / Math.sqrt(was))) count.risen++
        if (!(Math.abs(entry('first')) <= largest)) count.outgrown++
        if (!(Math.sqrt(now) <= largest)) count.above++
        before[i] = now
      }
    },
  )
  return count
}
