import { atLeast, dot, isUneven, largest, median, norm } from '../algebra/vectors.ts'
import type { Begin, Key, Memory, Vector } from '../core/types.ts'
import { type Coordinates, longestStep, randomCoordinates, settle, shorten, sizeOf } from '../staged/coordinates.ts'
import { differences } from '../staged/differences.ts'
import { lineSearch } from '../staged/line-search.ts'
import { askStart, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { type Curvature, freeSlopes, limitedCurvature } from './curvature.ts'

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
  readonly #model: Curvature
  readonly #tolerance: number
  readonly #slopes: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #slopesBefore: Float64Array
  readonly #step: Float64Array
  readonly #state

  constructor(at: Begin, coordinates: Coordinates, { pairs, tolerance }: LimitedSettings) {
    this.#tolerance = tolerance
    const { dim } = at
    this.#at = coordinates
    this.#model = limitedCurvature(coordinates, pairs)
    this.point = copyOf(at, at.start)
    const room = (length: number): Float64Array => new Float64Array(length)
    this.#slopes = room(dim)
    this.#before = room(dim)
    this.#slopesBefore = room(dim)
    this.#step = room(dim)
    this.#state = {
      value: at.startValue ?? Number.NaN,
      hasDiagonal: false,
      curvature: 0,
      isFirst: true,
      hasBefore: false,
      isCentral: false,
      smallGains: 0,
      /** The value at the start, what the last step promised, and whether differences saw nothing at all. */
      first: at.startValue ?? Number.NaN,
      promised: 0,
      isFlat: false,
    }
    this.memory = {
      vectors: {
        slopes: this.#slopes,
        before: this.#before,
        slopesBefore: this.#slopesBefore,
        step: this.#step,
      },
      state: this.#state,
      parts: { model: this.#model.memory },
    }
  }

  get isDoubtful(): boolean {
    const { first, value, promised, isFlat } = this.#state
    return isFlat || promised > 1e-8 * (first - value)
  }

  *#start(): Stage<Name> {
    const value = yield* askStart(this.point, this.#state.value)
    this.#state.value = value
    this.#state.first = value
    return Number.isNaN(value) ? 'converged' : 'probe'
  }

  *#probe(key: Key): Stage<Name> {
    const along = randomCoordinates(this.#at.dim, Math.min(10, this.#at.dim), { ...key, row: 0 })
    const step = (i: number): number => this.#interval('probe') * sizeOf(this.#at, this.point, i)
    const { curvatures } = yield* differences(this.#at, { ...this.#here, along, step, central: true })
    const sizes = curvatures.map((each, j) => Math.abs(each) * this.#square(along[j] as number))
    this.#state.hasDiagonal = isUneven(sizes, 4)
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
    state.isFlat = central && largest(slopes) === 0 && largest(curvatures) === 0
    if (state.isFirst) {
      const same = Math.max(state.curvature, 1e-300)
      const sizes = isDiagonal
        ? atLeast(
            curvatures.map((each, i) => each * this.#square(i)),
            1e-6,
          )
        : curvatures.map(() => same)
      this.#model.begin(sizes.map((each, i) => each / this.#square(i)))
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
    state.promised = -0.5 * dot(this.#slopes, this.#step)
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

  /** Takes in how the gradient changed along the last move. */
  #learn(): void {
    const move = this.#before.map((each, i) => (this.point[i] as number) - each)
    const change = this.#slopesBefore.map((each, i) => (this.#slopes[i] as number) - each)
    this.#model.learn(move, change)
  }

  #chooseStep(): Name | 'converged' {
    const state = this.#state
    const step = this.#model.step(this.#slopes, this.point) ?? this.#downhill()
    const slope = dot(step, this.#slopes)
    if (!(slope < 0 && slope > -Infinity)) return this.#refine()
    // Without a diagonal nothing says yet that it has the right length.
    shorten(this.#at, this.point, step, state.isFirst && !state.hasDiagonal ? 1 : longestStep)
    this.#step.set(step)
    return 'search'
  }

  /** A step of length 1 against the gradient, where the model gives none; the model forgets all but its diagonal. */
  #downhill(): Float64Array {
    this.#model.simplify()
    const free = freeSlopes(this.#at, this.#slopes, this.point)
    const length = Math.max(norm(free.map((each, i) => each * (this.#at.typical[i] as number))), 1e-300)
    return free.map((each, i) => (-each / length) * this.#square(i))
  }
}

/** Intervals as shares of a variable's size. Those for float32 are longer by the ratio of the roundings to 1/2, 1/3 and 1/4. */
const intervals = {
  forward: { float64: 1.5e-8, float32: 3.5e-4 },
  central: { float64: 6e-6, float32: 5e-3 },
  probe: { float64: 1e-4, float32: 1.5e-2 },
} as const
