// Over 250 lines because the stages of one method are read as one page.
import { quadraticStep } from '../algebra/box-quadratic.ts'
import { dampedUpdate, positive } from '../algebra/quasi-newton-matrix.ts'
import { atLeast, diagonal, dot, isUneven, largest, median } from '../algebra/vectors.ts'
import type { Begin, Key, Memory, Vector } from '../core/types.ts'
import {
  type Coordinates,
  longestStep,
  randomCoordinates,
  reachOf,
  settle,
  shorten,
  sizeOf,
} from '../staged/coordinates.ts'
import { type Differences, differences } from '../staged/differences.ts'
import { lineSearch } from '../staged/line-search.ts'
import { askStart, type Batch, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'

/** What a run of the method is given beside its beginning. */
export interface DenseSettings {
  /** Queries that the whole run may use: a full Hessian is bought only where enough of them are left. */
  readonly horizon: number
  /** A run that will not get below this value is given up. */
  readonly abandonAbove?: number | undefined
  /** The relative gain that is too small. */
  readonly tolerance: number
}

type Name = 'start' | 'probe' | 'gradient' | 'search'

/**
 * BFGS with a dense matrix on differences. The first matrix is the diagonal of central differences; from it on, the
 * curvature in the matrix chooses the intervals. A full Hessian is bought once, when twice its price has been spent.
 */
export function denseQuasiNewton(at: Begin, coordinates: Coordinates, settings: DenseSettings): StagedMethod<Name> {
  return new DenseQuasiNewton(at, coordinates, settings)
}

class DenseQuasiNewton implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = {
    start: () => this.#start(),
    probe: (key: Key) => this.#probe(key),
    gradient: () => this.#gradient(),
    search: () => this.#search(),
  }
  readonly #at: Coordinates
  /** Squares of the typical sizes. */
  readonly #squares: Float64Array
  readonly #settings: DenseSettings
  readonly #warn: (message: string) => void
  /** The matrix B of the model g'p + p'Bp / 2. */
  readonly #matrix: Float64Array
  readonly #gradientThere: Float64Array
  readonly #curvatures: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #gradientBefore: Float64Array
  readonly #step: Float64Array
  readonly #state

  constructor(at: Begin, coordinates: Coordinates, settings: DenseSettings) {
    const { dim } = at
    this.#at = coordinates
    this.#squares = coordinates.typical.map((size) => size * size)
    this.#settings = settings
    this.#warn = at.warn
    this.point = copyOf(at, at.start)
    this.#matrix = new Float64Array(dim * dim)
    this.#gradientThere = new Float64Array(dim)
    this.#curvatures = new Float64Array(dim)
    this.#before = new Float64Array(dim)
    this.#gradientBefore = new Float64Array(dim)
    this.#step = new Float64Array(dim)
    this.#state = {
      value: at.startValue ?? Number.NaN,
      asked: 0,
      iterations: 0,
      /** Whether there is a matrix; whether no step was taken with it yet; whether it came from a diagonal. */
      hasMatrix: false,
      isFresh: true,
      hasDiagonal: true,
      /** Whether there is a gradient before this one. */
      hasBefore: false,
      isCentral: false,
      hasHessian: false,
      /** The middle of the curvatures that were probed. */
      curvature: 0,
      smallGains: 0,
      /** The value at the start, what the last step promised, and whether differences saw nothing at all. */
      first: at.startValue ?? Number.NaN,
      promised: 0,
      isFlat: false,
    }
    this.memory = {
      vectors: {
        matrix: this.#matrix,
        gradient: this.#gradientThere,
        curvatures: this.#curvatures,
        before: this.#before,
        gradientBefore: this.#gradientBefore,
        step: this.#step,
      },
      state: this.#state,
    }
  }

  get isDoubtful(): boolean {
    const { first, value, promised, isFlat } = this.#state
    return isFlat || promised > 1e-8 * (first - value)
  }

  *#start(): Stage<Name> {
    const isKnown = !Number.isNaN(this.#state.value)
    const value = yield* askStart(this.point, this.#state.value)
    this.#state.value = value
    this.#state.first = value
    if (Number.isNaN(value)) return 'converged'
    if (!isKnown) this.#state.asked++
    return this.#at.dim >= 10 ? 'probe' : 'gradient'
  }

  /** Looks at the curvature along a few coordinates: where all are alike, a diagonal is not worth its queries. */
  *#probe(key: Key): Stage<Name> {
    const { dim } = this.#at
    const along = randomCoordinates(dim, Math.min(10, dim >> 1), { ...key, row: 0 })
    const step = (i: number): number => 1e-4 * sizeOf(this.#at, this.point, i)
    const found = yield* this.#differences({ along, step, central: true })
    const sizes = found.curvatures.map((each, j) => Math.abs(each) * (this.#squares[along[j] as number] as number))
    this.#state.hasDiagonal = isUneven(sizes, 100)
    this.#state.curvature = median(sizes)
    this.#state.asked += 2 * along.length
    return 'gradient'
  }

  *#gradient(): Stage<Name> {
    const state = this.#state
    const isFull = this.#affordsHessian()
    const isFirst = !state.hasMatrix && state.hasDiagonal
    const central = isFull || isFirst || state.isCentral
    const wanted = isFull || isFirst ? 'hessian' : central ? 'central' : 'forward'
    const found = yield* this.#differences({ step: (i) => this.#interval(i, wanted), central })
    const hessian = isFull ? yield* this.#crossDifferences(found) : null
    state.asked += (central ? 2 : 1) * this.#at.dim + (hessian === null ? 0 : this.#price - this.#at.dim)
    this.#gradientThere.set(found.slopes)
    if (central) this.#curvatures.set(found.curvatures)
    state.isFlat = central && largest(found.slopes) === 0 && largest(found.curvatures) === 0
    if (isFirst) this.#checkScales(found)
    if (isFull) state.hasHessian = true
    if (hessian?.every(Number.isFinite)) this.#take(this.#positive(hessian))
    this.#learn()
    return this.#chooseStep()
  }

  *#search(): Stage<Name> {
    const state = this.#state
    const x = this.point
    const slope = dot(this.#gradientThere, this.#step)
    const reach = reachOf(this.#at, x, this.#step)
    const found = yield* lineSearch({
      value: state.value,
      slope,
      at: (t) =>
        settle(
          this.#at,
          this.#step.map((each, i) => (x[i] as number) + t * each),
        ),
      first: 1,
      most: 4,
      extra: 0.1,
      tiny: 1e-15 / Math.max(reach, 1e-300),
    })
    state.asked += found.asked
    state.iterations++
    state.promised = -0.5 * slope
    const gain = state.value - found.value
    const { abandonAbove } = this.#settings
    const isHopeless =
      abandonAbove !== undefined &&
      state.iterations > 2 &&
      found.value - 10 * Math.max(gain, 0) > abandonAbove + 1e-9 * Math.abs(abandonAbove)
    const isStuck = found.distance < stuckBelow
    if (found.point !== null && gain > 0) return this.#move(found.point, found.value, isHopeless, isStuck)
    return isHopeless ? 'converged' : this.#fail()
  }

  #move(to: Vector, value: number, isHopeless: boolean, isStuck: boolean): Name | 'converged' {
    const state = this.#state
    const share = (state.value - value) / Math.max(Math.abs(state.value), 1e-300)
    this.#before.set(this.point)
    this.#gradientBefore.set(this.#gradientThere)
    state.hasBefore = true
    this.point.set(to)
    state.value = value
    state.smallGains = share < this.#settings.tolerance || isStuck ? state.smallGains + 1 : 0
    if (isHopeless) return 'converged'
    if (state.smallGains > 2) {
      if (state.isCentral) return 'converged'
      state.smallGains = 0
      state.isCentral = true
    } else if (share < 1e-9 || isStuck) state.isCentral = true
    return 'gradient'
  }

  /** No lower point on the line: better differences, then a new diagonal, then the end. */
  #fail(): Name | 'converged' {
    const state = this.#state
    if (!state.isCentral) state.isCentral = true
    else if (!state.isFresh) {
      this.#matrix.set(diagonal(this.#bounded(1e-10)))
      state.isFresh = true
      state.hasDiagonal = true
    } else return 'converged'
    state.hasBefore = false
    return 'gradient'
  }

  /** Warns where the sizes of the variables are wrong by far; curvatures below rounding count as that. */
  #checkScales({ slopes, curvatures, ahead, steps }: Differences): void {
    // A restart may begin anywhere.
    if (this.#settings.abandonAbove !== undefined) return
    const rounding = 4 * this.#at.unit * Math.max(Math.abs(this.#state.value), largest(ahead.filter(Number.isFinite)))
    const seen = curvatures.map((each, i) => {
      const step = steps[i] as number
      return Math.max(Math.abs(each), rounding / (step * step)) * (this.#squares[i] as number)
    })
    let [least, most] = [-1, -1]
    for (let i = 0; i < seen.length; i++) {
      // A variable that changes nothing has no scale.
      if (curvatures[i] === 0 && slopes[i] === 0) continue
      if (least < 0 || (seen[i] as number) < (seen[least] as number)) least = i
      if (most < 0 || (seen[i] as number) > (seen[most] as number)) most = i
    }
    const ratio = (seen[most] as number) / (seen[least] as number)
    if (!(ratio > tooUneven)) return
    const which = `the curvatures along variables ${most} and ${least} differ by a factor of ${ratio.toExponential(0)}`
    this.#warn(`bad scaling: ${which}; set scale to the usual size of each variable`)
  }

  /** Queries of a full Hessian beyond the differences of a gradient. */
  get #price(): number {
    return (this.#at.dim * (this.#at.dim + 1)) / 2
  }

  #affordsHessian(): boolean {
    const { hasHessian, asked } = this.#state
    const isDue = asked >= 2 * this.#price && this.#settings.horizon - asked > 3 * this.#price
    return !hasHessian && isDue && this.#at.dim <= 100
  }

  *#differences(how: {
    along?: ArrayLike<number>
    step: (i: number) => number
    central: boolean
  }): Generator<Batch, Differences, Float64Array> {
    return yield* differences(this.#at, { x: this.point, value: this.#state.value, ...how })
  }

  /** The mixed second differences, from the points that the gradient has asked about on the first side. */
  *#crossDifferences(found: Differences): Generator<Batch, Float64Array, Float64Array> {
    const { curvatures, ahead, steps, reached } = found
    const { dim } = this.#at
    const x = this.point
    const pairs: [number, number][] = []
    const canMove = (i: number): boolean => reached[i] !== x[i]
    for (let i = 0; i < dim; i++) for (let j = 0; j < i; j++) if (canMove(i) && canMove(j)) pairs.push([i, j])
    const hessian = diagonal(curvatures)
    if (pairs.length === 0) return hessian
    const values = yield {
      rows: pairs.length,
      write(row, into, offset) {
        into.set(x, offset)
        for (const i of pairs[row] as [number, number]) into[offset + i] = reached[i] as number
      },
    }
    pairs.forEach(([i, j], row) => {
      const mixed = (values[row] as number) - (ahead[i] as number) - (ahead[j] as number) + this.#state.value
      const entry = mixed / ((steps[i] as number) * (steps[j] as number))
      hessian[i * dim + j] = entry
      hessian[j * dim + i] = entry
    })
    return hessian
  }

  /** How far differences reach on a coordinate: where rounding and curvature spoil them equally, as far as B tells. */
  #interval(i: number, kind: keyof typeof intervals): number {
    const { usual, factor, least, most, coarser } = intervals[kind]
    const size = sizeOf(this.#at, this.point, i)
    const { dim, unit } = this.#at
    const curvature = this.#state.hasMatrix ? Math.abs(this.#matrix[i * dim + i] as number) : 0
    const coarse = unit > 1e-12 ? coarser : 1
    if (!(curvature > 0)) return usual * coarse * size
    const rounding = 4 * unit * Math.max(Math.abs(this.#state.value), 1e-30)
    const wanted = factor * Math.sqrt(rounding / curvature)
    return Math.min(Math.max(wanted, least * coarse * size), most * coarse * size)
  }

  #take(matrix: Float64Array): void {
    this.#matrix.set(matrix)
    this.#state.hasMatrix = true
    this.#state.hasBefore = false
    this.#state.isFresh = false
  }

  /** Brings the matrix up to date with the gradient, or makes the first one. */
  #learn(): void {
    const state = this.#state
    const g = this.#gradientThere
    if (state.hasBefore) {
      const s = this.#before.map((each, i) => (this.point[i] as number) - each)
      const y = this.#gradientBefore.map((each, i) => (g[i] as number) - each)
      const sy = dot(s, y)
      if (state.isFresh && !state.hasDiagonal && sy > 0) this.#matrix.set(this.#even(this.#steepness(y, y) / sy))
      dampedUpdate(this.#matrix, s, y)
      state.isFresh = false
    }
    if (state.hasMatrix) return
    const same = state.curvature > 0 ? state.curvature : Math.max(Math.sqrt(this.#steepness(g, g)), 1e-300)
    this.#matrix.set(state.hasDiagonal ? diagonal(this.#bounded(1e-6)) : this.#even(same))
    state.hasMatrix = true
  }

  /** Curvatures, none below a share of the largest, where the variables are measured in their typical sizes. */
  #bounded(share: number): Float64Array {
    const squares = this.#squares
    const sizes = atLeast(
      this.#curvatures.map((each, i) => each * (squares[i] as number)),
      share,
    )
    return sizes.map((each, i) => each / (squares[i] as number))
  }

  /** The matrix with the same curvature along all variables, measured so. */
  #even(curvature: number): Float64Array {
    return diagonal(this.#squares.map((square) => curvature / square))
  }

  /** The product of two gradients, measured so. */
  #steepness(a: Float64Array, b: Float64Array): number {
    let sum = 0
    for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number) * (this.#squares[i] as number)
    return sum
  }

  /** A Hessian made positive definite, measured so. */
  #positive(hessian: Float64Array): Float64Array {
    const { dim, typical } = this.#at
    const size = (at: number): number => (typical[Math.floor(at / dim)] as number) * (typical[at % dim] as number)
    const made = positive(
      hessian.map((each, at) => each * size(at)),
      dim,
    )
    return made.map((each, at) => each / size(at))
  }

  /** The step to search along; straight down where the matrix gives none. */
  #chooseStep(): Name | 'converged' {
    const state = this.#state
    const { bounds } = this.#at
    const [x, g] = [this.point, this.#gradientThere]
    const limits = bounds && {
      below: bounds.lower.map((each, i) => each - (x[i] as number)),
      above: bounds.upper.map((each, i) => each - (x[i] as number)),
    }
    const step = quadraticStep(this.#matrix, g, limits) ?? this.#downhill()
    if (step === null) {
      if (state.isCentral) return 'converged'
      state.isCentral = true
      state.hasBefore = false
      return 'gradient'
    }
    this.#step.set(step)
    // Nothing says yet that the steps of a new matrix have the right length.
    shorten(this.#at, x, this.#step, state.isFresh ? 1 : longestStep)
    return 'search'
  }

  /** A step of length 1 against the gradient, cut at the bounds; null where that leads nowhere. */
  #downhill(): Float64Array | null {
    const g = this.#gradientThere
    const length = Math.max(Math.sqrt(this.#steepness(g, g)), 1e-300)
    this.#matrix.set(this.#even(length))
    this.#state.isFresh = true
    this.#state.hasDiagonal = false
    const to = settle(
      this.#at,
      g.map((each, i) => (this.point[i] as number) - (each * (this.#squares[i] as number)) / length),
    )
    const step = to.map((each, i) => each - (this.point[i] as number))
    return dot(step, g) < 0 ? step : null
  }
}

/** A search that gets no further than this share of its step went the wrong way: the gradient is rounding. */
const stuckBelow = 1e-6

/** Curvatures that differ by more than this are a matter of units. */
const tooUneven = 1e12

/**
 * Intervals as shares of a variable's size, and in units of sqrt(rounding / curvature). Points in float32 need longer ones: by
 * the ratio of the roundings, 2^29, to the power of 1/2, 1/3 and 1/4.
 */
const intervals = {
  forward: { usual: 1.5e-8, factor: 2, least: 1e-9, most: 1e-5, coarser: 23_170 },
  central: { usual: 6e-6, factor: 30, least: 1e-7, most: 1e-3, coarser: 812 },
  hessian: { usual: 1e-4, factor: 300, least: 1e-5, most: 1e-2, coarser: 152 },
} as const
