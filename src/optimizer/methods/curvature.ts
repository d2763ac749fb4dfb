import type { Memory, Vector } from '../core/types.ts'
import { dampedUpdate, quadraticStep } from '../numerics/matrices.ts'
import { atLeast, diagonal, dot, norm } from '../numerics/vectors.ts'
import type { Coordinates } from './staged/coordinates.ts'

/** What a quasi-Newton method believes about second derivatives. */
export interface Curvature {
  readonly memory: Memory
  /** False until `begin`. */
  readonly isKnown: boolean
  /** The matrix row by row, where it is kept as one. */
  readonly matrix?: Float64Array | undefined
  /** The second derivative along a coordinate. */
  along(i: number): number
  /** Begins with the magnitudes of second differences. */
  begin(magnitudes: Float64Array): void
  /** Takes in how the gradient changed along a move. */
  learn(move: Float64Array, change: Float64Array): void
  /** Goes half the way to a diagonal of magnitudes. */
  blend(magnitudes: Float64Array): void
  /** Forgets all but the diagonal. */
  simplify(): void
  /** The step from x to where the model is lowest, within bounds; null where that is no descent. */
  step(slopes: Float64Array, x: Vector): Float64Array | null
}

/** A dense matrix with damped BFGS updates: d^2 numbers. */
export function denseCurvature(at: Coordinates): Curvature & { readonly matrix: Float64Array } {
  const { dim } = at
  const matrix = new Float64Array(dim * dim)
  const state = { isKnown: false }
  return {
    memory: { vectors: { matrix }, state },
    matrix,
    get isKnown() {
      return state.isKnown
    },
    along: (i) => matrix[i * dim + i] as number,
    begin(magnitudes) {
      matrix.set(diagonal(atLeast(magnitudes, 1e-8)))
      state.isKnown = true
    },
    learn: (move, change) => dampedUpdate(matrix, move, change),
    blend(magnitudes) {
      for (let i = 0; i < matrix.length; i++) matrix[i] = 0.5 * (matrix[i] as number)
      for (let i = 0; i < dim; i++) {
        matrix[i * dim + i] = (matrix[i * dim + i] as number) + 0.5 * (magnitudes[i] as number)
      }
    },
    simplify() {
      const entries = Float64Array.from({ length: dim }, (_, i) => Math.abs(matrix[i * dim + i] as number))
      matrix.set(diagonal(entries.map((entry) => Math.max(entry, 1e-300))))
    },
    step: (slopes, x) => boxedStep(at, matrix, slopes, x),
  }
}

/** The step from x to where a quadratic model is lowest, within bounds; null where that is no descent. */
export function boxedStep({ bounds }: Coordinates, matrix: Float64Array, slopes: Float64Array, x: Vector) {
  return quadraticStep(
    matrix,
    slopes,
    bounds && {
      below: bounds.lower.map((each, i) => each - (x[i] as number)),
      above: bounds.upper.map((each, i) => each - (x[i] as number)),
    },
  )
}

/**
 * A diagonal and the last `pairs` moves with their changes of the gradient, for L-BFGS (Nocedal, 1980): (2 pairs + 1) d
 * numbers. Coordinates that a bound holds back stay there.
 */
export function limitedCurvature(at: Coordinates, pairs: number): Curvature {
  const { dim } = at
  const own = new Float64Array(dim)
  const moves = new Float64Array(pairs * dim)
  const changes = new Float64Array(pairs * dim)
  const state = { isKnown: false, learned: 0 }
  const pair = (age: number): [Float64Array, Float64Array] => {
    const from = ((state.learned - 1 - age) % pairs) * dim
    return [moves.subarray(from, from + dim), changes.subarray(from, from + dim)]
  }
  return {
    memory: { vectors: { diagonal: own, moves, changes }, state },
    get isKnown() {
      return state.isKnown
    },
    along: (i) => own[i] as number,
    begin(magnitudes) {
      // No curvature is below a share of the largest, where variables are measured in their typical sizes.
      const square = at.typical.map((size) => size * size)
      const sizes = magnitudes.map((each, i) => each * (square[i] as number))
      own.set(atLeast(sizes, 1e-8).map((each, i) => each / (square[i] as number)))
      state.isKnown = true
    },
    learn(move, change) {
      const length = norm(move.map((each, i) => each / (at.typical[i] as number)))
      const steepness = norm(change.map((each, i) => each * (at.typical[i] as number)))
      if (!(dot(move, change) > 1e-10 * length * steepness)) return
      const from = (state.learned % pairs) * dim
      moves.set(move, from)
      changes.set(change, from)
      state.learned++
    },
    blend(magnitudes) {
      for (let i = 0; i < dim; i++) own[i] = 0.5 * ((own[i] as number) + (magnitudes[i] as number))
    },
    simplify() {
      state.learned = 0
    },
    step(slopes, x) {
      const free = freeSlopes(at, slopes, x)
      const kept = Math.min(state.learned, pairs)
      const q = timesInverse(
        free,
        own,
        Array.from({ length: kept }, (_, age) => pair(age)),
      )
      const step = q.map((each, i) => (free[i] === 0 ? 0 : -each))
      return step.every(Number.isFinite) && dot(step, free) < 0 ? step : null
    },
  }
}

/** The gradient, 0 where a bound holds a coordinate back. */
export function freeSlopes({ bounds }: Coordinates, slopes: Float64Array, x: Vector): Float64Array {
  if (bounds === undefined) return slopes
  return slopes.map((slope, i) => {
    const [value, lower, upper] = [x[i] as number, bounds.lower[i] as number, bounds.upper[i] as number]
    return (value <= lower && slope > 0) || (value >= upper && slope < 0) ? 0 : slope
  })
}

/** H g by the two loops over pairs, the newest first, with H_0 = D^-1 scaled to fit the newest. */
function timesInverse(
  g: Float64Array,
  d: Float64Array,
  pairs: readonly (readonly [Float64Array, Float64Array])[],
): Float64Array {
  const q = g.slice()
  const weights = pairs.map(([move, change]) => {
    const weight = dot(move, q) / dot(move, change)
    for (let i = 0; i < q.length; i++) q[i] = (q[i] as number) - weight * (change[i] as number)
    return weight
  })
  const newest = pairs[0]
  let scale = 1
  if (newest !== undefined) {
    const [move, change] = newest
    scale = dot(move, change) / change.reduce((sum, each, i) => sum + (each * each) / (d[i] as number), 0)
  }
  for (let i = 0; i < q.length; i++) q[i] = ((q[i] as number) * scale) / (d[i] as number)
  for (let age = pairs.length - 1; age >= 0; age--) {
    const [move, change] = pairs[age] as readonly [Float64Array, Float64Array]
    const weight = (weights[age] as number) - dot(change, q) / dot(move, change)
    for (let i = 0; i < q.length; i++) q[i] = (q[i] as number) + weight * (move[i] as number)
  }
  return q
}
