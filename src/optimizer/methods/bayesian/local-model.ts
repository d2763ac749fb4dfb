import { exponential, logarithm } from '../../kernels/functions.ts'
import { randomUniform } from '../../kernels/random.ts'
import { boxMinimum } from '../../numerics/box-minimum.ts'
import { factorRows, rowStart, solveColumns, solveRows } from '../../numerics/packed-factor.ts'
import { dot, median } from '../../numerics/vectors.ts'

const rootFive = 2.23606797749979

/** The weight of the squared inner product: what a quadratic is made of, beside the inner product itself. */
const quadraticShare = 0.3
/** Shares of the Matern part, and its lengths in radii, among which the likelihood chooses. */
const roughShares = [1e-6, 1e-3, 0.1, 1]
const roughLengths = [1.5, 4]
/** Variances of noise among which it chooses where answers vary, as shares of the roughness plus 1. */
const noises = [1e-3, 0.03, 1]
const noNoise = [1e-10]

/** Values at places around a centre, in radii, with what is to be added to the variance of each. */
interface LocalData {
  readonly places: readonly Float64Array[]
  readonly values: Float64Array
  readonly variances: Float64Array
  readonly isNoisy: boolean
}

interface Kernel {
  readonly rough: number
  readonly length: number
  readonly factor: Float64Array
  readonly likelihood: number
  readonly mean: number
  readonly variance: number
  /** L^-1 (values - mean). */
  readonly whitened: Float64Array
}

/**
 * A Gaussian process around a point: its kernel z'z + 0.3 (z'z)^2 + a Matern one is that of a quadratic with something rough
 * added to it, in places z in units of the radius.
 */
export class LocalModel {
  readonly #data: LocalData
  readonly #kernel: Kernel
  readonly #weights: Float64Array
  /** Values are reckoned from the lowest, in units of their median distance from it. */
  readonly #lowest: number
  readonly #unit: number

  private constructor(data: LocalData, kernel: Kernel, lowest: number, unit: number) {
    this.#data = data
    this.#kernel = kernel
    this.#lowest = lowest
    this.#unit = unit
    this.#weights = kernel.whitened.slice()
    solveColumns(kernel.factor, data.values.length, this.#weights)
  }

  /** The most likely of all; undefined where no factor can be had. */
  static fit(data: LocalData): LocalModel | undefined {
    const lowest = data.values.reduce((a, b) => Math.min(a, b))
    const unit = unitOf(data.values, lowest)
    const values = data.values.map((each) => (each - lowest) / unit)
    let best: Kernel | undefined
    for (const length of roughLengths) {
      const [smooth, rough] = kernelParts(data.places, length)
      for (const share of roughShares) {
        for (const noise of data.isNoisy ? noises : noNoise) {
          const kernel = kernelOf(smooth, rough, { ...data, values }, { rough: share, length, noise })
          if (kernel !== undefined && !(kernel.likelihood >= (best?.likelihood ?? Infinity))) best = kernel
        }
      }
    }
    return best && new LocalModel(data, best, lowest, unit)
  }

  /** The mean at a place, in own units. */
  mean(z: Float64Array): number {
    return this.#lowest + this.#unit * this.bound(z, 0)
  }

  /** The same as `bound`, reckoned from 0 and not from the lowest value. */
  level(z: Float64Array, deviations: number, slopes?: Float64Array): number {
    return this.bound(z, deviations, slopes) + this.#lowest / this.#unit
  }

  /** The mean less so many deviations, in units of the model; writes the slopes where they are wanted. */
  bound(z: Float64Array, deviations: number, slopes?: Float64Array): number {
    const { places } = this.#data
    const { rough, length, factor, mean, variance } = this.#kernel
    const n = places.length
    const covariances = new Float64Array(n)
    const along = new Float64Array(n)
    const apart = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const place = places[i] as Float64Array
      const inner = dot(place, z)
      const r = distance(place, z) / length
      const e = exponential(-rootFive * r)
      covariances[i] = inner + quadraticShare * inner * inner + rough * (1 + rootFive * r + (5 / 3) * r * r) * e
      along[i] = 1 + 2 * quadraticShare * inner
      apart[i] = (-rough * (5 / 3) * (1 + rootFive * r) * e) / (length * length)
    }
    const value = mean + dot(covariances, this.#weights)
    const add = (weights: Float64Array, factorOf: number): void => {
      if (slopes === undefined) return
      for (let i = 0; i < n; i++) {
        const place = places[i] as Float64Array
        const w = factorOf * (weights[i] as number)
        const toPlace = w * ((along[i] as number) - (apart[i] as number))
        const toHere = w * (apart[i] as number)
        for (let j = 0; j < z.length; j++) {
          slopes[j] = (slopes[j] as number) + toPlace * (place[j] as number) + toHere * (z[j] as number)
        }
      }
    }
    slopes?.fill(0)
    add(this.#weights, 1)
    if (deviations === 0) return value
    solveRows(factor, n, covariances)
    const square = dot(z, z)
    const own = square + quadraticShare * square * square + rough
    const deviation = Math.sqrt(variance * Math.max(own - dot(covariances, covariances), 1e-14))
    if (slopes !== undefined) {
      solveColumns(factor, n, covariances)
      const share = (deviations * variance) / deviation
      add(covariances, share)
      const outward = share * (1 + 2 * quadraticShare * square)
      for (let j = 0; j < z.length; j++) slopes[j] = (slopes[j] as number) - outward * (z[j] as number)
    }
    return value - deviations * deviation
  }

  /** Where `bound` is lowest: from the centre and the two best of some random places. */
  lowest(
    bounds: { readonly lower: Float64Array; readonly upper: Float64Array },
    deviations: number,
    at: { seed: number; iteration: number; row: number },
  ): Float64Array {
    const { lower, upper } = bounds
    const inside = (share: (j: number) => number): Float64Array =>
      lower.map((low, j) => low + share(j) * ((upper[j] as number) - low))
    const tried = Array.from({ length: 40 }, (_, k) =>
      inside((j) => randomUniform(at, 'coordinates', k * lower.length + j)),
    )
    const values = tried.map((z) => this.bound(z, deviations))
    const order = Int32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number) || a - b)
    const centre = lower.map((low, j) => Math.min(Math.max(0, low), upper[j] as number))
    const starts = [centre, tried[order[0] as number], tried[order[1] as number]] as Float64Array[]
    const found = starts.map((z) =>
      boxMinimum((x, slopes) => this.bound(x, deviations, slopes), z, bounds, { evaluations: 40 }),
    )
    return found.reduce((a, b) => (b.value < a.value ? b : a)).point
  }

  /** The second derivatives of the mean at the centre, in own units over the square of the radius. */
  hessian(): Float64Array {
    const { places } = this.#data
    const { rough, length } = this.#kernel
    const d = (places[0] as Float64Array).length
    const made = new Float64Array(d * d)
    places.forEach((place, i) => {
      const r = Math.sqrt(dot(place, place)) / length
      const e = exponential(-rootFive * r)
      const weight = this.#unit * (this.#weights[i] as number)
      const even = (-rough * (5 / 3) * (1 + rootFive * r) * e) / (length * length)
      const outer = 2 * quadraticShare + (rough * (25 / 3) * e) / (length * length * length * length)
      for (let a = 0; a < d; a++) {
        made[a * d + a] = (made[a * d + a] as number) + weight * even
        for (let b = 0; b < d; b++) {
          const product = (place[a] as number) * (place[b] as number)
          made[a * d + b] = (made[a * d + b] as number) + weight * outer * product
        }
      }
    })
    return made
  }
}

/** The distance of the median from the lowest value; that of the highest where more than half are the lowest. */
export function unitOf(values: Float64Array, lowest: number): number {
  const unit = median(values) - lowest
  return unit > 0 ? unit : Math.max(values.reduce((a, b) => Math.max(a, b)) - lowest, 1e-300)
}

function distance(a: Float64Array, b: Float64Array): number {
  let all = 0
  for (let j = 0; j < a.length; j++) {
    const gap = (a[j] as number) - (b[j] as number)
    all += gap * gap
  }
  return Math.sqrt(all)
}

/** The quadratic part of the kernel and the Matern part, both packed. */
function kernelParts(places: readonly Float64Array[], length: number): [Float64Array, Float64Array] {
  const n = places.length
  const smooth = new Float64Array(rowStart(n))
  const rough = new Float64Array(rowStart(n))
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const inner = dot(places[i] as Float64Array, places[j] as Float64Array)
      const r = distance(places[i] as Float64Array, places[j] as Float64Array) / length
      smooth[rowStart(i) + j] = inner + quadraticShare * inner * inner
      rough[rowStart(i) + j] = (1 + rootFive * r + (5 / 3) * r * r) * exponential(-rootFive * r)
    }
  }
  return [smooth, rough]
}

function kernelOf(
  smooth: Float64Array,
  rough: Float64Array,
  { values, variances }: LocalData,
  { rough: share, length, noise }: { rough: number; length: number; noise: number },
): Kernel | undefined {
  const n = values.length
  const factor = smooth.map((each, at) => each + share * (rough[at] as number))
  // Against rounding, a share of what the kernel itself comes to: variances of far points may be much larger.
  let trace = 0
  for (let i = 0; i < n; i++) trace += factor[rowStart(i) + i] as number
  for (let i = 0; i < n; i++) {
    const at = rowStart(i) + i
    factor[at] = (factor[at] as number) + noise * (1 + share) + (variances[i] as number) + (1e-11 * trace) / n
  }
  if (!factorRows(factor, 0, n, factor)) return undefined
  const ones = new Float64Array(n).fill(1)
  const whitened = values.slice()
  solveRows(factor, n, ones)
  solveRows(factor, n, whitened)
  const mean = dot(ones, whitened) / dot(ones, ones)
  for (let i = 0; i < n; i++) whitened[i] = (whitened[i] as number) - mean * (ones[i] as number)
  const variance = Math.max(dot(whitened, whitened) / n, 1e-300)
  let likelihood = 0.5 * n * logarithm(variance)
  for (let i = 0; i < n; i++) likelihood += logarithm(factor[rowStart(i) + i] as number)
  return { rough: share, length, factor, likelihood, mean, variance, whitened }
}
