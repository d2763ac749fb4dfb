import { ZerothError } from '../core/errors.ts'
import type { Begin, DirectionRows, Schedule, Vector } from '../core/types.ts'
import type { RowSum } from '../kernels/kernels.ts'
import type { Placement } from './placement.ts'
import { limited, type ProbeRows, sidesOf } from './probe-rows.ts'

/** Larger gradient entries would overflow when squared; a difference that large says no more than its sign. */
export const largestGradient = { float64: 1e140, float32: 1e17 }

/** What a sum over probes is made from. */
export interface SumParts {
  readonly probing: ProbeRows
  readonly rows: DirectionRows
  readonly placement: Placement
  readonly radiusAt: Schedule
  readonly feasible: boolean
  readonly twoSided: boolean
  /** Whether single rows are used, and not only their sum. */
  readonly looksAtRows?: boolean | undefined
}

/** Turns the differences along directions into a gradient. Directions are made again, not stored. */
export class ProbeSums {
  readonly #at: Begin
  readonly #parts: SumParts
  readonly #ahead: Vector
  readonly #behind: Vector
  readonly #weights: Float64Array
  readonly #terms: Vector
  readonly #sum: { count: number; kept: Vector | null } & Pick<RowSum, 'key' | 'antithetic' | 'inside' | 'terms'>

  constructor(at: Begin, parts: SumParts) {
    const { rows, feasible, twoSided, looksAtRows, probing } = parts
    const { kernels, dim, precision } = at
    const needsRows = feasible || (rows.accumulate ?? rows.combine) === undefined || looksAtRows === true
    this.#at = at
    this.#parts = parts
    this.#ahead = kernels.allocate(needsRows ? dim : 0, precision)
    this.#behind = kernels.allocate(needsRows && twoSided ? dim : 0, precision)
    this.#terms = kernels.allocate(3 * rows.count, 'float64')
    this.#weights = new Float64Array(rows.count)
    const sum = { key: probing.key, antithetic: twoSided, inside: feasible, terms: this.#terms }
    this.#sum = { ...sum, count: 0, kept: null }
  }

  /** Whether `sum` can stand for `assemble`. */
  get isNormalSum(): boolean {
    const { feasible, rows } = this.#parts
    const isPlain = !feasible || this.#at.set.bounds !== undefined
    return isPlain && rows.normalScale !== undefined && rows.learn === undefined
  }

  /** scale sum_i slope_i step_i / radius^2 as a sum over normals, or over the rows themselves where they were kept. */
  sum(iteration: number, scale: number, kept: Vector | null): RowSum {
    const { probing, radiusAt, twoSided, rows } = this.#parts
    const { key, slopes, queries } = probing
    key.iteration = iteration
    this.#checkKept(kept)
    const radius = radiusAt(iteration)
    const usable = twoSided ? null : kept
    let place = 0
    for (let i = 0; i < slopes.length; i++) {
      const slope = scale * (slopes[i] as number)
      if (slope === 0) continue
      this.#terms[place] = usable === null ? i : queries.centers + i
      this.#terms[place + 1] = usable === null ? (rows.normalScale?.(key, i, radius) ?? 0) : 0
      this.#terms[place + 2] = this.#weightOf(slope, radius)
      place += 3
    }
    this.#sum.count = place / 3
    this.#sum.kept = usable
    return this.#sum
  }

  /** gradient = scale sum_i slope_i step_i / radius^2, where step_i is the rounded step that the objective saw. */
  assemble(x: Vector, iteration: number, scale: number, gradient: Vector): void {
    const { probing, feasible, rows, radiusAt, twoSided } = this.#parts
    probing.key.iteration = iteration
    gradient.fill(0)
    const radius = radiusAt(iteration)
    if (!feasible && rows.combine !== undefined) {
      for (let i = 0; i < probing.slopes.length; i++) {
        const slope = scale * (probing.slopes[i] as number)
        this.#weights[i] = sidesOf(this.#parts) * this.#weightOf(slope, radius)
      }
      rows.combine(radius, probing.key, this.#weights, gradient)
      return
    }
    for (let i = 0; i < probing.slopes.length; i++) {
      const slope = scale * (probing.slopes[i] as number)
      if (slope === 0) continue
      if (feasible || rows.accumulate === undefined) this.#addStep(x, i, slope, gradient)
      else rows.accumulate(x, radius, probing.key, i, this.#weightOf(slope, radius), twoSided, gradient)
    }
  }

  /** The step of one probe as the objective saw it, rounding included: x + mu u minus x (or minus x - mu u). */
  realisedStep(x: Vector, iteration: number, direction: number, into: Vector): void {
    this.#parts.probing.key.iteration = iteration
    into.fill(0)
    this.#place(x, direction)
    this.#at.kernels.accumulateRow(this.#ahead, this.#parts.twoSided ? this.#behind : x, 1, into)
  }

  #addStep(x: Vector, direction: number, slope: number, gradient: Vector): void {
    const weight = this.#weightOf(slope, this.#place(x, direction))
    this.#at.kernels.accumulateRow(this.#ahead, this.#parts.twoSided ? this.#behind : x, weight, gradient)
  }

  /** Writes the probes along a direction again; returns the radius that they were placed with. */
  #place(x: Vector, direction: number): number {
    const { placement, probing, radiusAt, twoSided } = this.#parts
    const { key } = probing
    const radius = radiusAt(key.iteration)
    const used = placement.write(x, radius, key, direction, 1, this.#ahead, 0)
    if (twoSided) placement.write(x, radius, key, direction, -1, this.#behind, 0)
    return used
  }

  #weightOf(slope: number, radius: number): number {
    const { count } = this.#parts.rows
    return limited(slope / (radius * radius), largestGradient[this.#at.precision] / (radius * count))
  }

  #checkKept(kept: Vector | null): void {
    const { rows, dim } = this.#parts.probing.queries
    if (kept === null || kept.length >= rows * dim) return
    throw new ZerothError('invalid-answers', `answers.kept needs ${rows} rows of ${dim}, got ${kept.length} numbers`)
  }
}
