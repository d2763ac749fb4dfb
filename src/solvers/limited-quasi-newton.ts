// Over 250 lines because the stages of one method are read as one page.
import { atLeast, dot, isUneven, median, norm } from '../algebra/vectors.ts'
import type { Begin, Key, Memory, Vector } from '../core/types.ts'
import { type Coordinates, randomCoordinates, settle, sizeOf } from '../staged/coordinates.ts'
import { differences } from '../staged/differences.ts'
import { lineSearch } from '../staged/line-search.ts'
import { askStart, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'

/** Steps to remember, and the relative gain that is too small. */
export interface LimitedSettings {
  readonly pairs: number
  readonly tolerance: number
}

type Name = 'start' | 'probe' | 'gradient' | 'search'

/**
 * L-BFGS on differences, with `pairs` pairs of steps and changes of the gradient: (2 pairs + 6) d numbers. Ten probes decide
 * between a diagonal, for one more gradient, and one number as first matrix. Coordinates that a bound holds back stay there.
 */
export function limitedQuasiNewton(at: Begin, coordinates: Coordinates, settings: LimitedSettings): StagedMethod<Name> {
  return new LimitedQuasiNewton(at, coordinates, settings)
}

class LimitedQuasiNewton implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = {
    start: () => this.#start(),
    probe: (key: Key) => this.#probe(key),
    gradient: () => this.#gradient(),
    search: () => this.#search(),
  }
  readonly #at: Coordinates
  readonly #pairs: number
  readonly #tolerance: number
  readonly #diagonal: Float64Array
  readonly #slopes: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #slopesBefore: Float64Array
  readonly #step: Float64Array
  /** Steps and changes of the gradient, the oldest overwritten by the newest. */
  readonly #moves: Float64Array
  readonly #changes: Float64Array
  readonly #state

  constructor(at: Begin, coordinates: Coordinates, { pairs, tolerance }: LimitedSettings) {
    this.#tolerance = tolerance
    const { dim } = at
    this.#at = coordinates
    this.#pairs = pairs
    this.point = copyOf(at, at.start)
    const room = (length: number): Float64Array => new Float64Array(length)
    this.#diagonal = room(dim)
    this.#slopes = room(dim)
    this.#before = room(dim)
    this.#slopesBefore = room(dim)
    this.#step = room(dim)
    this.#moves = room(pairs * dim)
    this.#changes = room(pairs * dim)
    this.#state = {
      value: at.startValue ?? Number.NaN,
      /** How many pairs there were so far. */
      learned: 0,
      hasDiagonal: false,
      curvature: 0,
      isFirst: true,
      hasBefore: false,
      isCentral: false,
      smallGains: 0,
    }
    this.memory = {
      vectors: {
        diagonal: this.#diagonal,
        slopes: this.#slopes,
        before: this.#before,
        slopesBefore: this.#slopesBefore,
        step: this.#step,
        moves: this.#moves,
        changes: this.#changes,
      },
      state: this.#state,
    }
  }

  *#start(): Stage<Name> {
    const value = yield* askStart(this.point, this.#state.value)
    this.#state.value = value
    return Number.isNaN(value) ? 'converged' : 'probe'
  }

  *#probe(key: Key): Stage<Name> {
    const along = randomCoordinates(this.#at.dim, Math.min(10, this.#at.dim), { ...key, row: 0 })
    const step = (i: number): number => this.#interval('probe') * sizeOf(this.#at, this.point, i)
    const { curvatures } = yield* differences(this.#at, { ...this.#here, along, step, central: true })
    const sizes = curvatures.map((each, j) => Math.abs(each) * this.#square(along[j] as number))
    this.#state.hasDiagonal = isUneven(sizes)
    this.#state.curvature = median(sizes)
    return 'gradient'
  }

  *#gradient(): Stage<Name> {
    const state = this.#state
    const isDiagonal = state.isFirst && state.hasDiagonal
    const central = isDiagonal || state.isCentral
    const share = this.#interval(isDiagonal ? 'probe' : central ? 'central' : 'forward')
    const step = (i: number): number => share * sizeOf(this.#at, this.point, i)
    const { slopes, curvatures } = yield* differences(this.#at, { ...this.#here, step, central })
    this.#slopes.set(slopes)
    if (isDiagonal) {
      const sizes = curvatures.map((each, i) => each * this.#square(i))
      this.#diagonal.set(atLeast(sizes, 1e-6).map((each, i) => each / this.#square(i)))
    }
    if (state.hasBefore) this.#learn()
    return this.#chooseStep()
  }

  *#search(): Stage<Name> {
    const state = this.#state
    const x = this.point
    const found = yield* lineSearch({
      value: state.value,
      slope: dot(this.#slopes, this.#step),
      at: (t) =>
        settle(
          this.#at,
          this.#step.map((each, i) => (x[i] as number) + t * each),
        ),
      first: 1,
      most: 6,
      extra: 0.02,
      tiny: 0,
    })
    if (found.point === null) return this.#refine()
    const share = (state.value - found.value) / Math.max(Math.abs(state.value), 1e-300)
    if (share < 1e-10) state.isCentral = true
    state.smallGains = share < this.#tolerance ? state.smallGains + 1 : 0
    this.#before.set(x)
    this.#slopesBefore.set(this.#slopes)
    state.hasBefore = true
    state.isFirst = false
    this.point.set(found.point)
    state.value = found.value
    return state.smallGains > 2 ? 'converged' : 'gradient'
  }

  get #here(): { x: Vector; value: number } {
    return { x: this.point, value: this.#state.value }
  }

  /** The square of a typical size: curvatures times it are those where variables are measured in their sizes. */
  #square(i: number): number {
    const size = this.#at.typical[i] as number
    return size * size
  }

  /** The length of a gradient, measured so. */
  #steepness(slopes: Float64Array): number {
    return norm(slopes.map((each, i) => each * (this.#at.typical[i] as number)))
  }

  #interval(kind: keyof typeof intervals): number {
    return intervals[kind][this.#at.unit > 1e-12 ? 'float32' : 'float64']
  }

  /** Better differences at the same point; the end where there are none. */
  #refine(): Name | 'converged' {
    if (this.#state.isCentral) return 'converged'
    this.#state.isCentral = true
    this.#state.isFirst = false
    this.#state.hasBefore = false
    return 'gradient'
  }

  /** Takes the last move into the memory, if the gradient rose along it. */
  #learn(): void {
    const { dim } = this.#at
    const from = (this.#state.learned % this.#pairs) * dim
    const move = this.#before.map((each, i) => (this.point[i] as number) - each)
    const change = this.#slopesBefore.map((each, i) => (this.#slopes[i] as number) - each)
    const sizes = this.#at.typical
    const length = norm(move.map((each, i) => each / (sizes[i] as number)))
    if (!(dot(move, change) > 1e-10 * length * this.#steepness(change))) return
    this.#moves.set(move, from)
    this.#changes.set(change, from)
    this.#state.learned++
  }

  #chooseStep(): Name | 'converged' {
    const state = this.#state
    const free = this.#freeSlopes()
    let step = this.#newton(free)
    if (!(dot(step, free) < 0)) {
      state.learned = 0
      const length = Math.max(this.#steepness(free), 1e-300)
      step = free.map((each, i) => (-each / length) * this.#square(i))
    }
    const slope = dot(step, free)
    if (!(slope < 0 && slope > -Infinity)) return this.#refine()
    let reach = 0
    for (let i = 0; i < step.length; i++) {
      reach = Math.max(reach, Math.abs(step[i] as number) / sizeOf(this.#at, this.point, i))
    }
    // Without a diagonal there is no reason yet to trust its length.
    const isTooLong = state.isFirst && !state.hasDiagonal && reach > 1
    this.#step.set(isTooLong ? step.map((each) => each / reach) : step)
    return 'search'
  }

  /** The gradient, 0 where a bound holds a coordinate back. */
  #freeSlopes(): Float64Array {
    const { bounds } = this.#at
    if (bounds === undefined) return this.#slopes.slice()
    return this.#slopes.map((slope, i) => {
      const x = this.point[i] as number
      return (x <= (bounds.lower[i] as number) && slope > 0) || (x >= (bounds.upper[i] as number) && slope < 0)
        ? 0
        : slope
    })
  }

  /** -H g by the two loops over the pairs (Nocedal, 1980), with H_0 = D^-1 scaled by the newest pair. */
  #newton(free: Float64Array): Float64Array {
    const { learned, hasDiagonal, curvature } = this.#state
    const { dim } = this.#at
    const q = free.slice()
    const kept = Math.min(learned, this.#pairs)
    const weights = new Float64Array(kept)
    const pair = (age: number): [Float64Array, Float64Array] => {
      const from = ((learned - 1 - age) % this.#pairs) * dim
      return [this.#moves.subarray(from, from + dim), this.#changes.subarray(from, from + dim)]
    }
    for (let age = 0; age < kept; age++) {
      const [move, change] = pair(age)
      const weight = dot(move, q) / dot(move, change)
      weights[age] = weight
      for (let i = 0; i < dim; i++) q[i] = (q[i] as number) - weight * (change[i] as number)
    }
    const first = (i: number): number => {
      if (hasDiagonal) return 1 / (this.#diagonal[i] as number)
      return this.#square(i) * (kept > 0 ? 1 : 1 / Math.max(curvature, 1e-300))
    }
    const scale = kept > 0 ? scaleOf(...pair(0), first) : 1
    for (let i = 0; i < dim; i++) q[i] = (q[i] as number) * first(i) * scale
    for (let age = kept - 1; age >= 0; age--) {
      const [move, change] = pair(age)
      const weight = (weights[age] as number) - dot(change, q) / dot(move, change)
      for (let i = 0; i < dim; i++) q[i] = (q[i] as number) + weight * (move[i] as number)
    }
    return q.map((each, i) => (free[i] === 0 ? 0 : -each))
  }
}

/** Intervals as shares of a variable's size. Those for float32 are longer by the ratio of the roundings to 1/2, 1/3 and 1/4. */
const intervals = {
  forward: { float64: 1.5e-8, float32: 3.5e-4 },
  central: { float64: 6e-6, float32: 5e-3 },
  probe: { float64: 1e-4, float32: 1.5e-2 },
} as const

/** s'y / y'H_0 y: H_0 then fits the newest pair along y. */
function scaleOf(move: Float64Array, change: Float64Array, first: (i: number) => number): number {
  let weighted = 0
  for (let i = 0; i < change.length; i++) weighted += (change[i] as number) * (change[i] as number) * first(i)
  return dot(move, change) / weighted
}
