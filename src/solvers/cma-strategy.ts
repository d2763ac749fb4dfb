import { logarithm } from '../kernels/logarithm.ts'

/** How CMA-ES describes the covariance of its populations. */
export type CovarianceKind = 'full' | 'separable' | 'limited'

/** The constants of CMA-ES for one size of the population, named as in Hansen, "The CMA Evolution Strategy: A Tutorial". */
export interface Strategy {
  readonly population: number
  /** Weights by rank, best first: the first `parents` are above 0 and add up to 1, the others below or 0. */
  readonly weights: Float64Array
  readonly parents: number
  /** The effective number of parents, 1 / (the sum of their squared weights). */
  readonly muEff: number
  /** Rates of the two paths, damping of the step size, and rates of the covariance. */
  readonly cSigma: number
  readonly dSigma: number
  readonly cC: number
  readonly c1: number
  readonly cMu: number
}

/** The usual population: 4 + 3 ln d. */
export function usualPopulation(dim: number): number {
  return 4 + Math.floor(3 * logarithm(dim))
}

/** The constants for a dimension and a population (tutorial, table 1). */
export function strategyOf(dim: number, population: number, kind: CovarianceKind): Strategy {
  const middle = logarithm((population + 1) / 2)
  const raw = Float64Array.from({ length: population }, (_, i) => middle - logarithm(i + 1))
  const parents = population >> 1
  const muEff = effective(raw.subarray(0, parents))
  const rates = kind === 'full' ? fullRates(dim, population, muEff) : separableRates(dim, muEff)
  const crowd = Math.max(0, Math.sqrt((muEff - 1) / (dim + 1)) - 1)
  const cSigma = kind === 'limited' ? Math.min(0.5, (2 * population) / dim) : (muEff + 2) / (dim + muEff + 3)
  // LM-MA-ES halves the rate instead of damping it (Loshchilov, Glasmachers and Beyer, 2019, algorithm 1, line 17).
  const dSigma = kind === 'limited' ? 2 + 4 * crowd : 1 + 2 * crowd + cSigma
  const weights = finished(raw, parents, muEff, dim, rates, kind)
  return { population, weights, parents, muEff, cSigma, dSigma, ...rates }
}

interface Rates {
  readonly cC: number
  readonly c1: number
  readonly cMu: number
}

function fullRates(n: number, population: number, muEff: number): Rates {
  const c1 = (Math.min(1, population / 6) * 2) / ((n + 1.3) * (n + 1.3) + muEff)
  const cMu = Math.min(1 - c1, (2 * (0.25 + muEff + 1 / muEff - 2)) / ((n + 2) * (n + 2) + muEff))
  return { cC: (4 + muEff / n) / (n + 4 + (2 * muEff) / n), c1, cMu }
}

/** A diagonal has n numbers, not n^2: it learns faster (Akimoto and Hansen, 2020, as pycma has them). */
function separableRates(n: number, muEff: number): Rates {
  const root = Math.sqrt(n)
  const c1 = 1 / (n + 2 * root + muEff / n)
  const cMu = Math.min(1 - c1, (0.25 + muEff + 1 / muEff - 2) / (n + 4 * root + muEff / 2))
  return { cC: (1 + 1 / n + muEff / n) / (root + 1 / n + (2 * muEff) / n), c1, cMu }
}

/** Positive weights add up to 1, negative ones to what keeps the covariance in balance and positive (tutorial, eq. 50 to 53). */
function finished(
  raw: Float64Array,
  parents: number,
  muEff: number,
  n: number,
  { c1, cMu }: Rates,
  kind: CovarianceKind,
): Float64Array {
  const muEffMinus = effective(raw.subarray(parents))
  const balanced = 1 + c1 / cMu
  const limit = 1 + (2 * muEffMinus) / (muEff + 2)
  // The update of a diagonal is multiplicative and stays positive by itself.
  const definite = kind === 'full' ? (1 - c1 - cMu) / (n * cMu) : Infinity
  const negative = Math.min(balanced, limit, definite)
  const [above, below] = [total(raw.subarray(0, parents)), -total(raw.subarray(parents))]
  return raw.map((each, i) => (i < parents ? each / above : (negative * Math.min(each, 0)) / below))
}

function effective(weights: Float64Array): number {
  const sum = total(weights)
  return (sum * sum) / total(weights.map((each) => each * each))
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0)
}
