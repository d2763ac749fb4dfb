import { differ } from '../core/differ.ts'
import type { Begin, Memory, Vector } from '../core/types.ts'
import { orthonormalizeRow } from '../kernels/orthonormalize.ts'

/** A step of which less than this share is new, beside later ones, is left out. */
const leastShare = 1e-3

/** The latest steps of a run, from the points it is told, and an orthonormal basis of their span. */
export class StepHistory {
  readonly memory: Memory
  readonly #most: number
  readonly #dim: number
  readonly #steps: Vector
  readonly #last: Vector
  /** Whether a point was told, how many steps are kept, and where the next one goes. */
  readonly #state = { told: false, kept: 0, next: 0 }
  readonly #basis: Float64Array
  #size = 0
  #isStale = true

  constructor({ dim, kernels, precision }: Begin, most: number) {
    this.#most = most
    this.#dim = dim
    this.#steps = kernels.allocate(most * dim, precision)
    this.#last = kernels.allocate(dim, precision)
    this.#basis = new Float64Array(most * dim)
    this.memory = { vectors: { steps: this.#steps, last: this.#last }, state: this.#state }
  }

  /** How many vectors the basis of the steps has. */
  get size(): number {
    if (this.#isStale) this.#renew()
    return this.#size
  }

  /** into += sum_j coefficients_j q_j. */
  add(coefficients: Float64Array, into: Vector): void {
    const dim = this.#dim
    for (let j = 0; j < this.#size; j++) {
      const weight = coefficients[j] as number
      for (let i = 0; i < dim; i++) into[i] = (into[i] as number) + weight * (this.#basis[j * dim + i] as number)
    }
  }

  /** Where the run is now; what it did since it was last told is a step, unless that is nothing. */
  learn(x: Vector): void {
    if (this.#state.told && differ(x, this.#last)) this.#addStep(x)
    this.#last.set(x)
    this.#state.told = true
    this.#isStale = true
  }

  #addStep(x: Vector): void {
    const { next, kept } = this.#state
    const first = next * this.#dim
    for (let i = 0; i < this.#dim; i++) this.#steps[first + i] = (x[i] as number) - (this.#last[i] as number)
    this.#state.kept = Math.min(kept + 1, this.#most)
    this.#state.next = (next + 1) % this.#most
  }

  /** Latest steps first: where they are nearly dependent, it is the older one that goes. */
  #renew(): void {
    const dim = this.#dim
    this.#size = 0
    for (let age = 1; age <= this.#state.kept; age++) {
      const slot = (this.#state.next - age + this.#most) % this.#most
      this.#basis.set(this.#steps.subarray(slot * dim, (slot + 1) * dim), this.#size * dim)
      if (orthonormalizeRow(this.#basis, dim, this.#size, leastShare)) this.#size++
    }
    this.#isStale = false
  }
}
