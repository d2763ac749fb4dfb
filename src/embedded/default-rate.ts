import { show, ZerothError } from '../core/errors.ts'
import { checkedWord } from './checked-word.ts'
import { attackProblems, type ProblemName, type Rates, rateIn, readRates } from './rates-file.ts'

/** The paper's learning rates for attacks on single images of 299 x 299 x 3 (Table A1 and its text). */
const paper: Pick<Rates, ProblemName> = {
  constrained: { 'zo-adamm': 0.01, 'zo-psgd': 1e-4, 'zo-smd': 3e-4, 'zo-nes': 9e-3 },
  unconstrained: { 'zo-adamm': 0.01, 'zo-sgd': 5e-4, 'zo-sign-sgd': 0.01, 'zo-scd': 1e-3 },
}

/** A rate that is known for a dimension. */
interface Anchor {
  readonly dim: number
  readonly rate: number
}

/**
 * A learning rate to begin with for attacks on any other model, by the number of pixel values: on a straight line, in
 * logarithms, between the tuned rates of the digits and of CIFAR-10 and the paper's. Undefined for a solver without any.
 */
export function defaultRate(problem: ProblemName, solver: string, dim: number): number | undefined {
  checkedWord('the problem', problem, attackProblems)
  if (!Number.isSafeInteger(dim) || dim < 1) {
    throw new ZerothError('invalid-option', `the dimension must be a whole number above 0, got ${show(dim)}`)
  }
  const anchors = anchorsOf(problem, solver)
  // Beyond either end, both neighbours are the anchor at that end.
  const upper = anchors.find((anchor) => anchor.dim >= dim) ?? anchors.at(-1)
  const lower = anchors.findLast((anchor) => anchor.dim <= dim) ?? anchors.at(0)
  return lower === undefined || upper === undefined ? undefined : between(lower, upper, dim)
}

function anchorsOf(problem: ProblemName, solver: string): Anchor[] {
  const sources = [
    { dim: 28 * 28, rates: readRates('digits') },
    { dim: 3 * 32 * 32, rates: readRates('cifar10') },
    { dim: 3 * 299 * 299, rates: paper },
  ]
  return sources.flatMap(({ dim, rates }) => {
    const rate = rateIn(rates[problem], solver)
    return rate === undefined ? [] : [{ dim, rate }]
  })
}

/** Three digits are more than is known of such a rate, and the same everywhere, unlike the last bits of logarithms. */
function between(lower: Anchor, upper: Anchor, dim: number): number {
  if (lower === upper) return upper.rate
  const share = Math.log(dim / lower.dim) / Math.log(upper.dim / lower.dim)
  const rate = lower.rate * Math.exp(share * Math.log(upper.rate / lower.rate))
  return Number(rate.toPrecision(3))
}
