import type { Key, Memory, SavedMemory } from '../core/types.ts'
import { logarithm } from '../kernels/functions.ts'
import { normalTile } from '../kernels/normals.ts'
import { positive, solveUpper, symmetricEigen } from '../numerics/matrices.ts'
import {
  believe,
  hessianOf,
  lowestWithin,
  type NormalEquations,
  normalEquations,
  type Posterior,
  posterior,
  quadraticSize,
  quadraticValue,
  recenter,
  takeIn,
  writeMonomials,
} from '../numerics/quadratics.ts'
import { atLeast, dot, joined, mean, median, multiply, norm } from '../numerics/vectors.ts'
import type { Curvature } from './curvature.ts'
import { type Coordinates, settle, sizeOf } from './staged/coordinates.ts'
import type { Batch } from './staged/staged-search.ts'

/** How much answers vary, learned from points that were asked more than once. */
export interface NoiseLevel {
  readonly memory: Memory
  /** Takes the answers to one point. Failed ones (NaN) are left out; a single answer says nothing. */
  add(values: readonly number[]): void
  /** The standard deviation of answers around this value, never below its rounding. */
  at(value: number): number
  /** Whether the answers so far showed no noise beyond rounding. */
  readonly isExact: boolean
}

/**
 * The noise is constant or proportional to |f|, whichever Gaussian fit to all deviations so far is likelier: with n of them
 * and their variance s^2, the constant one has log likelihood -n ln s, the other -n ln r - sum ln |f|. A running mean of
 * the last deviations would lag behind a value that falls by orders of magnitude.
 */
export function noiseLevel(): NoiseLevel {
  const state = { count: 0, squares: 0, relativeSquares: 0, logarithms: 0 }
  const constant = (): number => Math.sqrt(state.squares / Math.max(state.count, 1))
  const relative = (): number => Math.sqrt(state.relativeSquares / Math.max(state.count, 1))
  return {
    memory: { state },
    add(values) {
      const answered = values.filter((value) => !Number.isNaN(value))
      const n = answered.length
      if (n < 2) return
      const mean = answered.reduce((sum, value) => sum + value / n, 0)
      const size = Math.abs(mean) + tiny
      for (const value of answered) {
        const deviation = (value - mean) * Math.sqrt(n / (n - 1))
        const share = deviation / size
        state.count++
        state.squares += deviation * deviation
        state.relativeSquares += share * share
        state.logarithms += logarithm(size)
      }
    },
    at(value) {
      // Points of one value alone cannot tell: then rounding must not decide.
      const advantage = logarithm(constant() + tiny) - logarithm(relative() + tiny) - state.logarithms / state.count
      const isRelative = advantage > 1e-9
      const rounding = 1e-15 * Math.abs(value) + tiny
      return Math.max(isRelative ? relative() * Math.abs(value) : constant(), rounding)
    },
    get isExact() {
      return state.count > 0 && relative() <= 1e-15
    },
  }
}

const tiny = 1e-300

/** What the methods for noisy functions share. */
export interface NoisyGround {
  readonly at: Coordinates
  readonly noise: NoiseLevel
  readonly curvature: Curvature
  /** Where the method at work is. */
  readonly center: Float64Array
  /** The mean of the answers there, and how many there were. */
  readonly state: { value: number; answers: number }
  /** Queries that the method at work may still ask. */
  left(): number
}

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
interface Making {
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

/** Every so many batches the center is asked twice, for the noise level. */
const confirmEvery = 4

/**
 * A trust region on a full quadratic: Bayesian regression on the points asked nearby, with the quasi-Newton matrix as prior.
 * Each batch asks where the model is lowest, where models drawn from the posterior are lowest, and points spread around.
 */
export class QuadraticRegression {
  readonly memory: Memory
  readonly #ground: RegressionGround
  /** Curvatures along the coordinates, which scale them: they follow the model slowly. */
  readonly #curvatures: Float64Array
  readonly #state = { radius: 6, batches: 0, moves: 0 }
  /** Where the function is lowest, as far as regression knows. */
  readonly answer: Float64Array
  readonly #nearby: NearbyQuadratic
  readonly #samples: number

  constructor(ground: RegressionGround) {
    const { dim } = ground.at
    const size = quadraticSize(dim)
    this.#ground = ground
    this.#curvatures = new Float64Array(dim)
    this.answer = new Float64Array(dim)
    this.#nearby = new NearbyQuadratic(ground)
    this.#samples = Math.floor(size / 12)
    this.memory = {
      vectors: { curvatures: this.#curvatures, answer: this.answer },
      state: this.#state,
      parts: { nearby: this.#nearby.memory },
    }
  }

  /** Begins a turn at the center. */
  begin(): void {
    const { at, curvature } = this.#ground
    const own = Float64Array.from({ length: at.dim }, (_, i) => curvature.along(i))
    this.#curvatures.set(atLeast(own, 1e-8))
    Object.assign(this.#state, { radius: 6, batches: 0 })
    this.#nearby.forget()
  }

  /** Ends a turn: the matrix is made positive definite. */
  end(): void {
    const { at, curvature } = this.#ground
    curvature.matrix.set(positive(curvature.matrix, at.dim))
  }

  /** One batch; says whether the center may have moved, or null where there is no model. */
  *batch(key: Key): Generator<Batch, boolean | null, Float64Array> {
    const { at, center, noise, left } = this.#ground
    const model = this.#nearby.model(this.#making(this.#state.radius, 4 * quadraticSize(at.dim) + 20))
    if (model === null) return null
    const { points, draws } = this.#candidates(model, key, left())
    const values = yield rowsOf(points, at.dim)
    const found = this.#judge(model, points, values, draws)
    const again = (this.#state.batches + 1) % confirmEvery === 0 && left() >= 2
    const to = found.isMoving ? points.slice(0, at.dim) : center.slice()
    const twice = again ? yield rowsOf(joined(to, to), at.dim) : []
    noise.add(Array.from(twice))
    center.set(to)
    if (found.isMoving) this.#settle(found.gain)
    this.#learn(model, found)
    this.#nearby.learn(points, values, this.#state.radius)
    return found.isMoving
  }

  /** Where a model of the points within three radii is lowest; null where there is no model. */
  lowest(radius: number): Float64Array | null {
    const { at, center } = this.#ground
    this.#nearby.forget()
    const model = this.#nearby.model(this.#making(radius, Math.max(4 * quadraticSize(at.dim) + 20, 1000)))
    if (model === null) return null
    const u = lowestWithin(model.mean, at.dim, radius)
    return settle(
      at,
      u.map((each, i) => (center[i] as number) + (model.scales[i] as number) * each),
    )
  }

  #making(radius: number, most: number): Making {
    return { curvatures: this.#curvatures, value: this.#value, radius, most }
  }

  /** While the model promises more than noise, the answer is the center; then it is the mean of the last ones, which is surer. */
  #settle(gain: number): void {
    const { center } = this.#ground
    const state = this.#state
    state.moves = gain > 2 ? 1 : state.moves + 1
    const share = Math.max(1 / state.moves, 1 / 8)
    for (let i = 0; i < center.length; i++) {
      const before = this.answer[i] as number
      this.answer[i] = before + share * ((center[i] as number) - before)
    }
    settle(this.#ground.at, this.answer)
  }

  /** The value at the center. At first it is in the middle of the last answers, which is surer than a single one. */
  get #value(): number {
    const { at, asked, state } = this.#ground
    return this.#state.batches === 0 ? median(asked.values.slice(-2 * at.dim)) : state.value
  }

  /** The points of a batch, the lowest of the model first, then those of drawn models (`draws`), then those spread around. */
  #candidates(model: Model, key: Key, left: number): { points: Float64Array; draws: number } {
    const { at, center } = this.#ground
    const d = at.dim
    const { radius } = this.#state
    const lowest = lowestWithin(model.mean, d, radius)
    const steps = [lowest]
    const size = model.mean.length
    const normals = new Float32Array(8 * Math.ceil(size / 8))
    const draws = Math.max(0, Math.min(Math.max(3, this.#samples), left - 1))
    for (let row = 0; row < draws; row++) {
      normalTile({ ...key, row }, 0, size, normals)
      steps.push(lowestWithin(model.draw(normals), d, radius))
    }
    const spread = Math.max(0, Math.min(Math.max(2, this.#samples), left - 1 - draws))
    const { values, vectors } = symmetricEigen(hessianOf(model.mean, d), d)
    const wide = values.map((value) => Math.min(Math.sqrt(12 / Math.max(value, 1e-9)), radius))
    const step = new Float64Array(d)
    for (let row = 0; row < spread; row++) {
      normalTile({ ...key, row: draws + row }, 0, d, normals)
      multiply(
        vectors,
        wide.map((each, i) => each * (normals[i] as number)),
        step,
      )
      const share = Math.min(1, radius / Math.max(norm(step), 1e-300))
      steps.push(lowest.map((each, i) => each + share * (step[i] as number)))
    }
    const points = new Float64Array(steps.length * d)
    steps.forEach((u, row) => {
      const x = settle(
        at,
        u.map((each, i) => (center[i] as number) + (model.scales[i] as number) * each),
      )
      points.set(x, row * d)
    })
    return { points, draws }
  }

  /** Compares the answers with what the model said. */
  #judge(model: Model, points: Float64Array, values: Float64Array, draws: number): Judgement {
    const { at, center } = this.#ground
    const d = at.dim
    const steps = Array.from(values, (_, row) =>
      model.scales.map((scale, i) => ((points[row * d + i] as number) - (center[i] as number)) / scale),
    )
    const first = steps[0] as Float64Array
    const lowest = quadraticValue(model.mean, d, first)
    const gain = (model.mean[0] as number) - lowest
    const errors = steps.map((u, row) => {
      const error = (values[row] as number) / model.sigma - model.base - quadraticValue(model.mean, d, u)
      return Math.min(Math.max(error, -50), 50)
    })
    const mean = meanOfKnown(errors.slice(0, 1 + draws))
    const miss = Math.sqrt(meanOfKnown(errors.map((error) => error * error)))
    return {
      gain,
      isMoving: mean < Math.max(0.5 * gain, 2),
      value: (lowest + model.base) * model.sigma,
      miss: Number.isNaN(miss) ? Infinity : miss,
      isAtEdge: dot(first, first) > 0.6 * this.#state.radius * this.#state.radius,
    }
  }

  #learn(model: Model, { isMoving, value, miss, isAtEdge }: Judgement): void {
    const { at, state, curvature } = this.#ground
    const own = this.#state
    state.value = isMoving ? value : this.#value
    state.answers = 2
    own.batches++
    if (miss > 4) own.radius = Math.max(0.6 * own.radius, 2)
    else if (miss < 2.5 && isAtEdge) own.radius = Math.min(1.5 * own.radius, 100)
    const d = at.dim
    if (model.points <= model.mean.length) return
    const hessian = hessianOf(model.mean, d)
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) {
        const entry =
          ((hessian[i * d + j] as number) * model.sigma) / ((model.scales[i] as number) * (model.scales[j] as number))
        if (i === j) {
          const before = this.#curvatures[i] as number
          this.#curvatures[i] = Math.min(Math.max(entry, 0.5 * before), 2 * before)
        }
        curvature.matrix[i * d + j] = 0.7 * (curvature.matrix[i * d + j] as number) + 0.3 * entry
      }
    }
  }
}

interface Judgement {
  /** What the model promises, in standard deviations. */
  readonly gain: number
  readonly isMoving: boolean
  /** The value of the model where it is lowest. */
  readonly value: number
  /** The root mean square error of what the model said, in standard deviations. */
  readonly miss: number
  readonly isAtEdge: boolean
}

/** The mean of those that are numbers; NaN where none is. */
function meanOfKnown(values: readonly number[]): number {
  return mean(values.filter((value) => !Number.isNaN(value)))
}

function rowsOf(points: Float64Array, dim: number): Batch {
  return {
    rows: points.length / dim,
    write: (row, into, offset) => into.set(points.subarray(row * dim, (row + 1) * dim), offset),
  }
}

/** The points asked so far with their values, the oldest forgotten once there are too many. Failed ones are left out. */
export interface AskedPoints {
  readonly memory: Memory
  readonly count: number
  /** One after the other, in the order they were asked. */
  readonly points: Float64Array
  readonly values: Float64Array
  add(points: Float64Array, values: Float64Array): void
}

/** Keeps at most `most` points; has room for what was saved. */
export function askedPoints(dim: number, most: number, saved?: SavedMemory): AskedPoints {
  return new Asked(dim, most, saved?.vectors.values?.length ?? 0)
}

class Asked implements AskedPoints {
  count: number
  readonly #dim: number
  readonly #most: number
  #points: Float64Array
  #values: Float64Array

  constructor(dim: number, most: number, count: number) {
    this.#dim = dim
    this.#most = most
    this.count = count
    this.#points = new Float64Array(count * dim)
    this.#values = new Float64Array(count)
  }

  get points(): Float64Array {
    return this.#points.subarray(0, this.count * this.#dim)
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.count)
  }

  get memory(): Memory {
    return { vectors: { points: this.points, values: this.values } }
  }

  add(points: Float64Array, values: Float64Array): void {
    const dim = this.#dim
    values.forEach((value, row) => {
      if (Number.isNaN(value)) return
      if (this.count === this.#most) this.#forget()
      if (this.count === this.#values.length) this.#grow()
      this.#points.set(points.subarray(row * dim, (row + 1) * dim), this.count * dim)
      this.#values[this.count] = value
      this.count++
    })
  }

  /** A quarter at a time, so that the others need not be moved for each new point. */
  #forget(): void {
    const gone = Math.ceil(this.#most / 4)
    this.#points.copyWithin(0, gone * this.#dim, this.count * this.#dim)
    this.#values.copyWithin(0, gone, this.count)
    this.count -= gone
  }

  #grow(): void {
    const length = Math.min(2 * this.count + 64, this.#most)
    const [points, values] = [this.points, this.values]
    this.#points = new Float64Array(length * this.#dim)
    this.#values = new Float64Array(length)
    this.#points.set(points)
    this.#values.set(values)
  }
}
