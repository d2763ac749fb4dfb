import { count, numberWithin, table, withDefault } from '../../core/options.ts'
import { definePart, part } from '../../core/part.ts'
import { differ } from '../../core/space.ts'
import type { Directions, DirectionsState, Key, Memory, RunContext, Vector } from '../../core/types.ts'
import type { Kernels } from '../../kernels/kernels.ts'
import { orthonormalizeRow } from '../../kernels/orthonormalize.ts'
import { randomWord } from '../../kernels/random.ts'
import { sphere, writeStep } from './basic.ts'

/**
 * Directions that lean towards the latest steps of the run (Guided ES, Maheswaranathan et al. 2019):
 * u = sqrt(1 - share) v + sqrt(share) ||v|| w, with v of the directions `within` and w = sum_j +-q_j / sqrt(k), the signs
 * random and q_1 ... q_k an orthonormal basis Q of the latest steps. Before the first step u = v.
 *
 * The factor is that of `within`. For unit vectors v in d dimensions E[factor u u^T] is then
 * (1 - share) I + share (d / k) Q Q^T: its trace is still d, but a share of it lies in the span of the steps, where
 * estimates come out longer. Steps that do not depend on the length of an estimate suit it best.
 */
export const guided = definePart({
  kind: 'directions',
  name: 'guided',
  summary: 'Directions that lean towards the latest steps of the run.',
  options: table({
    /** The directions that are made to lean. Default sphere(). */
    within: withDefault(part<Directions>('directions', 'start'), () => sphere()),
    /** How many of the latest steps are kept. At least 1; default 5. */
    memory: withDefault(count, 5),
    /** How much of a squared direction lies in the span of the steps. At least 0 and below 1; default 0.5. */
    share: withDefault(numberWithin({ least: 0, below: 1 }), 0.5),
  }),
  examples: () => [{}, { memory: 2, share: 0.9 }],
  make: ({ within, memory, share }): Directions => ({
    start(at, count): DirectionsState {
      const inner = within.start(at, count)
      const history = new StepHistory(at, memory)
      const rows = leaning(at, inner, history, { share, memory })
      return {
        ...rows,
        get factor() {
          return inner.factor
        },
        memory: { parts: { within: inner.memory, history: history.memory } },
        learn(x, value) {
          inner.learn?.(x, value)
          history.learn(x)
        },
      }
    },
  }),
})

/** Rows that lean towards the steps of a history, as far as it has any. */
function leaning(
  { dim, kernels }: RunContext,
  inner: DirectionsState,
  history: StepHistory,
  { share, memory }: { readonly share: number; readonly memory: number },
): Pick<DirectionsState, 'count' | 'write' | 'combine'> {
  const [keep, take] = [Math.sqrt(1 - share), Math.sqrt(share)]
  const u = kernels.allocate(dim, 'float64') as Float64Array
  const coefficients = new Float64Array(memory)
  const lengths = rowLengths(kernels, inner, u)
  const leans = (): boolean => share > 0 && history.size > 0
  /** Adds weight ||v_row|| w_row to the coefficients of the steps. */
  const lean = (key: Key, row: number, weight: number): void => {
    const each = (weight * lengths.of(key, row)) / Math.sqrt(history.size)
    for (let j = 0; j < history.size; j++) {
      coefficients[j] = (coefficients[j] as number) + (isAhead(key, row, j) ? each : -each)
    }
  }
  return {
    count: inner.count,
    write(x, scale, key, row, into, offset) {
      if (!leans()) return inner.write(x, scale, key, row, into, offset)
      lengths.write(key, row)
      coefficients.fill(0)
      lean(key, row, take)
      for (let i = 0; i < dim; i++) u[i] = keep * (u[i] as number)
      history.add(coefficients, u)
      writeStep(x, scale, u, 0, dim, into, offset)
    },
    ...(inner.combine === undefined ? {} : { combine }),
  }

  function combine(...[scale, key, weights, gradient]: Parameters<NonNullable<DirectionsState['combine']>>): void {
    if (!leans()) return inner.combine?.(scale, key, weights, gradient)
    inner.combine?.(scale * keep, key, weights, gradient)
    coefficients.fill(0)
    for (let row = 0; row < inner.count; row++) lean(key, row, scale * take * (weights[row] as number))
    history.add(coefficients, gradient)
  }
}

/** The random sign of step j in a row. */
function isAhead(key: Key, row: number, j: number): boolean {
  return (randomWord({ ...key, row: row + 1 }, 'subspaces', j) & 1) === 1
}

/** The lengths of directions: found when one is written, and needed again to use its answer. */
function rowLengths(kernels: Kernels, inner: DirectionsState, u: Float64Array) {
  const origin = kernels.allocate(u.length, 'float64')
  const lengths = new Float64Array(inner.count)
  const known = { seed: -1, iteration: -1 }
  const areOf = (key: Key): boolean => known.iteration === key.iteration && known.seed === key.seed
  /** u = v_row; keeps its length. */
  const write = (key: Key, row: number): void => {
    if (!areOf(key)) lengths.fill(0)
    known.iteration = key.iteration
    known.seed = key.seed
    inner.write(origin, 1, key, row, u, 0)
    lengths[row] = Math.sqrt(kernels.dot(u, u))
  }
  return {
    write,
    of(key: Key, row: number): number {
      if (!areOf(key) || lengths[row] === 0) write(key, row)
      return lengths[row] as number
    },
  }
}

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

  constructor({ dim, kernels, precision }: RunContext, most: number) {
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
