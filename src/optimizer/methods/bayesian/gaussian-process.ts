import { exponential, logarithm } from '../../kernels/functions.ts'
import { boxMinimum } from '../../numerics/box-minimum.ts'
import { factorRows, inverseRows, rowStart, solveColumns, solveFour, solveRows } from '../../numerics/packed-factor.ts'
import { dot, sum } from '../../numerics/vectors.ts'
import { type Domain, same } from './domain.ts'

const rootFive = 2.23606797749979
/** Added to the diagonal beside the nugget, against rounding. */
const jitter = 1e-9

/** What a process says of a point. */
export interface Belief {
  readonly mean: number
  readonly deviation: number
}

/** The same with slopes along all coordinates, 0 along categories. */
export interface Slopes extends Belief {
  readonly meanSlopes: Float64Array
  readonly deviationSlopes: Float64Array
}

/** What a process knows of coordinates: how many there are, and which are categories. */
type Kinds = Pick<Domain, 'dim' | 'isCategory'>

/** The first step of a fit: from the last lengths, the nearest of several peaks of the likelihood is wanted. */
const firstStep = 0.5

/** More than any unlikeliness. */
const impossible = 1e25

/**
 * A Gaussian process on the cube: Matern 5/2 with a length for every coordinate and a nugget, both as most likely a posteriori;
 * constant mean and amplitude are those that fit best.
 */
export class GaussianProcess {
  /** The logarithms of all lengths, and of the nugget: all that is kept of the process. */
  readonly theta: Float64Array
  readonly #domain: Kinds
  readonly #prior: { readonly mean: Float64Array; readonly deviation: Float64Array }
  readonly #bounds: { readonly lower: Float64Array; readonly upper: Float64Array }
  // What follows from theta and the data.
  #points: readonly Float64Array[] = []
  #used: Float64Array = new Float64Array(0)
  #inverseSquares: Float64Array = new Float64Array(0)
  #factor: Float64Array = new Float64Array(0)
  #ones: Float64Array = new Float64Array(0)
  #weights: Float64Array = new Float64Array(0)
  #mean = 0
  #variance = 1

  constructor(domain: Kinds) {
    const { dim, isCategory } = domain
    const numbers = Math.SQRT2 + 0.5 * logarithm(dim) - 1
    const each = (category: number, number: number, nugget: number): Float64Array =>
      Float64Array.from({ length: dim + 1 }, (_, i) => (i === dim ? nugget : isCategory[i] === 1 ? category : number))
    this.#domain = domain
    this.#prior = { mean: each(0.3, numbers, logarithm(1e-5)), deviation: each(1, 1.2, 4) }
    this.#bounds = {
      lower: each(logarithm(0.3), logarithm(0.03), logarithm(1e-7)),
      upper: each(logarithm(30), logarithm(60), 0),
    }
    this.theta = this.#usual()
  }

  /** The variance of noise and roughness as a share of that of the process. */
  get nugget(): number {
    return exponential(this.theta[this.#domain.dim] as number)
  }

  /** The values that the process was conditioned on are those of so many points. */
  get length(): number {
    return this.#points.length
  }

  /** Where fits begin that are not to depend on the last one. */
  #usual(): Float64Array {
    const { dim } = this.#domain
    return this.#prior.mean.map((mean, i) => (i === dim ? logarithm(1e-4) : mean - 0.3))
  }

  /** The most likely lengths and nugget, from the last ones and, if `anew`, from the usual ones, too. */
  fit(points: readonly Float64Array[], values: Float64Array, evaluations: number, anew: boolean): void {
    const minus = (theta: Float64Array, slopes: Float64Array): number =>
      this.unlikeliness(points, values, theta, slopes)
    const starts = anew ? [this.theta, this.#usual()] : [this.theta]
    const found = starts.map((start) => boxMinimum(minus, start, this.#bounds, { evaluations, firstStep }))
    const best = found.reduce((a, b) => (b.value < a.value ? b : a))
    if (best.value < impossible) this.theta.set(best.point)
  }

  /** Minus the logarithm of the posterior density of theta, but for a constant, and its slopes; 1e25 where there is no factor. */
  unlikeliness(
    points: readonly Float64Array[],
    values: Float64Array,
    theta: Float64Array,
    slopes: Float64Array,
  ): number {
    const n = values.length
    const { dim } = this.#domain
    const squares = inverseSquares(theta, dim)
    const nugget = exponential(theta[dim] as number)
    const { matrix, falls } = this.#covariances(points, squares, 1 + nugget + jitter)
    const factor = new Float64Array(rowStart(n))
    if (!factorRows(matrix, 0, n, factor)) return impossible
    const { weights, variance } = regression(factor, values)
    let all = 0.5 * n * logarithm(variance)
    for (let i = 0; i < n; i++) all += logarithm(factor[rowStart(i) + i] as number)
    theta.forEach((each, i) => {
      const deviation = this.#prior.deviation[i] as number
      const z = (each - (this.#prior.mean[i] as number)) / deviation
      all += 0.5 * z * z
      slopes[i] = z / deviation
    })
    const inverse = inverseRows(factor, n)
    let trace = 0
    for (let i = 0; i < n; i++) {
      const row = rowStart(i)
      const own = (weights[i] as number) / variance
      for (let j = 0; j < i; j++) {
        const excess = (inverse[row + j] as number) - own * (weights[j] as number)
        const weight = excess * (falls[row + j] as number)
        this.#addSquares(points[i] as Float64Array, points[j] as Float64Array, squares, weight, slopes)
      }
      trace += (inverse[row + i] as number) - own * (weights[i] as number)
    }
    slopes[dim] = (slopes[dim] as number) + 0.5 * nugget * trace
    return all
  }

  /** The covariances of all points, packed, and how they fall with half the squared distance. */
  #covariances(
    points: readonly Float64Array[],
    squares: Float64Array,
    own: number,
  ): { matrix: Float64Array; falls: Float64Array } {
    const matrix = new Float64Array(rowStart(points.length))
    const falls = new Float64Array(rowStart(points.length))
    points.forEach((point, i) => {
      const row = rowStart(i)
      for (let j = 0; j < i; j++) {
        const r = Math.sqrt(this.#distance(point, points[j] as Float64Array, squares))
        const e = exponential(-rootFive * r)
        matrix[row + j] = (1 + rootFive * r + (5 / 3) * r * r) * e
        falls[row + j] = (5 / 3) * (1 + rootFive * r) * e
      }
      matrix[row + i] = own
    })
    return { matrix, falls }
  }

  /** The squared distance in units of the lengths. */
  #distance(a: Float64Array, b: Float64Array, squares: Float64Array): number {
    const { dim, isCategory } = this.#domain
    let all = 0
    for (let i = 0; i < dim; i++) {
      const gap = (a[i] as number) - (b[i] as number)
      all += (squares[i] as number) * (isCategory[i] === 1 ? (Math.abs(gap) > same ? 1 : 0) : gap * gap)
    }
    return all
  }

  /** slopes_i += weight times the share of coordinate i in the squared distance. */
  #addSquares(a: Float64Array, b: Float64Array, squares: Float64Array, weight: number, slopes: Float64Array): void {
    const { dim, isCategory } = this.#domain
    for (let i = 0; i < dim; i++) {
      const gap = (a[i] as number) - (b[i] as number)
      const square = isCategory[i] === 1 ? (Math.abs(gap) > same ? 1 : 0) : gap * gap
      slopes[i] = (slopes[i] as number) + weight * (squares[i] as number) * square
    }
  }

  /**
   * Takes in data. The factor of the points that it has seen before, in the same order, stays; each further one adds a row.
   * Where no factor can be had, the nugget is larger for this once.
   */
  condition(points: readonly Float64Array[], values: Float64Array): void {
    const { dim } = this.#domain
    const theta = this.theta.slice()
    while (!this.#extend(points, theta)) theta[dim] = (theta[dim] as number) + 2.3
    const { ones, weights, mean, variance } = regression(this.#factor, values)
    this.#ones = ones
    this.#weights = weights
    this.#mean = mean
    this.#variance = variance
  }

  #extend(points: readonly Float64Array[], theta: Float64Array): boolean {
    const { dim } = this.#domain
    let kept = 0
    if (this.#used.length === dim + 1 && this.#used.every((each, i) => each === theta[i])) {
      while (kept < this.#points.length && this.#points[kept] === points[kept]) kept++
    }
    const n = points.length
    const own = 1 + exponential(theta[dim] as number) + jitter
    this.#used = theta.slice()
    this.#inverseSquares = inverseSquares(theta, dim)
    if (this.#factor.length < rowStart(n)) {
      const room = new Float64Array(rowStart(n + 32))
      room.set(this.#factor.subarray(0, rowStart(kept)))
      this.#factor = room
    }
    const rows = new Float64Array(rowStart(n))
    for (let i = kept; i < n; i++) {
      const row = rowStart(i)
      for (let j = 0; j < i; j++) rows[row + j] = this.#covariance(points[i] as Float64Array, points[j] as Float64Array)
      rows[row + i] = own
    }
    const isDefinite = factorRows(rows, kept, n, this.#factor)
    this.#points = isDefinite ? points : []
    return isDefinite
  }

  #covariance(a: Float64Array, b: Float64Array): number {
    const r = Math.sqrt(this.#distance(a, b, this.#inverseSquares))
    return (1 + rootFive * r + (5 / 3) * r * r) * exponential(-rootFive * r)
  }

  /** The weights with which covariances with the data give the mean, for other values than those it was given. */
  weightsOf(values: Float64Array): Float64Array {
    const weights = values.slice()
    solveRows(this.#factor, this.length, weights)
    solveColumns(this.#factor, this.length, weights)
    return weights
  }

  /** The scatter of values around their best mean, as the process correlates them: what a warp of values is judged by. */
  scatterOf(values: Float64Array): number {
    const ones = sum(this.#ones)
    const weights = this.weightsOf(values)
    const mean = sum(weights) / ones
    return Math.max((dot(values, weights) - mean * sum(weights)) / values.length, 1e-300)
  }

  /** What is believed of the points of the data, without the noise. */
  meansOf(values: Float64Array): Float64Array {
    const { dim } = this.#domain
    const noise = exponential(this.#used[dim] as number) + jitter
    return values.map((value, i) => value - noise * (this.#weights[i] as number))
  }

  /** What the data say of points; and the sum of covariances with the data times weights, where some are given. */
  predict(at: readonly Float64Array[], extra?: Float64Array): { beliefs: Belief[]; extras: number[] } {
    const n = this.length
    const beliefs: Belief[] = []
    const extras: number[] = []
    const block = new Float64Array(4 * n)
    for (let first = 0; first < at.length; first += 4) {
      const count = Math.min(4, at.length - first)
      for (let c = 0; c < 4; c++) {
        const x = at[first + Math.min(c, count - 1)] as Float64Array
        for (let i = 0; i < n; i++) block[4 * i + c] = this.#covariance(x, this.#points[i] as Float64Array)
      }
      const means = [0, 0, 0, 0].map((_, c) => this.#mean + strided(block, this.#weights, n, c))
      if (extra !== undefined) for (let c = 0; c < count; c++) extras.push(strided(block, extra, n, c))
      solveFour(this.#factor, n, block)
      for (let c = 0; c < count; c++) {
        let explained = 0
        for (let i = 0; i < n; i++) explained += (block[4 * i + c] as number) * (block[4 * i + c] as number)
        const deviation = Math.sqrt(this.#variance * Math.max(1 + jitter - explained, 1e-10))
        beliefs.push({ mean: means[c] as number, deviation })
      }
    }
    return { beliefs, extras }
  }

  /** The same for one point, with slopes. */
  slopes(x: Float64Array): Slopes {
    const n = this.length
    const { dim, isCategory } = this.#domain
    const squares = this.#inverseSquares
    const covariances = new Float64Array(n)
    const factors = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const r = Math.sqrt(this.#distance(x, this.#points[i] as Float64Array, squares))
      const e = exponential(-rootFive * r)
      covariances[i] = (1 + rootFive * r + (5 / 3) * r * r) * e
      factors[i] = (5 / 3) * (1 + rootFive * r) * e
    }
    const mean = this.#mean + dot(covariances, this.#weights)
    const solved = covariances.slice()
    solveRows(this.#factor, n, solved)
    const deviation = Math.sqrt(this.#variance * Math.max(1 + jitter - dot(solved, solved), 1e-10))
    solveColumns(this.#factor, n, solved)
    const meanSlopes = new Float64Array(dim)
    const deviationSlopes = new Float64Array(dim)
    for (let i = 0; i < n; i++) {
      const point = this.#points[i] as Float64Array
      const forMean = -(factors[i] as number) * (this.#weights[i] as number)
      const forDeviation = ((factors[i] as number) * (solved[i] as number) * this.#variance) / deviation
      for (let j = 0; j < dim; j++) {
        if (isCategory[j] === 1) continue
        const gap = ((x[j] as number) - (point[j] as number)) * (squares[j] as number)
        meanSlopes[j] = (meanSlopes[j] as number) + forMean * gap
        deviationSlopes[j] = (deviationSlopes[j] as number) + forDeviation * gap
      }
    }
    return { mean, deviation, meanSlopes, deviationSlopes }
  }

  /** How well each value is foretold by all others: the correlation of the two. */
  foresight(values: Float64Array): number {
    const n = this.length
    const inverse = inverseRows(this.#factor, n)
    const foretold = values.map(
      (value, i) => value - (this.#weights[i] as number) / (inverse[rowStart(i) + i] as number),
    )
    return correlation(foretold, values)
  }
}

function inverseSquares(theta: Float64Array, dim: number): Float64Array {
  return theta.subarray(0, dim).map((each) => exponential(-2 * each))
}

/** Sum over i of block[4 i + c] weights[i]. */
function strided(block: Float64Array, weights: Float64Array, n: number, c: number): number {
  let all = 0
  for (let i = 0; i < n; i++) all += (block[4 * i + c] as number) * (weights[i] as number)
  return all
}

/** The constant and the variance that fit best, and K^-1 times ones and times what is left of the values. */
function regression(
  factor: Float64Array,
  values: Float64Array,
): { ones: Float64Array; weights: Float64Array; mean: number; variance: number } {
  const n = values.length
  const ones = new Float64Array(n).fill(1)
  solveRows(factor, n, ones)
  solveColumns(factor, n, ones)
  const mean = dot(ones, values) / sum(ones)
  const rest = values.map((value) => value - mean)
  const weights = rest.slice()
  solveRows(factor, n, weights)
  solveColumns(factor, n, weights)
  return { ones, weights, mean, variance: Math.max(dot(rest, weights) / n, 1e-300) }
}

/** The correlation of two lists; 0 where one of them does not vary. */
function correlation(a: Float64Array, b: Float64Array): number {
  const centred = (list: Float64Array): Float64Array => {
    const mean = sum(list) / list.length
    return list.map((each) => each - mean)
  }
  const [x, y] = [centred(a), centred(b)]
  const size = Math.sqrt(dot(x, x) * dot(y, y))
  return a.length > 3 && size > 0 ? dot(x, y) / size : 0
}
