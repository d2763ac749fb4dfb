import type { Memory } from '../core/types.ts'
import { exponential, logarithm } from '../kernels/functions.ts'
import { symmetricEigen } from '../numerics/matrices.ts'
import { dot, multiply, sum } from '../numerics/vectors.ts'

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
  const [above, below] = [sum(raw.subarray(0, parents)), -sum(raw.subarray(parents))]
  return raw.map((each, i) => (i < parents ? each / above : (negative * Math.min(each, 0)) / below))
}

function effective(weights: Float64Array): number {
  const all = sum(weights)
  return (all * all) / dot(weights, weights)
}

/** A generation that was ranked. Vectors are only lent. */
interface Learning {
  readonly strategy: Strategy
  /** How many generations there were before, since the last restart. */
  readonly generation: number
  /** The weighted mean of the parents' normals z, and the step A z. */
  readonly normal: Float64Array
  readonly step: Float64Array
  /** False where the step size grows too fast for the path of the covariance to follow (h_sigma). */
  readonly isSteady: boolean
  /** Gives all rows, best first, as normals z and as steps A z. */
  each(use: (rank: number, normal: Float64Array, step: Float64Array) => void): void
}

/** A covariance matrix C = A A' with A symmetric, or what stands for one. */
export interface CovarianceModel {
  readonly memory: Memory
  /** Back to the identity. */
  reset(): void
  /** into = A z. */
  stretch(z: Float64Array, into: Float64Array): void
  /** The z with A z = y; NaN where rounding hides it. */
  normalOf(y: Float64Array): Float64Array
  learn(from: Learning): void
  /** The root of the i-th entry of the diagonal. */
  deviation(i: number): number
  /** The largest eigenvalue in units of the smallest. */
  readonly condition: number
}

/** The model of a kind. Numbers kept: full 2 d^2 + d, separable 2 d, limited (4 + 3 ln d) d. */
export function covarianceModel(kind: CovarianceKind, dim: number): CovarianceModel {
  if (kind === 'full') return new FullCovariance(dim)
  return kind === 'separable' ? new SeparableCovariance(dim) : new LimitedCovariance(dim)
}

/** CMA-ES with rank-one, rank-mu and active updates (tutorial, eq. 24, 45 and 47). */
class FullCovariance implements CovarianceModel {
  readonly memory: Memory
  readonly #dim: number
  readonly #matrix: Float64Array
  /** The symmetric root of the matrix as it was when last decomposed. */
  readonly #root: Float64Array
  readonly #path: Float64Array
  readonly #state = { condition: 1 }

  constructor(dim: number) {
    this.#dim = dim
    this.#matrix = new Float64Array(dim * dim)
    this.#root = new Float64Array(dim * dim)
    this.#path = new Float64Array(dim)
    this.memory = { vectors: { matrix: this.#matrix, root: this.#root, path: this.#path }, state: this.#state }
    this.reset()
  }

  get condition(): number {
    return this.#state.condition
  }

  reset(): void {
    this.#path.fill(0)
    for (const matrix of [this.#matrix, this.#root]) {
      matrix.fill(0)
      for (let i = 0; i < this.#dim; i++) matrix[i * this.#dim + i] = 1
    }
    this.#state.condition = 1
  }

  stretch(z: Float64Array, into: Float64Array): void {
    multiply(this.#root, z, into)
  }

  normalOf(y: Float64Array): Float64Array {
    const n = this.#dim
    const { values, vectors } = symmetricEigen(this.#root, n)
    const shares = values.map(
      (value, k) => y.reduce((all, each, i) => all + each * (vectors[i * n + k] as number), 0) / value,
    )
    return y.map((_, i) => shares.reduce((all, share, k) => all + share * (vectors[i * n + k] as number), 0))
  }

  deviation(i: number): number {
    return Math.sqrt(this.#matrix[i * this.#dim + i] as number)
  }

  learn({ strategy, step, isSteady, each, generation }: Learning): void {
    const { cC, c1, cMu, muEff, weights } = strategy
    const n = this.#dim
    follow(this.#path, step, cC, isSteady ? muEff : 0)
    const lost = isSteady ? 0 : c1 * cC * (2 - cC)
    const kept = 1 + lost - c1 - cMu * sum(weights)
    for (let i = 0; i < n * n; i++) this.#matrix[i] = kept * (this.#matrix[i] as number)
    this.#add(c1, this.#path)
    each((rank, z, y) => {
      const weight = weights[rank] as number
      // Long steps would make the matrix indefinite: bad ones are all given the expected length (tutorial, eq. 46).
      this.#add(cMu * (weight < 0 ? (weight * n) / dot(z, z) : weight), y)
    })
    const gap = Math.max(1, Math.floor(1 / ((c1 + cMu) * n * 5)))
    if ((generation + 1) % gap === 0) this.#decompose()
  }

  /** Adds weight v v' to the lower triangle. */
  #add(weight: number, v: Float64Array): void {
    const n = this.#dim
    const matrix = this.#matrix
    for (let i = 0; i < n; i++) {
      const factor = weight * (v[i] as number)
      for (let j = 0, at = i * n; j <= i; j++, at++) matrix[at] = (matrix[at] as number) + factor * (v[j] as number)
    }
  }

  #decompose(): void {
    const n = this.#dim
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) this.#matrix[j * n + i] = this.#matrix[i * n + j] as number
    }
    if (!this.#matrix.every(Number.isFinite)) {
      this.#state.condition = Infinity
      return
    }
    const { values, vectors } = symmetricEigen(this.#matrix, n)
    const [least, most] = [values[0] as number, values[n - 1] as number]
    this.#state.condition = least > 0 ? most / least : Infinity
    if (!(least > 0)) return
    const roots = values.map(Math.sqrt)
    const scaled = vectors.map((each, at) => each * (roots[at % n] as number))
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0
        for (let k = 0; k < n; k++) sum += (scaled[i * n + k] as number) * (vectors[j * n + k] as number)
        this.#root[i * n + j] = sum
        this.#root[j * n + i] = sum
      }
    }
  }
}

/** A diagonal, learned by factors so that it stays positive with negative weights, too. */
class SeparableCovariance implements CovarianceModel {
  readonly memory: Memory
  readonly #deviations: Float64Array
  readonly #path: Float64Array
  readonly #change: Float64Array

  constructor(dim: number) {
    this.#deviations = new Float64Array(dim)
    this.#path = new Float64Array(dim)
    this.#change = new Float64Array(dim)
    this.memory = { vectors: { deviations: this.#deviations, path: this.#path } }
    this.reset()
  }

  get condition(): number {
    let [least, most] = [Infinity, 0]
    for (const each of this.#deviations) [least, most] = [Math.min(least, each), Math.max(most, each)]
    const ratio = most / least
    return ratio * ratio
  }

  reset(): void {
    this.#deviations.fill(1)
    this.#path.fill(0)
  }

  stretch(z: Float64Array, into: Float64Array): void {
    for (let i = 0; i < z.length; i++) into[i] = (this.#deviations[i] as number) * (z[i] as number)
  }

  normalOf(y: Float64Array): Float64Array {
    return y.map((each, i) => each / (this.#deviations[i] as number))
  }

  deviation(i: number): number {
    return this.#deviations[i] as number
  }

  learn({ strategy, step, isSteady, each }: Learning): void {
    const { cC, c1, cMu, muEff, weights } = strategy
    follow(this.#path, step, cC, isSteady ? muEff : 0)
    const change = this.#change
    for (let i = 0; i < change.length; i++) {
      const along = (this.#path[i] as number) / (this.#deviations[i] as number)
      change[i] = isSteady ? c1 * (along * along - 1) : 0
    }
    each((rank, z) => {
      const weight = cMu * (weights[rank] as number)
      for (let i = 0; i < change.length; i++) {
        change[i] = (change[i] as number) + weight * ((z[i] as number) * (z[i] as number) - 1)
      }
    })
    for (let i = 0; i < change.length; i++) {
      const factor = exponential(0.5 * Math.min(Math.max(change[i] as number, -1), 1))
      this.#deviations[i] = (this.#deviations[i] as number) * factor
    }
  }
}

/**
 * LM-MA-ES (Loshchilov, Glasmachers and Beyer, "Large Scale Black-Box Optimization by Limited-Memory Matrix Adaptation",
 * 2019, algorithm 1): A is a product of 4 + 3 ln d rank-one changes of the identity along paths of different lengths.
 */
class LimitedCovariance implements CovarianceModel {
  readonly memory: Memory
  readonly condition = 1
  readonly #paths: readonly Float64Array[]
  readonly #state = { used: 0 }

  constructor(dim: number) {
    const most = usualPopulation(dim)
    const all = new Float64Array(most * dim)
    this.#paths = Array.from({ length: most }, (_, j) => all.subarray(j * dim, (j + 1) * dim))
    this.memory = { vectors: { paths: all }, state: this.#state }
  }

  reset(): void {
    for (const path of this.#paths) path.fill(0)
    this.#state.used = 0
  }

  stretch(z: Float64Array, into: Float64Array): void {
    into.set(z)
    let rate = 1 / z.length
    for (const path of this.#paths.slice(0, this.#state.used)) {
      const along = rate * dot(path, into)
      for (let i = 0; i < into.length; i++) into[i] = (1 - rate) * (into[i] as number) + along * (path[i] as number)
      rate /= 1.5
    }
  }

  /** The changes undone, the last one first: (a I + r p p')^-1 = (I - r p p' / (a + r p'p)) / a. */
  normalOf(y: Float64Array): Float64Array {
    const z = y.slice()
    const used = this.#paths.slice(0, this.#state.used)
    const rates = used.map((_, k) => used.slice(0, k).reduce((rate) => rate / 1.5, 1 / y.length))
    for (const [k, path] of [...used.entries()].reverse()) {
      const rate = rates[k] as number
      const share = (rate * dot(path, z)) / (1 - rate + rate * dot(path, path))
      for (let i = 0; i < z.length; i++) z[i] = ((z[i] as number) - share * (path[i] as number)) / (1 - rate)
    }
    return z
  }

  deviation(): number {
    return 1
  }

  learn({ strategy, normal }: Learning): void {
    const { population, muEff } = strategy
    let rate = Math.min(1, population / normal.length)
    for (const path of this.#paths) {
      follow(path, normal, rate, muEff)
      rate /= 4
    }
    this.#state.used = Math.min(this.#state.used + 1, this.#paths.length)
  }
}

/** path = (1 - rate) path + sqrt(rate (2 - rate) muEff) step: as long as a normal vector where steps are at random. */
export function follow(path: Float64Array, step: Float64Array, rate: number, muEff: number): void {
  const weight = Math.sqrt(rate * (2 - rate) * muEff)
  for (let i = 0; i < path.length; i++) path[i] = (1 - rate) * (path[i] as number) + weight * (step[i] as number)
}
