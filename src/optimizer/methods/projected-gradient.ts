import type { Memory, RunContext, Vector } from '../core/types.ts'
import { dot, dotDifference, norm } from '../numerics/vectors.ts'
import { copyOf, type Scale, scaleOf, withinSet } from './points.ts'
import { type Coordinates, coordinatesOf, lineSearch, longestStep, shorten, sizeOf } from './staged/coordinates.ts'
import { askStart, type Batch, type Stage, type StagedMethod } from './staged/staged-search.ts'

type Name = 'start' | 'gradient' | 'search'

/**
 * The spectral projected gradient (Birgin, Martinez and Raydan, 2000) on differences, for convex sets that are no box: steps
 * against the gradient, as long as the last two gradients suggest, projected onto the set. Keeps 6 d numbers.
 */
export class ProjectedGradient implements StagedMethod<Name> {
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

  constructor(at: RunContext, { scale, tolerance }: { scale?: Scale; tolerance: number }) {
    const coordinates = coordinatesOf(at, scaleOf('quasi-newton', scale, at.dim))
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

/** Where differences are taken. */
interface Around {
  readonly x: Vector
  readonly value: number
  /** The step on a coordinate. */
  step(i: number): number
  /** Brings a point into the set, rounded, in place. */
  enter(x: Vector): void
}

/** Sweeps over the points that were brought back, at most; each is a projection per point. */
const maxSweeps = 12

/**
 * The gradient for any convex set, from one batch of points that lie in it. A point that would leave the set is brought back;
 * of the two sides of x the one is taken on which more of the step remains. Where it remains whole, this is an ordinary
 * difference. For the others, g is the solution of step_i' g = f(x + step_i) - f(x) by Gauss and Seidel: the Jacobian of a
 * projection is symmetric and positive semidefinite, and what a thin set such as a simplex leaves open is of no use in it.
 */
export function* projectedDifferences(around: Around): Generator<Batch, Float64Array, Float64Array> {
  const { x, value } = around
  const point = x.slice()
  const place = (i: number, step: number): void => {
    point.set(x)
    point[i] = (x[i] as number) + step
    around.enter(point)
  }
  const moved = (i: number, step: number): number => {
    place(i, step)
    return Math.abs((point[i] as number) - (x[i] as number))
  }
  const steps = Float64Array.from(x, (_, i) => {
    const step = around.step(i)
    const ahead = moved(i, step)
    if (ahead >= 0.99 * step) return step
    const behind = moved(i, -step)
    return Math.max(ahead, behind) < 0.01 * step ? 0 : ahead >= behind ? step : -step
  })
  const moving = Array.from(x.keys()).filter((i) => steps[i] !== 0)
  const slopes = new Float64Array(x.length)
  if (moving.length === 0) return slopes
  const values = yield {
    rows: moving.length,
    write(row, into, offset) {
      const i = moving[row] as number
      place(i, steps[i] as number)
      into.set(point, offset)
    },
  }
  const broughtBack: number[] = []
  moving.forEach((i, row) => {
    place(i, steps[i] as number)
    const change = (values[row] as number) - value
    slopes[i] = finite(change / ((point[i] as number) - (x[i] as number)))
    if (Number.isFinite(change) && othersMoved(point, x, i)) broughtBack.push(row)
  })
  for (let sweep = 0; sweep < maxSweeps && broughtBack.length > 0; sweep++) {
    let [largestChange, largestSlope] = [0, 0]
    for (const row of broughtBack) {
      const i = moving[row] as number
      place(i, steps[i] as number)
      const rest = (values[row] as number) - value - dotDifference(slopes, point, x)
      const change = finite(rest / ((point[i] as number) - (x[i] as number)))
      slopes[i] = (slopes[i] as number) + change
      largestChange = Math.max(largestChange, Math.abs(change))
      largestSlope = Math.max(largestSlope, Math.abs(slopes[i] as number))
    }
    if (largestChange <= 1e-7 * largestSlope) break
  }
  return slopes
}

function othersMoved(point: Vector, x: Vector, i: number): boolean {
  return point.some((value, j) => j !== i && value !== x[j])
}

function finite(slope: number): number {
  return Number.isFinite(slope) ? slope : 0
}
