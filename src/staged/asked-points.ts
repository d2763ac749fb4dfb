import type { Memory, SavedMemory } from '../core/types.ts'

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
