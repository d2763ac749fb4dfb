import { count, numberFrom, oneOf, optional, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Key, Memory, RunContext, SavedMemory, Solver, State, Vector } from '../core/types.ts'
import { dampedUpdate, positive } from '../numerics/matrices.ts'
import { ascending, atLeast, diagonal, dot, isUneven, largest, median, norm } from '../numerics/vectors.ts'
import { setKindOf, usesDense } from './auto-rule.ts'
import { boxedStep, type Curvature, freeSlopes, limitedCurvature } from './curvature.ts'
import { copyOf, type Scale, scaleOf, scaleOption } from './points.ts'
import { ProjectedGradient } from './projected-gradient.ts'
import {
  type Coordinates,
  coordinatesOf,
  type Differences,
  differences,
  type Lowest,
  lineSearch,
  longestStep,
  randomCoordinates,
  reachOf,
  settle,
  shorten,
  sizeOf,
} from './staged/coordinates.ts'
import { askStart, type Batch, type Stage, type StagedMethod, stagedSolver } from './staged/staged-search.ts'

/** How a quasi-Newton run works, where the problem does not decide it. */
export interface QuasiNewtonSettings {
  readonly matrix?: 'dense' | 'limited' | undefined
  readonly pairs: number
  readonly scale?: Scale
  readonly tolerance: number
  /** Queries that the whole run may use. */
  readonly horizon?: number | undefined
  /** A run that will not get below this value is given up. */
  readonly abandonAbove?: number | undefined
}

/** The defaults. */
export const usualQuasiNewton: QuasiNewtonSettings = { pairs: 20, tolerance: 1e-13 }

/** Quasi-Newton steps on finite differences, one batch of queries for each gradient: for smooth functions. */
export const quasiNewton = definePart({
  kind: 'solver',
  name: 'quasi-newton',
  summary: 'Finite differences and quasi-Newton steps, for smooth functions.',
  options: table({
    /** A whole matrix of curvatures, or that of the last steps; if left out, by the number of variables and queries. */
    matrix: optional(oneOf('dense', 'limited')),
    /** Steps that the limited matrix is made of. At least 1; default 20. */
    pairs: withDefault(count, usualQuasiNewton.pairs),
    /** Relative gains below this, three times in a row, end the run. At least 0; default 1e-13. */
    tolerance: withDefault(numberFrom(0), usualQuasiNewton.tolerance),
    /** The usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box. */
    scale: scaleOption,
  }),
  examples: () => [{}, { matrix: 'limited', pairs: 3 }, { matrix: 'dense', scale: 0.5 }],
  make: (options): Solver =>
    stagedSolver<string>(
      (at, saved) =>
        setKindOf(at.set) === 'other' ? new ProjectedGradient(at, options) : methodFor(at, options, saved),
      'start',
    ),
})

/** The solver in a box or without bounds, with settings that a user does not give, too. */
export function quasiNewtonSolver(settings: QuasiNewtonSettings): Solver {
  return stagedSolver((at, saved) => methodFor(at, settings, saved), 'start')
}

/** What a method knows of a place from which a dense quasi-Newton run is to go on, and the queries the whole run may use. */
interface Beginning {
  /** Second derivatives, row by row, which choose the intervals of the first differences. */
  readonly curvatures: Float64Array
  readonly horizon: number
}

/** A dense run within another method, which buys its Hessian at once. */
export function quasiNewtonFrom(at: RunContext, { curvatures, horizon }: Beginning): StagedMethod<QuasiNewtonStage> {
  const { tolerance } = usualQuasiNewton
  return new DenseQuasiNewton(at, coordinatesOf(at), { horizon, tolerance, curvatures })
}

/** A run that is extended keeps its kind of matrix: that of its memory. */
function methodFor(at: RunContext, settings: QuasiNewtonSettings, saved: SavedMemory | undefined): QuasiNewton {
  const { matrix, pairs, tolerance, abandonAbove, horizon = at.budget.maxQueries ?? Infinity } = settings
  const coordinates = coordinatesOf(at, scaleOf('quasi-newton', settings.scale, at.dim))
  const usual = saved === undefined ? usesDense(at.dim, horizon) : 'method.matrix' in saved.vectors
  const isDense = matrix === undefined ? usual : matrix === 'dense'
  if (isDense) return new DenseQuasiNewton(at, coordinates, { horizon, abandonAbove, tolerance })
  return new LimitedQuasiNewton(at, coordinates, { pairs, tolerance })
}

export type QuasiNewtonStage = 'start' | 'probe' | 'gradient' | 'search'
type Name = QuasiNewtonStage

/** What a curvature says about the walk that uses it. */
interface Traits {
  /** Coordinates along which the curvature is looked at first, their interval as a share of a variable's size; 0: none. */
  readonly probes: number
  readonly probeShare: number
  /** Curvatures that differ by more than this factor are worth a diagonal. */
  readonly unevenAbove: number
  /** Tries of a line search, and the share of the promised gain for which it goes on beyond the first success. */
  readonly most: number
  readonly extra: number
}

/**
 * BFGS on differences: x <- x + t p with B p = -g, g by differences along the coordinates, t by a line search. The kinds
 * differ in how they keep B, the curvatures, and so in what they can tell of the intervals and of the end.
 */
abstract class QuasiNewton implements StagedMethod<Name> {
  readonly point: Vector
  abstract readonly memory: Memory
  readonly stages = {
    start: () => this.start(),
    probe: (key: Key) => this.probe(key),
    gradient: () => this.gradient(),
    search: () => this.search(),
  }
  protected readonly at: Coordinates
  protected readonly traits: Traits
  /** Squares of the typical sizes: curvatures times them are those where variables are measured in their sizes. */
  protected readonly squares: Float64Array
  protected readonly slopes: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  protected readonly before: Float64Array
  protected readonly slopesBefore: Float64Array
  protected readonly step: Float64Array
  protected readonly state

  constructor(at: RunContext, coordinates: Coordinates, traits: Traits) {
    const { dim, start, startValue = Number.NaN } = at
    this.at = coordinates
    this.traits = traits
    this.squares = coordinates.typical.map((size) => size * size)
    this.point = copyOf(at, start)
    this.slopes = new Float64Array(dim)
    this.before = new Float64Array(dim)
    this.slopesBefore = new Float64Array(dim)
    this.step = new Float64Array(dim)
    this.state = {
      value: startValue,
      asked: 0,
      /** Whether the first curvatures come from a diagonal, and the middle of those that were probed. */
      hasDiagonal: traits.probes === 0,
      curvature: 0,
      /** Whether nothing is known of the curvatures around here, and whether there is a gradient before this one. */
      isFirst: true,
      hasBefore: false,
      isCentral: false,
      smallGains: 0,
      /** The value at the start, what the last step promised, and whether differences saw nothing at all. */
      first: startValue,
      promised: 0,
      isFlat: false,
      /** The coordinate along which the function bends down most, -1 for none, and how often that was followed. */
      bent: -1,
      escapes: 0,
    }
  }

  get isDoubtful(): boolean {
    const { first, value, promised, isFlat } = this.state
    return isFlat || promised > 1e-8 * (first - value)
  }

  /** Takes a gradient, learns from it and chooses the step. */
  protected abstract gradient(): Stage<Name>
  /** What follows a line search. */
  protected abstract searched(found: Lowest): Name | 'converged'
  /** The shortest share of the step that is tried. */
  protected abstract tiny(): number

  /** What is saved: that of all kinds, and that of one. */
  protected remember(own: { vectors?: Memory['vectors']; state: State; parts?: Memory['parts'] }): Memory {
    const { slopes, before, slopesBefore, step } = this
    return {
      vectors: { slopes, before, slopesBefore, step, ...own.vectors },
      state: this.state,
      parts: { own: { state: own.state }, ...own.parts },
    }
  }

  protected *start(): Stage<Name> {
    const { state } = this
    const isKnown = !Number.isNaN(state.value)
    const value = yield* askStart(this.point, state.value)
    state.value = value
    state.first = value
    if (Number.isNaN(value)) return 'converged'
    if (!isKnown) state.asked++
    return this.traits.probes > 0 ? 'probe' : 'gradient'
  }

  /** Looks at the curvature along a few coordinates: where all are alike, a diagonal is not worth its queries. */
  protected *probe(key: Key): Stage<Name> {
    const { probes, probeShare, unevenAbove } = this.traits
    const along = randomCoordinates(this.at.dim, probes, { ...key, row: 0 })
    const step = (i: number): number => probeShare * sizeOf(this.at, this.point, i)
    const { curvatures } = yield* this.differences({ along, step, central: true })
    const sizes = curvatures.map((each, j) => Math.abs(each) * (this.squares[along[j] as number] as number))
    this.state.hasDiagonal = isUneven(sizes, unevenAbove)
    this.state.curvature = median(sizes)
    this.state.asked += 2 * along.length
    return 'gradient'
  }

  protected *search(): Stage<Name> {
    const { state, point: x, step } = this
    const slope = dot(this.slopes, step)
    const found = yield* lineSearch({
      value: state.value,
      slope,
      at: (t) =>
        settle(
          this.at,
          step.map((each, i) => (x[i] as number) + t * each),
        ),
      first: 1,
      most: this.traits.most,
      extra: this.traits.extra,
      tiny: this.tiny(),
    })
    state.asked += found.asked
    state.promised = -0.5 * slope
    return this.searched(found)
  }

  protected *differences(how: {
    along?: ArrayLike<number>
    step: (i: number) => number
    central: boolean
  }): Generator<Batch, Differences, Float64Array> {
    return yield* differences(this.at, { x: this.point, value: this.state.value, ...how })
  }

  /** Takes the slopes found here, and whether they are all there is to see. */
  protected see(found: Differences, central: boolean): void {
    const { slopes, curvatures } = found
    this.slopes.set(slopes)
    this.state.isFlat = central && largest(slopes) === 0 && largest(curvatures) === 0
    this.state.bent = central ? this.#mostBent(found) : -1
  }

  /** The end, unless the function bends down along a coordinate: at a maximum or a saddle, where slopes say nothing, that is a way. */
  protected ended(): Name | 'converged' {
    const { state, step } = this
    if (state.bent < 0 || state.escapes > 2) return 'converged'
    state.escapes++
    step.fill(0)
    step[state.bent] = 0.3 * sizeOf(this.at, this.point, state.bent)
    return 'search'
  }

  /** The coordinate along which the function bends down most, and beyond rounding; none that a bound holds back. */
  #mostBent({ slopes, curvatures, steps }: Differences): number {
    const free = freeSlopes(this.at, slopes, this.point)
    const rounding = 16 * this.at.unit * Math.abs(this.state.value)
    const sizes = curvatures.map((each, i) => {
      const step = steps[i] as number
      return each * step * step < -rounding && free[i] === slopes[i] ? each * (this.squares[i] as number) : 0
    })
    const lowest = -largest(sizes)
    return lowest < 0 ? sizes.indexOf(lowest) : -1
  }

  /** Goes to a lower point, and remembers where it was; the relative gain. */
  protected move(to: Vector, value: number): number {
    const { state } = this
    const share = (state.value - value) / Math.max(Math.abs(state.value), 1e-300)
    this.before.set(this.point)
    this.slopesBefore.set(this.slopes)
    state.hasBefore = true
    this.point.set(to)
    state.value = value
    return share
  }

  /** The last move s and the change y of the gradient along it. */
  protected lastMove(): { s: Float64Array; y: Float64Array } {
    return {
      s: this.before.map((each, i) => (this.point[i] as number) - each),
      y: this.slopesBefore.map((each, i) => (this.slopes[i] as number) - each),
    }
  }
}

/** What the dense kind is given. */
interface DenseSettings {
  /** Queries that the whole run may use: a full Hessian is bought only where enough of them are left. */
  readonly horizon: number
  /** A run that will not get below this value is given up. */
  readonly abandonAbove?: number | undefined
  /** The relative gain that is too small. */
  readonly tolerance: number
  /** Second derivatives to begin with: a full Hessian is bought at once. */
  readonly curvatures?: Float64Array | undefined
}

/** A search that gets no further than this share of its step went the wrong way: the gradient is rounding. */
const stuckBelow = 1e-6

/** Curvatures that differ by more than this are a matter of units. */
const tooUneven = 1e12

/**
 * Intervals as shares of a variable's size, and in units of sqrt(rounding / curvature). Points in float32 need longer ones: by
 * the ratio of the roundings, 2^29, to the power of 1/2, 1/3 and 1/4.
 */
const denseIntervals = {
  forward: { usual: 1.5e-8, factor: 2, least: 1e-9, most: 1e-5, coarser: 23_170 },
  central: { usual: 6e-6, factor: 30, least: 1e-7, most: 1e-3, coarser: 812 },
  hessian: { usual: 1e-4, factor: 300, least: 1e-5, most: 1e-2, coarser: 152 },
} as const

/**
 * BFGS with a dense matrix on differences. The first matrix is the diagonal of central differences; from it on, the
 * curvature in the matrix chooses the intervals. A full Hessian is bought once, when twice its price has been spent.
 */
class DenseQuasiNewton extends QuasiNewton {
  readonly memory: Memory
  readonly #settings: DenseSettings
  readonly #warn: (message: string) => void
  /** The matrix B of the model g'p + p'Bp / 2. */
  readonly #matrix: Float64Array
  readonly #curvatures: Float64Array
  readonly #own = {
    iterations: 0,
    /** Whether no step was taken with the matrix yet. */
    isFresh: true,
    hasHessian: false,
  }

  constructor(at: RunContext, coordinates: Coordinates, settings: DenseSettings) {
    const { dim } = at
    const probes = dim >= 10 && settings.curvatures === undefined ? Math.min(10, dim >> 1) : 0
    super(at, coordinates, { probes, probeShare: 1e-4, unevenAbove: 100, most: 4, extra: 0.1 })
    this.#settings = settings
    this.#warn = at.warn
    this.#matrix = new Float64Array(dim * dim)
    this.#curvatures = new Float64Array(dim)
    if (settings.curvatures !== undefined) {
      this.#matrix.set(settings.curvatures)
      this.state.isFirst = false
    }
    this.memory = this.remember({
      vectors: { matrix: this.#matrix, curvatures: this.#curvatures },
      state: this.#own,
    })
  }

  protected *gradient(): Stage<Name> {
    const { state } = this
    const isFull = this.#affordsHessian()
    const isFirst = state.isFirst && state.hasDiagonal
    const central = isFull || isFirst || state.isCentral
    const wanted = isFull || isFirst ? 'hessian' : central ? 'central' : 'forward'
    const found = yield* this.differences({ step: (i) => this.#interval(i, wanted), central })
    const hessian = isFull ? yield* this.#crossDifferences(found) : null
    state.asked += (central ? 2 : 1) * this.at.dim + (hessian === null ? 0 : this.#price - this.at.dim)
    this.see(found, central)
    if (central) this.#curvatures.set(found.curvatures)
    if (isFirst) this.#checkScales(found)
    if (isFull) this.#own.hasHessian = true
    if (hessian?.every(Number.isFinite)) this.#take(this.#positive(hessian))
    this.#learn()
    return this.#chooseStep()
  }

  protected tiny(): number {
    return 1e-15 / Math.max(reachOf(this.at, this.point, this.step), 1e-300)
  }

  protected searched({ point, value, distance }: Lowest): Name | 'converged' {
    const { state } = this
    this.#own.iterations++
    const gain = state.value - value
    const { abandonAbove } = this.#settings
    const isHopeless =
      abandonAbove !== undefined &&
      this.#own.iterations > 2 &&
      value - 10 * Math.max(gain, 0) > abandonAbove + 1e-9 * Math.abs(abandonAbove)
    if (point === null || !(gain > 0)) return isHopeless ? 'converged' : this.#fail()
    const isStuck = distance < stuckBelow
    const share = this.move(point, value)
    state.smallGains = share < this.#settings.tolerance || isStuck ? state.smallGains + 1 : 0
    if (isHopeless) return 'converged'
    if (state.smallGains > 2) {
      if (state.isCentral) return this.ended()
      state.smallGains = 0
      state.isCentral = true
    } else if (share < 1e-9 || isStuck) state.isCentral = true
    return 'gradient'
  }

  /** No lower point on the line: better differences, then a new diagonal, then the end. */
  #fail(): Name | 'converged' {
    const { state } = this
    if (!state.isCentral) state.isCentral = true
    else if (!this.#own.isFresh) {
      this.#matrix.set(diagonal(this.#bounded(1e-10)))
      this.#own.isFresh = true
      state.hasDiagonal = true
    } else return this.ended()
    state.hasBefore = false
    return 'gradient'
  }

  /** Warns where the sizes of the variables are wrong by far; curvatures below rounding count as that. */
  #checkScales({ slopes, curvatures, ahead, steps }: Differences): void {
    // A restart may begin anywhere.
    if (this.#settings.abandonAbove !== undefined) return
    const rounding = 4 * this.at.unit * Math.max(Math.abs(this.state.value), largest(ahead.filter(Number.isFinite)))
    const seen = curvatures.map((each, i) => {
      const step = steps[i] as number
      return Math.max(Math.abs(each), rounding / (step * step)) * (this.squares[i] as number)
    })
    // A variable that changes nothing has no scale.
    const order = ascending(seen).filter((i) => curvatures[i] !== 0 || slopes[i] !== 0)
    const [least = -1, most = -1] = [order[0], order.at(-1)]
    const ratio = (seen[most] as number) / (seen[least] as number)
    if (!(ratio > tooUneven)) return
    const which = `the curvatures along variables ${most} and ${least} differ by a factor of ${ratio.toExponential(0)}`
    this.#warn(`bad scaling: ${which}; set scale to the usual size of each variable`)
  }

  /** Queries of a full Hessian beyond the differences of a gradient. */
  get #price(): number {
    return (this.at.dim * (this.at.dim + 1)) / 2
  }

  #affordsHessian(): boolean {
    const { asked } = this.state
    const { hasHessian } = this.#own
    if (this.#settings.curvatures !== undefined) return !hasHessian
    const isDue = asked >= 2 * this.#price && this.#settings.horizon - asked > 3 * this.#price
    return !hasHessian && isDue && this.at.dim <= 100
  }

  /** The mixed second differences, from the points that the gradient has asked about on the first side. */
  *#crossDifferences(found: Differences): Generator<Batch, Float64Array, Float64Array> {
    const { curvatures, ahead, steps, reached } = found
    const { dim } = this.at
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
      const mixed = (values[row] as number) - (ahead[i] as number) - (ahead[j] as number) + this.state.value
      const entry = mixed / ((steps[i] as number) * (steps[j] as number))
      hessian[i * dim + j] = entry
      hessian[j * dim + i] = entry
    })
    return hessian
  }

  /** How far differences reach on a coordinate: where rounding and curvature spoil them equally, as far as B tells. */
  #interval(i: number, kind: keyof typeof denseIntervals): number {
    const { usual, factor, least, most, coarser } = denseIntervals[kind]
    const size = sizeOf(this.at, this.point, i)
    const { dim, unit } = this.at
    const curvature = this.state.isFirst ? 0 : Math.abs(this.#matrix[i * dim + i] as number)
    const coarse = unit > 1e-12 ? coarser : 1
    if (!(curvature > 0)) return usual * coarse * size
    const rounding = 4 * unit * Math.max(Math.abs(this.state.value), 1e-30)
    const wanted = factor * Math.sqrt(rounding / curvature)
    return Math.min(Math.max(wanted, least * coarse * size), most * coarse * size)
  }

  #take(matrix: Float64Array): void {
    this.#matrix.set(matrix)
    this.state.isFirst = false
    this.state.hasBefore = false
    this.#own.isFresh = false
  }

  /** Brings the matrix up to date with the gradient, or makes the first one. */
  #learn(): void {
    const { state } = this
    const g = this.slopes
    if (state.hasBefore) {
      const { s, y } = this.lastMove()
      const sy = dot(s, y)
      if (this.#own.isFresh && !state.hasDiagonal && sy > 0) this.#matrix.set(this.#even(this.#steepness(y, y) / sy))
      dampedUpdate(this.#matrix, s, y)
      this.#own.isFresh = false
    }
    if (!state.isFirst) return
    const same = state.curvature > 0 ? state.curvature : Math.max(Math.sqrt(this.#steepness(g, g)), 1e-300)
    this.#matrix.set(state.hasDiagonal ? diagonal(this.#bounded(1e-6)) : this.#even(same))
    state.isFirst = false
    this.#own.isFresh = true
  }

  /** Curvatures, none below a share of the largest, where the variables are measured in their typical sizes. */
  #bounded(share: number): Float64Array {
    const squares = this.squares
    const sizes = atLeast(
      this.#curvatures.map((each, i) => each * (squares[i] as number)),
      share,
    )
    return sizes.map((each, i) => each / (squares[i] as number))
  }

  /** The matrix with the same curvature along all variables, measured so. */
  #even(curvature: number): Float64Array {
    return diagonal(this.squares.map((square) => curvature / square))
  }

  /** The product of two gradients, measured so. */
  #steepness(a: Float64Array, b: Float64Array): number {
    let sum = 0
    for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number) * (this.squares[i] as number)
    return sum
  }

  /** A Hessian made positive definite, measured so. */
  #positive(hessian: Float64Array): Float64Array {
    const { dim, typical } = this.at
    const size = (at: number): number => (typical[Math.floor(at / dim)] as number) * (typical[at % dim] as number)
    const made = positive(
      hessian.map((each, at) => each * size(at)),
      dim,
    )
    return made.map((each, at) => each / size(at))
  }

  /** The step to search along; straight down where the matrix gives none. */
  #chooseStep(): Name | 'converged' {
    const { state } = this
    const step = boxedStep(this.at, this.#matrix, this.slopes, this.point) ?? this.#downhill()
    if (step === null) {
      // No way down, and bounds may be why: the last step has kept what it promised.
      state.promised = 0
      if (state.isCentral) return this.ended()
      state.isCentral = true
      state.hasBefore = false
      return 'gradient'
    }
    this.step.set(step)
    // Nothing says yet that the steps of a new matrix have the right length.
    shorten(this.at, this.point, this.step, this.#own.isFresh ? 1 : longestStep)
    return 'search'
  }

  /** A step of length 1 against the gradient, cut at the bounds; null where that leads nowhere. */
  #downhill(): Float64Array | null {
    const g = this.slopes
    const length = Math.max(Math.sqrt(this.#steepness(g, g)), 1e-300)
    this.#matrix.set(this.#even(length))
    this.#own.isFresh = true
    this.state.hasDiagonal = false
    const to = settle(
      this.at,
      g.map((each, i) => (this.point[i] as number) - (each * (this.squares[i] as number)) / length),
    )
    const step = to.map((each, i) => each - (this.point[i] as number))
    return dot(step, g) < 0 ? step : null
  }
}

/** Steps to remember, and the relative gain that is too small. */
interface LimitedSettings {
  readonly pairs: number
  readonly tolerance: number
}

/** Intervals as shares of a variable's size. Those for float32 are longer by the ratio of the roundings to 1/2, 1/3 and 1/4. */
const limitedIntervals = {
  forward: { float64: 1.5e-8, float32: 3.5e-4 },
  central: { float64: 6e-6, float32: 5e-3 },
  probe: { float64: 1e-4, float32: 1.5e-2 },
} as const

/**
 * L-BFGS on differences, with `pairs` pairs of steps and changes of the gradient: (2 pairs + 6) d numbers. Ten probes decide
 * between a diagonal, for one more gradient, and one number as first matrix. Coordinates that a bound holds back stay there.
 */
class LimitedQuasiNewton extends QuasiNewton {
  readonly memory: Memory
  readonly #model: Curvature
  readonly #tolerance: number

  constructor(at: RunContext, coordinates: Coordinates, { pairs, tolerance }: LimitedSettings) {
    const probeShare = limitedIntervals.probe[coordinates.unit > 1e-12 ? 'float32' : 'float64']
    super(at, coordinates, { probes: Math.min(10, at.dim), probeShare, unevenAbove: 4, most: 6, extra: 0.02 })
    this.#tolerance = tolerance
    this.#model = limitedCurvature(coordinates, pairs)
    this.memory = this.remember({ state: {}, parts: { model: this.#model.memory } })
  }

  protected *gradient(): Stage<Name> {
    const { state } = this
    const isDiagonal = this.state.isFirst && state.hasDiagonal
    const central = isDiagonal || state.isCentral
    const share = this.#interval(isDiagonal ? 'probe' : central ? 'central' : 'forward')
    const step = (i: number): number => share * sizeOf(this.at, this.point, i)
    const found = yield* this.differences({ step, central })
    const { curvatures } = found
    this.see(found, central)
    if (this.state.isFirst) {
      const same = Math.max(state.curvature, 1e-300)
      const sizes = isDiagonal
        ? atLeast(
            curvatures.map((each, i) => each * (this.squares[i] as number)),
            1e-6,
          )
        : curvatures.map(() => same)
      this.#model.begin(sizes.map((each, i) => each / (this.squares[i] as number)))
    }
    if (state.hasBefore) {
      const { s, y } = this.lastMove()
      this.#model.learn(s, y)
    }
    return this.#chooseStep()
  }

  protected tiny(): number {
    return 0
  }

  protected searched({ point, value }: Lowest): Name | 'converged' {
    const { state } = this
    if (point === null) return this.#refine()
    const share = this.move(point, value)
    if (share < 1e-10) state.isCentral = true
    state.smallGains = share < this.#tolerance ? state.smallGains + 1 : 0
    this.state.isFirst = false
    return state.smallGains > 2 ? this.ended() : 'gradient'
  }

  #interval(kind: keyof typeof limitedIntervals): number {
    return limitedIntervals[kind][this.at.unit > 1e-12 ? 'float32' : 'float64']
  }

  /** Better differences at the same point; the end where there are none. */
  #refine(): Name | 'converged' {
    if (this.state.isCentral) return this.ended()
    this.state.isCentral = true
    this.state.isFirst = false
    this.state.hasBefore = false
    return 'gradient'
  }

  #chooseStep(): Name | 'converged' {
    const { state } = this
    const step = this.#model.step(this.slopes, this.point) ?? this.#downhill()
    const slope = dot(step, this.slopes)
    if (!(slope < 0 && slope > -Infinity)) return this.#refine()
    // Without a diagonal nothing says yet that it has the right length.
    shorten(this.at, this.point, step, this.state.isFirst && !state.hasDiagonal ? 1 : longestStep)
    this.step.set(step)
    return 'search'
  }

  /** A step of length 1 against the gradient, where the model gives none; the model forgets all but its diagonal. */
  #downhill(): Float64Array {
    this.#model.simplify()
    const free = freeSlopes(this.at, this.slopes, this.point)
    const length = Math.max(norm(free.map((each, i) => each * (this.at.typical[i] as number))), 1e-300)
    return free.map((each, i) => (-each / length) * (this.squares[i] as number))
  }
}
