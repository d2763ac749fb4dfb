import { hessianOf, lowestWithin, quadraticSize, quadraticValue } from '../algebra/full-quadratic.ts'
import { positive } from '../algebra/quasi-newton-matrix.ts'
import { symmetricEigen } from '../algebra/symmetric-eigen.ts'
import { atLeast, dot, median, multiply, norm } from '../algebra/vectors.ts'
import type { Key, Memory } from '../core/types.ts'
import { normalTile } from '../kernels/normals.ts'
import { settle } from '../staged/coordinates.ts'
import type { Batch } from '../staged/staged-search.ts'
import { type Making, type Model, NearbyQuadratic, type RegressionGround } from './nearby-quadratic.ts'

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
    const mean = meanOf(errors.slice(0, 1 + draws))
    const miss = Math.sqrt(meanOf(errors.map((error) => error * error)))
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
function meanOf(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.reduce((sum, value) => sum + value, 0) / known.length
}

function rowsOf(points: Float64Array, dim: number): Batch {
  return {
    rows: points.length / dim,
    write: (row, into, offset) => into.set(points.subarray(row * dim, (row + 1) * dim), offset),
  }
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
