import type { SavedMemory, Vector } from '../../core/types.ts'
import { ascending, median } from '../../numerics/vectors.ts'
import { type Domain, squaredDistance } from './domain.ts'

/** Points of a run and what came of them, in the order of the answers. */
export class Archive {
  readonly #domain: Domain
  readonly #constraintCount: number
  #points: Float64Array
  #values: Float64Array
  #constraints: Float64Array
  #length: number
  /** Places of the first points, as far as they were made. */
  readonly #places: Float64Array[] = []

  /** Empty, or with room for what was saved. */
  constructor(domain: Domain, constraintCount: number, saved: SavedMemory | undefined) {
    const length = saved?.vectors['method.values']?.length ?? 0
    this.#domain = domain
    this.#constraintCount = constraintCount
    this.#points = new Float64Array(length * domain.dim)
    this.#values = new Float64Array(length)
    this.#constraints = new Float64Array(length * constraintCount)
    this.#length = length
  }

  get length(): number {
    return this.#length
  }

  get memory(): Record<string, Float64Array> {
    const { dim } = this.#domain
    return {
      points: this.#points.subarray(0, this.#length * dim),
      values: this.#values.subarray(0, this.#length),
      constraints: this.#constraints.subarray(0, this.#length * this.#constraintCount),
    }
  }

  /** The places of all points. */
  get places(): readonly Float64Array[] {
    for (let i = this.#places.length; i < this.#length; i++) this.#places.push(this.#domain.unit(this.point(i)))
    return this.#places
  }

  /** The point as it was asked. */
  point(i: number): Float64Array {
    const { dim } = this.#domain
    return this.#points.subarray(i * dim, (i + 1) * dim)
  }

  /** NaN where the query failed. */
  value(i: number): number {
    return this.#values[i] as number
  }

  /** What constraint j came to at all points. */
  constraint(j: number): Float64Array {
    return Float64Array.from(
      { length: this.#length },
      (_, i) => this.#constraints[i * this.#constraintCount + j] as number,
    )
  }

  add(point: Vector, value: number, constraints: ArrayLike<number> = []): void {
    const at = this.#length++
    this.#points = roomFor(this.#points, this.#length * this.#domain.dim)
    this.#values = roomFor(this.#values, this.#length)
    this.#constraints = roomFor(this.#constraints, this.#length * this.#constraintCount)
    this.#points.set(point, at * this.#domain.dim)
    this.#values[at] = Number.isFinite(value) ? value : Number.NaN
    for (let j = 0; j < this.#constraintCount; j++) {
      this.#constraints[at * this.#constraintCount + j] = constraints[j] ?? Number.NaN
    }
  }

  isFailed(i: number): boolean {
    return Number.isNaN(this.#values[i] as number)
  }

  /** Whether all constraints are known to hold. */
  isFeasible(i: number): boolean {
    return !this.isFailed(i) && this.#violations(i).every((each) => each <= 0)
  }

  /**
   * What points are compared by: their values; the worst value where a query failed; where constraints are violated, more than
   * the middle of the feasible values, and the more the further.
   */
  get scores(): Float64Array {
    const all = this.#values.slice(0, this.#length)
    const answered = all.filter((each) => !Number.isNaN(each))
    return withWorst(this.#constraintCount > 0 ? this.#penalized(all, answered) : all)
  }

  /** All values, the worst of them where a query failed. */
  get filled(): Float64Array {
    return withWorst(this.#values.slice(0, this.#length))
  }

  /** Failures as a constraint: 1 where a query failed, else -1. */
  get failures(): Float64Array {
    return this.#values.slice(0, this.#length).map((each) => (Number.isNaN(each) ? 1 : -1))
  }

  /** What constraint j came to, the worst where it is not known. */
  filledConstraint(j: number): Float64Array {
    return withWorst(this.constraint(j))
  }

  #penalized(values: Float64Array, answered: Float64Array): Float64Array {
    const scales = Array.from({ length: this.#constraintCount }, (_, j) => {
      const known = this.constraint(j).filter((each) => Number.isFinite(each))
      return known.length === 0 ? 1 : Math.max(median(known.map(Math.abs)), 1e-300)
    })
    const excess = values.map((_, i) =>
      this.#violations(i).reduce((all, each, j) => all + Math.max(each, 0) / (scales[j] as number), 0),
    )
    const feasible = values.filter((_, i) => this.isFeasible(i))
    const middle = median(answered)
    const spread = Math.max(median(answered.map((each) => Math.abs(each - middle))), 1e-12)
    const usual = feasible.length === 0 ? undefined : median(feasible)
    return values.map((value, i) => {
      if (this.isFeasible(i) || Number.isNaN(value)) return value
      const far = excess[i] as number
      return usual === undefined ? spread * far : Math.max(value, usual) + spread * Math.sqrt(far)
    })
  }

  /** What is not known counts as violated. */
  #violations(i: number): number[] {
    const from = i * this.#constraintCount
    return Array.from({ length: this.#constraintCount }, (_, j) => {
      const each = this.#constraints[from + j] as number
      return Number.isNaN(each) ? 1 : each
    })
  }
}

/** Values with the highest of them in place of those that are not known; 0 where none is. */
function withWorst(values: Float64Array): Float64Array {
  const known = values.filter((each) => !Number.isNaN(each))
  const worst = known.length === 0 ? 0 : known.reduce((a, b) => Math.max(a, b))
  return values.map((each) => (Number.isNaN(each) ? worst : each))
}

/** Beyond so many points, only the best and the latest are looked at. */
const mostLookedAt = 1000

/**
 * The points that a model of the whole space is made of, in their order: of points closer together than `apart` the best, and of
 * those the best and the latest, so many at most.
 */
export function thinned(
  domain: Domain,
  places: readonly Float64Array[],
  scores: Float64Array,
  { apart, most }: { apart: number; most: number },
): number[] {
  let order = ascending(scores)
  if (order.length > mostLookedAt) {
    const isLooked = new Set([...order.slice(0, mostLookedAt / 2), ...lastOf(order.length, mostLookedAt / 2)])
    order = order.filter((i) => isLooked.has(i))
  }
  const kept: number[] = []
  for (const i of order) {
    const place = places[i] as Float64Array
    if (!kept.some((k) => isNear(domain, place, places[k] as Float64Array, apart))) kept.push(i)
  }
  if (kept.length > most) {
    const latest = kept.reduce((a, b) => Math.max(a, b))
    const urgency = kept.map((i, rank) => Math.min(rank / kept.length, (latest - i) / scores.length + 0.1))
    const chosen = ascending(Float64Array.from(urgency)).slice(0, most)
    return chosen.map((k) => kept[k] as number).sort((a, b) => a - b)
  }
  return kept.sort((a, b) => a - b)
}

function isNear(domain: Domain, a: Float64Array, b: Float64Array, apart: number): boolean {
  // Most are far apart along the first coordinate already.
  if (domain.isCategory[0] === 0 && Math.abs((a[0] as number) - (b[0] as number)) > apart) return false
  return apart > 0 && squaredDistance(domain, a, b) <= apart * apart
}

function lastOf(length: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => length - count + k)
}

function roomFor(array: Float64Array, length: number): Float64Array {
  if (length <= array.length) return array
  const larger = new Float64Array(Math.max(2 * array.length, length))
  larger.set(array)
  return larger
}
