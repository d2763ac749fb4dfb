import type { RandomRow } from './random.ts'

/** Storage precision of a session's vectors: float64 for functions, float32 for networks. */
export type Precision = 'float64' | 'float32'

/** A point, direction or state vector. One precision per session; all vectors of one kernel call share it. */
export type Vector = Float64Array | Float32Array

/** The moments of ZO-AdaMM and how they decay (Algorithm 1). */
export interface Moments {
  readonly first: Vector
  readonly second: Vector
  /** The running maximum of `second`, or null where it is not kept. */
  readonly maximum: Vector | null
}

/** A gradient as a sum over normal directions: sum_i weight_i (x + scale_i z_i - x), or the two-sided difference. */
export interface RowSum {
  readonly key: { readonly seed: number; readonly iteration: number }
  readonly antithetic: boolean
  /** Whether rows were asked between the bounds of the update, as `confine` leaves them. */
  readonly inside: boolean
  /** For each direction its row, the scale of its normals and its weight. */
  readonly terms: Vector
  readonly count: number
  /** The queries as they were written, where somebody kept them; rows in `terms` then count these. */
  readonly kept: Vector | null
}

/** What becomes of a gradient: a step within bounds. Bounds of one entry hold for all coordinates. */
export interface Update {
  /** The gradient itself, its sign, or its moments: m / sqrt(the maximum of v) or m / sqrt(v). */
  readonly kind: 'plain' | 'sign' | 'maximum' | 'second'
  readonly moments: Moments | null
  readonly beta1: number
  readonly beta2: number
  readonly rate: number
  readonly lower: Vector | null
  readonly upper: Vector | null
}

/**
 * The hot loops, behind one interface so that a vector kernel can replace the scalar one bit for bit.
 * Every operation on float32 vectors rounds to float32 once per arithmetic operation; sums are taken in float64.
 */
export interface Kernels {
  readonly name: string
  /** A zeroed vector that all other calls accept. Allocated when a run begins, never in its loop. */
  allocate(length: number, precision: Precision): Vector
  /** Sum of squares of the normals z of one row. */
  normalsSquared(at: RandomRow, dim: number): number
  /** The first `count` normals of one tile of a row. */
  normals(at: RandomRow, tile: number, count: number, into: Float32Array): void
  /** into[offset...] = x + scale z, one row of queries. */
  perturb(x: Vector, scale: number, at: RandomRow, into: Vector, offset: number): void
  /** into[offset...] = x + length z / ||z||; returns ||z||^2, the same as `normalsSquared`. */
  perturbUnit(x: Vector, length: number, at: RandomRow, into: Vector, offset: number): number
  /**
   * The probe around x at into[offset...], kept between bounds. A one-sided probe (`turn`) that would leave is turned round x
   * coordinate by coordinate, and clipped where that leaves, too; a two-sided one is clipped.
   */
  confine(x: Vector, lower: Vector, upper: Vector, turn: boolean, into: Vector, offset: number): void
  /**
   * gradient += weight ((x + scale z) - x), or ((x + scale z) - (x - scale z)) when antithetic, with z made again:
   * the step the objective really saw, after rounding.
   */
  accumulateNormals(
    x: Vector,
    scale: number,
    at: RandomRow,
    weight: number,
    antithetic: boolean,
    gradient: Vector,
  ): void
  /** gradient += weight (row - base), from rows that were kept or rebuilt. */
  accumulateRow(row: Vector, base: Vector, weight: number, gradient: Vector): void
  /** average = beta average + (1 - beta) gradient. */
  average(average: Vector, gradient: Vector, beta: number): void
  /** m, v and, where kept, the running maximum: Algorithm 1, lines 4 to 6. */
  moments(moments: Moments, gradient: Vector, beta1: number, beta2: number): void
  /** direction = sign(direction), with sign(0) = 0. */
  sign(direction: Vector): void
  /**
   * x -= rate (direction / sqrt(squares)), then clipped to the bounds. Without squares: x -= rate direction.
   * 0 / 0 counts as 0, and a coordinate whose new value would not be finite keeps its old one.
   * Bounds of one entry hold for all coordinates.
   */
  advance(
    x: Vector,
    rate: number,
    direction: Vector,
    squares: Vector | null,
    lower: Vector | null,
    upper: Vector | null,
  ): void
  /**
   * The end of an iteration in one pass over tiles, without a gradient vector: the sum over directions, the step made
   * of it, x moved and clipped. The same bits as the calls it replaces.
   */
  update(x: Vector, sum: RowSum, step: Update): void
  /** Inner product, summed in float64 by four lanes. */
  dot(a: Vector, b: Vector): number
}
