import {
  believe,
  type NormalEquations,
  normalEquations,
  type Posterior,
  posterior,
  takeIn,
} from '../algebra/bayesian-regression.ts'
import { solveUpper } from '../algebra/cholesky.ts'
import { quadraticSize, recenter, writeMonomials } from '../algebra/full-quadratic.ts'
import type { Memory } from '../core/types.ts'
import type { AskedPoints } from '../staged/asked-points.ts'
import { sizeOf } from '../staged/coordinates.ts'
import type { NoisyGround } from './noisy-quasi-newton.ts'

/** What regression needs beside the ground: the points asked so far, and a matrix. */
export interface RegressionGround extends NoisyGround {
  readonly asked: AskedPoints
  readonly curvature: NoisyGround['curvature'] & { readonly matrix: Float64Array }
}

/** A quadratic around the center, in u = (x - center) / scales; values in standard deviations of the noise above `base`. */
export interface Model {
  readonly mean: Float64Array
  readonly sigma: number
  readonly scales: Float64Array
  readonly base: number
  /** How many points it rests on. */
  readonly points: number
  /** A quadratic drawn at random from all that fit, by P standard normals. */
  draw(normals: ArrayLike<number>): Float64Array
}

/** How a model is made anew. */
export interface Making {
  /** Curvatures along the coordinates, which scale them; the value at the center. */
  readonly curvatures: Float64Array
  readonly value: number
  readonly radius: number
  /** How many points it takes at most. */
  readonly most: number
}

/** How sure the prior is: of the value, of slopes, of entries of the Hessian (as the quasi-Newton matrix has them). */
const sureness = { value: 1e-6, slope: 1e-4, hessian: 4 }

/** Models of up to this many numbers are made anew for each batch. Larger ones take in answers for `size / 20` batches. */
const smallModel = 45

/** Points written out at a time. */
const chunk = 32

/**
 * Bayesian regression of a full quadratic on the points asked nearby. A point that is far counts less, by what a cubic term
 * would do there. To make a model takes points x P^2 / 2 multiplications, to take in an answer P^2 / 2.
 */
export class NearbyQuadratic {
  readonly memory: Memory
  readonly #ground: RegressionGround
  readonly #equations: NormalEquations
  readonly #factor: Float64Array
  readonly #rows: Float64Array
  /** Where the model was made, and in what units. */
  readonly #origin: Float64Array
  readonly #scales: Float64Array
  readonly #state = { batches: 0, sigma: 1, base: 0, radius: 1, points: 0 }
  /** Batches that a model lasts. */
  readonly #lasts: number

  constructor(ground: RegressionGround) {
    const { dim } = ground.at
    const size = quadraticSize(dim)
    this.#ground = ground
    this.#equations = normalEquations(size)
    this.#factor = new Float64Array(size * size)
    this.#rows = new Float64Array(chunk * size)
    this.#origin = new Float64Array(dim)
    this.#scales = new Float64Array(dim)
    this.#lasts = size <= smallModel ? 1 : Math.ceil(size / 20)
    const vectors = { ...this.#equations, origin: this.#origin, scales: this.#scales }
    this.memory = this.#lasts === 1 ? {} : { vectors, state: this.#state }
  }

  /** Has the next model made anew. */
  forget(): void {
    this.#state.batches = 0
  }

  /** The model for a batch; null where numbers overflow. What it changes follows from the rest of the memory alone. */
  model(making: Making): Model | null {
    if (this.#state.batches === 0) this.#make(making)
    const found = posterior(this.#equations, this.#factor)
    return found && this.#seen(found)
  }

  /** Takes in the answers of a batch, unless the next model is made anew anyway: after a while, or far from the origin. */
  learn(points: Float64Array, values: Float64Array, radius: number): void {
    const state = this.#state
    const { at, center } = this.#ground
    state.batches++
    const moved = this.#write(center, 0, new Float64Array(at.dim))
    const isOff = moved > state.radius * state.radius || radius > 2 * state.radius || radius < 0.5 * state.radius
    if (state.batches >= this.#lasts || isOff) state.batches = 0
    else
      this.#take(
        points,
        values,
        Array.from(values, (_, row) => row),
      )
  }

  /** Makes the equations anew around the center. */
  #make({ curvatures, value, radius, most }: Making): void {
    const { at, center, noise, curvature, asked } = this.#ground
    const d = at.dim
    const state = this.#state
    const sigma = noise.at(value)
    this.#origin.set(center)
    this.#scales.set(curvatures.map((each, i) => Math.min(Math.sqrt(sigma / each), 0.2 * sizeOf(at, center, i))))
    const near = this.#near(radius, most)
    const base = (asked.values[near[0] ?? -1] ?? value) / sigma
    Object.assign(state, { sigma, base, radius, points: 0 })
    const mean = new Float64Array(quadraticSize(d))
    let k = 1 + d
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) {
        const entry = curvature.matrix[i * d + j] as number
        mean[k++] = (entry * (this.#scales[i] as number) * (this.#scales[j] as number)) / sigma
      }
    }
    const { value: atCenter, slope, hessian } = sureness
    believe(
      this.#equations,
      mean,
      mean.map((_, index) => (index === 0 ? atCenter : index <= d ? slope : hessian)),
    )
    this.#take(asked.points, asked.values, near)
  }

  /** Takes in the answers to these rows of points. */
  #take(points: Float64Array, values: Float64Array, which: readonly number[]): void {
    const { at, noise } = this.#ground
    const { sigma, base, radius } = this.#state
    const size = this.#equations.sums.length
    const known = which.filter((row) => !Number.isNaN(values[row]))
    const u = new Float64Array(at.dim)
    for (let first = 0; first < known.length; first += chunk) {
      const some = known.slice(first, first + chunk)
      const answers = Float64Array.from(some, (row) => (values[row] as number) / sigma - base)
      const weights = Float64Array.from(some, (row, k) => {
        const far = this.#write(points, row, u) / (4 * radius * radius)
        writeMonomials(u, at.dim, this.#rows, k * size)
        const spread = Math.max(noise.at(values[row] as number) / sigma, 1)
        return 1 / (spread * spread + (far * far * far * radius * radius) / 10)
      })
      takeIn(this.#equations, this.#rows, answers, weights)
    }
    this.#state.points += known.length
  }

  /** The points nearest to the origin, at most so many, within three radii; some even where all are far. */
  #near(radius: number, most: number): number[] {
    const { at, asked } = this.#ground
    const u = new Float64Array(at.dim)
    const squares = Float64Array.from({ length: asked.count }, (_, row) => this.#write(asked.points, row, u))
    const few = 2 * at.dim + 2
    const all = Array.from(squares, (_, row) => row)
    const near = all.filter((row) => (squares[row] as number) < 9 * radius * radius)
    const chosen = near.length < few ? all : near
    chosen.sort((a, b) => (squares[a] as number) - (squares[b] as number) || a - b)
    return chosen.slice(0, near.length < few ? few : most)
  }

  /** Writes a point in the units of the model; returns its squared distance from the origin. */
  #write(points: Float64Array, row: number, into: Float64Array): number {
    const d = into.length
    let square = 0
    for (let i = 0; i < d; i++) {
      const own = ((points[row * d + i] as number) - (this.#origin[i] as number)) / (this.#scales[i] as number)
      into[i] = own
      square += own * own
    }
    return square
  }

  /** The model as seen from the center of now. */
  #seen({ mean, factor }: Posterior): Model {
    const { at, center } = this.#ground
    const { sigma, base, points } = this.#state
    const here = new Float64Array(at.dim)
    this.#write(center, 0, here)
    const draw = (normals: ArrayLike<number>): Float64Array => {
      const drawn = Float64Array.from({ length: mean.length }, (_, i) => normals[i] as number)
      solveUpper(factor, drawn.length, drawn)
      for (let i = 0; i < drawn.length; i++) drawn[i] = (drawn[i] as number) + (mean[i] as number)
      return recenter(drawn, at.dim, here)
    }
    return { mean: recenter(mean.slice(), at.dim, here), draw, sigma, base, scales: this.#scales.slice(), points }
  }
}
