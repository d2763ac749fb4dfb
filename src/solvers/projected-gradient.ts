import { dot, norm } from '../algebra/vectors.ts'
import type { Begin, Memory, Vector } from '../core/types.ts'
import { type Coordinates, longestStep, shorten, sizeOf } from '../staged/coordinates.ts'
import { lineSearch } from '../staged/line-search.ts'
import { projectedDifferences } from '../staged/projected-differences.ts'
import { askStart, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { withinSet } from './within-set.ts'

type Name = 'start' | 'gradient' | 'search'

/**
 * The spectral projected gradient (Birgin, Martinez and Raydan, 2000) on differences, for convex sets that are no box: steps
 * against the gradient, as long as the last two gradients suggest, projected onto the set. Keeps 6 d numbers.
 */
export function projectedGradient(at: Begin, coordinates: Coordinates, tolerance: number): StagedMethod<Name> {
  return new ProjectedGradient(at, coordinates, tolerance)
}

class ProjectedGradient implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = {
    start: () => this.#start(),
    gradient: () => this.#gradient(),
    search: () => this.#search(),
  }
  readonly #at: Coordinates
  readonly #tolerance: number
  readonly #enter: (x: Vector) => void
  readonly #slopes: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #slopesBefore: Float64Array
  readonly #step: Float64Array
  readonly #state

  constructor(at: Begin, coordinates: Coordinates, tolerance: number) {
    this.#tolerance = tolerance
    this.#at = coordinates
    this.#enter = withinSet(at)
    this.point = copyOf(at, at.start)
    this.#slopes = new Float64Array(at.dim)
    this.#before = new Float64Array(at.dim)
    this.#slopesBefore = new Float64Array(at.dim)
    this.#step = new Float64Array(at.dim)
    /** `length` is that of a step in units of the gradient; `fails` counts searches in a row that found nothing. */
    this.#state = { value: at.startValue ?? Number.NaN, length: Number.NaN, hasBefore: false, fails: 0, interval: 0 }
    this.#state.interval = coordinates.unit > 1e-12 ? 3.5e-4 : 1.5e-8
    this.memory = {
      vectors: {
        slopes: this.#slopes,
        before: this.#before,
        slopesBefore: this.#slopesBefore,
        step: this.#step,
      },
      state: this.#state,
    }
  }

  *#start(): Stage<Name> {
    const value = yield* askStart(this.point, this.#state.value)
    this.#state.value = value
    return Number.isNaN(value) ? 'converged' : 'gradient'
  }

  *#gradient(): Stage<Name> {
    const state = this.#state
    const slopes = yield* projectedDifferences({
      x: this.point,
      value: state.value,
      step: (i) => state.interval * sizeOf(this.#at, this.point, i),
      enter: this.#enter,
    })
    this.#slopes.set(slopes)
    state.length = this.#spectralLength()
    const to = this.#projected(this.#slopes.map((slope, i) => (this.point[i] as number) - state.length * slope))
    this.#step.set(Float64Array.from(to, (each, i) => each - (this.point[i] as number)))
    shorten(this.#at, this.point, this.#step, longestStep)
    return dot(this.#step, this.#slopes) < 0 ? 'search' : this.#end()
  }

  *#search(): Stage<Name> {
    const state = this.#state
    const x = this.point
    const found = yield* lineSearch({
      value: state.value,
      slope: dot(this.#slopes, this.#step),
      at: (t) => this.#projected(this.#step.map((each, i) => (x[i] as number) + t * each)),
      first: 1,
      most: 4,
      extra: 0.1,
      tiny: 1e-12,
    })
    if (found.point === null) return this.#end()
    const isSmall = state.value - found.value <= this.#tolerance * Math.abs(state.value)
    this.#before.set(x)
    this.#slopesBefore.set(this.#slopes)
    state.hasBefore = true
    this.point.set(found.point)
    state.value = found.value
    state.fails = isSmall ? state.fails + 1 : 0
    return state.fails > 2 ? this.#end() : 'gradient'
  }

  /** Once more with longer intervals, which rounding spoils less; then the end. */
  #end(): Name | 'converged' {
    const longer = this.#at.unit > 1e-12 ? 3e-3 : 1e-6
    if (this.#state.interval === longer) return 'converged'
    this.#state.interval = longer
    this.#state.hasBefore = false
    this.#state.fails = 0
    return 'gradient'
  }

  /** s's / s'y, the inverse of the curvature along the last step; at first, a step of the size of the variables. */
  #spectralLength(): number {
    const { hasBefore, length } = this.#state
    if (hasBefore) {
      const s = this.#before.map((each, i) => (this.point[i] as number) - each)
      const y = this.#slopesBefore.map((each, i) => (this.#slopes[i] as number) - each)
      const [ss, sy] = [dot(s, s), dot(s, y)]
      if (sy > 0) return Math.min(Math.max(ss / sy, 1e-12), 1e12)
    }
    if (length > 0) return length
    return 1 / Math.max(norm(this.#slopes), 1e-300)
  }

  /** The point at the run's precision, inside the set. */
  #projected(x: Float64Array): Vector {
    const point = this.point.slice()
    point.set(x)
    this.#enter(point)
    return point
  }
}
