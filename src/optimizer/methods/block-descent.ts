import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Key, Memory, RunContext, Solver, Vector } from '../core/types.ts'
import { largest, mean } from '../numerics/vectors.ts'
import { copyOf, type Scale, scaleOf, scaleOption, withinSet } from './points.ts'
import {
  type Coordinates,
  coordinatesOf,
  differences,
  lineSearch,
  randomCoordinates,
  sizeOf,
} from './staged/coordinates.ts'
import { type Along, addSlope, type Directions, mixedDirections, pointsAlong } from './staged/mixed-directions.ts'
import { askStart, type Batch, onlyPoint, type Stage, type StagedMethod, stagedSolver } from './staged/staged-search.ts'

/**
 * Descent by blocks of random directions, without a rate: for budgets below about 5 queries per variable, up to millions of
 * variables. It keeps 3 vectors beside the best point, works with 4 to 6 more, and makes rows on demand: some 80 MB at
 * 1,000,000 variables in float64.
 */
export const blockDescent = definePart({
  kind: 'solver',
  name: 'block-descent',
  summary: 'Blocks of random directions and line searches, for few queries per variable.',
  options: table({
    /** The usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box. */
    scale: scaleOption,
  }),
  examples: () => [{}, { scale: 0.5 }],
  make: (options): Solver => blockDescentSolver(options),
})

/** How a run works, where the problem does not decide it. */
interface BlockDescentSettings {
  readonly scale?: Scale
  /** Queries that the whole run may use; those of the budget if left out. */
  readonly horizon?: number | undefined
  /** The standard deviation of answers at one point, 0 for an exact function; found out by a query if left out. */
  readonly deviation?: number | undefined
}

/** The solver with settings that a user does not give, too. */
export function blockDescentSolver(settings: BlockDescentSettings): Solver {
  return stagedSolver((at) => {
    const { horizon = at.budget.maxQueries ?? Infinity, deviation } = settings
    const coordinates = coordinatesOf(at, scaleOf('block-descent', settings.scale, at.dim))
    return new BlockSearch(at, coordinates, { horizon, deviation })
  }, 'start')
}

/** A line to search on. */
interface Line {
  /** The multiple of the descent that distance 1 stands for. */
  readonly rate: number
  readonly slope: number
  at(distance: number): Vector
}

/** What a run of the method is given beside its beginning. */
interface BlockSettings {
  /** Queries that the whole run may use. */
  readonly horizon: number
  /** The standard deviation of answers at one point, where it is known: 0 for an exact function. Found out if left out. */
  readonly deviation?: number | undefined
}

type Name = 'start' | 'probe' | 'diagonal' | 'block' | 'drift' | 'level' | 'noisy'

/** Coordinates that are mixed into one direction: enough to even out what they are like, few enough to be cheap. */
const mixing = 16
/** Under noise, steps are long: shared by more coordinates, none of them has to go far. */
const noisyMixing = 64

/**
 * Descent by blocks of random orthonormal directions: forward differences along a block, a step against them, a search on
 * that line; then the next block, from the new point. No rate has to be given: each search begins with the last one's.
 * Now and then a search along the drift, the recent moves added up.
 */
class BlockSearch implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = {
    start: () => this.#start(),
    probe: (key: Key) => this.#probe(key),
    diagonal: (key: Key) => this.#diagonal(key),
    block: (key: Key) => this.#block(key),
    drift: () => this.#pursue(),
    level: (key: Key) => this.#level(key),
    noisy: (key: Key) => this.#noisyBlock(key),
  }
  readonly #at: Coordinates
  readonly #settings: BlockSettings
  readonly #within: (x: Vector) => void
  readonly #project: ((x: Vector) => void) | null
  /** Length 1 on each coordinate: its typical size, or 1 / sqrt(curvature) once that is known. */
  readonly #sizes: Vector
  /** Recent moves, added up with weights that fall. */
  readonly #drift: Vector
  readonly #state
  /** What a stage works with: nothing in it outlives the stage. */
  readonly #descent: Float64Array
  readonly #scratch: readonly [Vector, Vector]

  constructor(at: RunContext, coordinates: Coordinates, settings: BlockSettings) {
    const { dim, set } = at
    this.#at = coordinates
    this.#settings = settings
    this.#within = withinSet(at)
    const isFree = set.unbounded === true || coordinates.bounds !== undefined
    this.#project = isFree ? null : this.#within
    this.point = copyOf(at, at.start)
    this.#sizes = copyOf(at, coordinates.typical)
    this.#drift = copyOf(at, new Float64Array(dim))
    this.#descent = new Float64Array(dim)
    this.#scratch = isFree ? [this.point, this.point] : [copyOf(at, at.start), copyOf(at, at.start)]
    this.#state = {
      value: at.startValue ?? Number.NaN,
      asked: 0,
      /** The sweep at work, and how many of its directions were used. */
      sweep: 0,
      used: 0,
      /** What the sweep has gained so far. */
      gained: 0,
      /** How many coordinates make a direction. */
      group: powerOfTwo(Math.min(mixing, dim)),
      /** How far a step goes, as a multiple of the slope; unlimited while nothing is known. */
      rate: Infinity,
      isFresh: true,
      isCentral: false,
      /** Blocks between two searches along the drift; those since the last, what they gained and what they asked. */
      patience: 4,
      blocks: 0,
      recentGain: 0,
      recentAsked: 0,
      /** The standard deviation of an answer, and the curvature and the size of blocks under noise. */
      deviation: settings.deviation ?? 0,
      curvature: 0,
      block: 0,
    }
    this.memory = {
      vectors: { sizes: this.#sizes, drift: this.#drift },
      state: this.#state,
    }
  }

  get noisy(): boolean {
    return this.#state.deviation > 0
  }

  *#start(): Stage<Name> {
    const state = this.#state
    const { deviation } = this.#settings
    const value = yield* askStart(this.point, state.value)
    if (Number.isNaN(value)) return 'converged'
    let asked = Number.isNaN(state.value) ? 1 : 0
    let isNoisy = deviation !== undefined && deviation > 0
    if (deviation === undefined) {
      isNoisy = isOther((yield onlyPoint(this.point))[0] as number, value)
      asked++
    }
    state.value = value
    state.asked += asked
    if (isNoisy) return 'level'
    return this.#project === null && this.#left >= diagonalPrice * this.#at.dim ? 'probe' : 'block'
  }

  /** Curvature along a few coordinates: how far to go at first, and whether all are worth a scale of their own. */
  *#probe(key: Key): Stage<Name> {
    const state = this.#state
    const { dim } = this.#at
    const count = Math.min(10, Math.ceil(dim / 2))
    const found = yield* this.#pairs(randomCoordinates(dim, count, { ...key, row: 0 }))
    const curvatures = found.curvatures.map(Math.abs)
    state.asked += 2 * count
    state.rate = 1 / Math.max(mean(curvatures), 1e-300)
    if (!(Math.max(...curvatures) > 100 * Math.max(Math.min(...curvatures), 1e-300))) return 'block'
    state.group = 1
    return 'diagonal'
  }

  /** The first sweep where coordinates are uneven: central pairs, Newton's step on each, and their curvatures as new sizes. */
  *#diagonal({ seed }: Key): Stage<Name> {
    const state = this.#state
    const directions = this.#next(seed, 2)
    const found = yield* this.#pairs(directions.coordinates)
    const curvatures = found.curvatures.map(Math.abs)
    const least = Math.max(1e-6 * largest(curvatures), 1e-300)
    // Of a coordinate whose query failed nothing is known: it counts as an average one.
    const usual = Math.max(mean(curvatures), least)
    const gradient = new Float64Array(this.#at.dim)
    this.#descent.fill(0)
    directions.coordinates.forEach((i, j) => {
      curvatures[j] = curvatures[j] === 0 ? usual : Math.max(curvatures[j] as number, least)
      gradient[i] = found.slopes[j] as number
      this.#descent[i] = (found.slopes[j] as number) / (curvatures[j] as number)
    })
    const line = this.#line(1, gradient)
    const next = yield* this.#searchAlong(line, directions.count, 2 * directions.count, 'diagonal')
    directions.coordinates.forEach((i, j) => {
      this.#sizes[i] = 1 / Math.sqrt(curvatures[j] as number)
    })
    if (state.used > 0 || next === 'converged') return next
    state.group = powerOfTwo(Math.min(mixing, this.#at.dim))
    state.rate = 1
    return 'block'
  }

  *#block({ seed }: Key): Stage<Name> {
    const state = this.#state
    const directions = this.#next(seed, state.isCentral ? 2 : 1)
    const along = this.#along(directions, state.isCentral)
    const values = yield pointsAlong(this.#at, along)
    this.#descent.fill(0)
    for (let j = 0; j < directions.count; j++) {
      const change = state.isCentral
        ? (values[2 * j] as number) - (values[2 * j + 1] as number)
        : (values[j] as number) - state.value
      addSlope(this.#at, along, j, change, this.#sizes, this.#descent, this.#scratch)
    }
    // There is no reason to trust the rate before it has led anywhere.
    const rate = state.isFresh ? this.#limited(state.rate) : state.rate
    return yield* this.#searchAlong(this.#line(rate), directions.count, values.length, 'block')
  }

  /** The rate, or the one that takes no coordinate further than its size. */
  #limited(rate: number): number {
    let reach = 1e-300
    this.#descent.forEach((each, i) => {
      if (each !== 0) reach = Math.max(reach, Math.abs(each) / sizeOf(this.#at, this.point, i))
    })
    return Math.min(rate, 1 / reach)
  }

  /** The line from the point against the descent, so long that distance 1 is the rate; inside the set there. */
  #line(rate: number, gradient?: Float64Array): Line {
    const x = this.point
    const step = this.#moved((i) => -rate * (this.#descent[i] as number))
    let slope = 0
    for (let i = 0; i < x.length; i++) {
      step[i] = (step[i] as number) - (x[i] as number)
      if (step[i] === 0) continue
      const size = this.#sizes[i] as number
      slope += (gradient?.[i] ?? (this.#descent[i] as number) / (size * size)) * (step[i] as number)
    }
    return { rate, slope, at: (t) => this.#moved((i) => t * (step[i] as number)) }
  }

  /** The point and a move, inside the set. */
  #moved(move: (i: number) => number): Vector {
    const to = this.point.slice()
    for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + move(i)
    this.#within(to)
    return to
  }

  /** Searches along a line and moves; ends the block. */
  *#searchAlong({ rate, slope, at }: Line, count: number, asked: number, next: Name): Stage<Name> {
    const state = this.#state
    let gain = 0
    let queries = asked
    if (slope < 0) {
      const tiny = state.isFresh ? 1e-9 : 0.02
      const found = yield* lineSearch({ value: state.value, slope, at, first: 1, most: 4, extra: 0.05, tiny })
      queries += found.asked
      state.rate = rate * (found.point === null ? 0.1 : found.distance)
      if (found.point !== null) {
        gain = state.value - found.value
        state.isFresh = false
        this.#moveTo(found.point, found.value)
      }
    }
    state.asked += queries
    state.blocks++
    state.recentGain += gain
    state.recentAsked += queries
    return this.#turn(count, gain, next)
  }

  #moveTo(to: Vector, value: number): void {
    const x = this.point
    for (let i = 0; i < x.length; i++) {
      this.#drift[i] = 0.9 * (this.#drift[i] as number) + ((to[i] as number) - (x[i] as number))
    }
    x.set(to)
    this.#state.value = value
  }

  /** What follows a block: the next one, the drift, a sweep with better differences, or the end. */
  #turn(count: number, gain: number, next: Name): Name | 'converged' {
    const state = this.#state
    state.gained += gain
    state.used += count
    if (state.used >= this.#at.dim) {
      const isDone = !(state.gained > 1e-13 * Math.abs(state.value))
      state.sweep++
      state.used = 0
      state.gained = 0
      if (isDone && state.isCentral) return 'converged'
      if (isDone) state.isCentral = true
    }
    if (next !== 'block') return next
    state.group = this.#isBounded() ? 1 : powerOfTwo(Math.min(mixing, this.#at.dim))
    return state.blocks >= state.patience && state.recentGain > 0 ? 'drift' : 'block'
  }

  /** Whether so many coordinates are at a bound that mixing them would keep the others from moving, or them from staying. */
  #isBounded(): boolean {
    const { bounds, dim } = this.#at
    if (bounds === undefined) return false
    let count = 0
    this.point.forEach((each, i) => {
      if (each === bounds.lower[i] || each === bounds.upper[i]) count++
    })
    return count > dim / 64
  }

  /** A parabola along the drift. It is asked for more often where it gains more by query than blocks do. */
  *#pursue(): Stage<Name> {
    const state = this.#state
    const at = (t: number): Vector => this.#moved((i) => t * (this.#drift[i] as number))
    const [ahead, behind] = [at(0.1), at(-0.1)]
    const values = yield {
      rows: 2,
      write: (row: number, into: Vector, offset: number) => into.set(row === 0 ? ahead : behind, offset),
    }
    const slope = ((values[0] as number) - (values[1] as number)) / 0.2
    const bend = ((values[0] as number) + (values[1] as number) - 2 * state.value) / 0.01
    const distance = Math.min(Math.max(bend > 0 ? -slope / bend : -3 * Math.sign(slope), -3), 3)
    let gain = 0
    let to: Vector | null = null
    if (Math.abs(distance) > 0.02) {
      to = at(distance)
      gain = state.value - ((yield onlyPoint(to))[0] as number)
    }
    if (to !== null && gain > 0) {
      this.#moveTo(to, state.value - gain)
      state.gained += gain
    } else gain = 0
    const isBetter = gain * state.recentAsked > 3 * state.recentGain
    state.patience = isBetter ? Math.max(state.patience / 2, 2) : Math.min(2 * state.patience, 64)
    state.asked += to === null ? 2 : 3
    state.blocks = 0
    state.recentGain = 0
    state.recentAsked = 0
    return 'block'
  }

  /** The directions of the next block, as many as the budget and the sweep have left. */
  #next(seed: number, sides: number): Directions {
    const { used, sweep, group } = this.#state
    const { dim } = this.#at
    const most = Math.floor((this.#left - 2) / sides)
    const count = Math.max(Math.min(this.#size, dim - used, most), 1)
    return mixedDirections({ seed, number: sweep, group, sizes: this.#sizes }, used, count)
  }

  /** Directions per block: small beside all of them, large beside the queries of a search. */
  get #size(): number {
    const { dim } = this.#at
    return Math.min(Math.max(Math.round(Math.sqrt(dim)), 4), Math.max(Math.floor(this.#settings.horizon / 20), 4))
  }

  /** Queries left, less the last one. */
  get #left(): number {
    return this.#settings.horizon - this.#state.asked - 1
  }

  #along(directions: Directions, central: boolean): Along {
    const steps = new Float64Array(directions.count)
    for (let j = 0; j < directions.count; j++) {
      steps[j] = this.#interval(directions, j, central ? intervals.central : intervals.forward)
    }
    return { x: this.point, directions, steps, central, project: this.#project }
  }

  /** How far differences reach along a direction: where rounding and curvature spoil them equally. */
  #interval(directions: Directions, j: number, kind: Intervals): number {
    const { unit } = this.#at
    const coarse = unit > 1e-12 ? coarser : 1
    const reach = this.#reach(directions, j)
    const rounding = 4 * unit * Math.max(Math.abs(this.#state.value), 1e-30)
    const wanted = kind.factor * Math.sqrt(rounding * this.#state.rate)
    return Math.min(Math.max(wanted, (kind.least * coarse) / reach), (kind.most * coarse) / reach)
  }

  /** How far a step of length 1 takes the coordinate that it takes furthest, in sizes of that coordinate. */
  #reach({ starts, coordinates, amplitudes }: Directions, j: number): number {
    let reach = 1e-300
    for (let k = starts[j] as number; k < (starts[j + 1] as number); k++) {
      const size = sizeOf(this.#at, this.point, coordinates[k] as number)
      reach = Math.max(reach, Math.abs(amplitudes[k] as number) / size)
    }
    return reach
  }

  *#pairs(along: Int32Array): ReturnType<typeof differences> {
    const step = (i: number): number => 1e-4 * (this.#at.unit > 1e-12 ? 100 : 1) * sizeOf(this.#at, this.point, i)
    return yield* differences(this.#at, { x: this.point, value: this.#state.value, along, step, central: true })
  }

  /** The noise level from repeated answers, and the curvature from steps so long that it stands out of the noise. */
  *#level({ seed }: Key): Stage<Name> {
    const state = this.#state
    const { dim } = this.#at
    const repeats = (yield { ...onlyPoint(this.point), rows: 4 }).filter((value) => !Number.isNaN(value))
    if (repeats.length < 2) return 'level'
    const value = mean(repeats)
    const squares = mean(repeats.map((each) => (each - value) * (each - value)))
    const deviation = Math.sqrt((squares * repeats.length) / (repeats.length - 1))
    const group = powerOfTwo(Math.min(noisyMixing, dim))
    const count = Math.min(4, dim)
    const directions = mixedDirections({ seed, number: 0, group, sizes: this.#sizes }, 0, count)
    let reach = 0.05
    let bend = 0
    let asked = 4
    for (let tries = 0; tries < 4; tries++) {
      const steps = Float64Array.from({ length: count }, (_, j) => reach / this.#reach(directions, j))
      const along = { x: this.point, directions, steps, central: true, project: this.#project }
      const values = yield pointsAlong(this.#at, along)
      asked += values.length
      const bends = steps.map((step, j) => this.#bend(values, j, value, step))
      const squared = (steps[0] as number) * (steps[0] as number)
      bend = Math.max(mean(bends), (2 * deviation) / squared)
      if (bend * squared > 8 * deviation || reach > 0.3) break
      reach *= 3
    }
    state.asked += asked
    state.value = value
    state.deviation = Math.max(deviation, 1e-300)
    state.group = group
    state.curvature = Math.max(bend, 1e-300)
    state.rate = 1
    state.block = Math.max(Math.round(Math.sqrt(dim)), Math.min(dim, 4))
    return 'noisy'
  }

  /** The second derivative along a pair; 0 where a query failed. */
  #bend(values: Float64Array, j: number, value: number, step: number): number {
    const bend = ((values[2 * j] as number) + (values[2 * j + 1] as number) - 2 * value) / (step * step)
    return Number.isFinite(bend) ? bend : 0
  }

  /**
   * A block under noise. Pairs so long that the second difference is 30 deviations; the slope shrunk by what of it is noise;
   * a step of 1 / curvature, checked where its gain would stand out of the noise, in larger blocks where it would not.
   */
  *#noisyBlock({ seed }: Key): Stage<Name> {
    const state = this.#state
    const { deviation, curvature } = state
    const { dim } = this.#at
    const count = Math.max(Math.min(state.block, dim - state.used, Math.floor((this.#left - 6) / 2)), 1)
    const directions = mixedDirections(
      { seed, number: state.sweep, group: state.group, sizes: this.#sizes },
      state.used,
      count,
    )
    const wanted = Math.sqrt((30 * deviation) / curvature)
    const steps = Float64Array.from({ length: count }, (_, j) => Math.min(wanted, 0.5 / this.#reach(directions, j)))
    const along = { x: this.point, directions, steps, central: true, project: this.#project }
    const pairs = pointsAlong(this.#at, along)
    const values = yield {
      rows: 2 + pairs.rows,
      write: (row: number, into: Vector, offset: number) =>
        row < 2 ? into.set(this.point, offset) : pairs.write(row - 2, into, offset),
    }
    const found = this.#noisySlopes(along, values)
    const level = Math.max(Math.sqrt(0.8 * deviation * deviation + 0.1 * found.spread * found.spread), 1e-300)
    const isClear = found.bend > (5 * deviation) / ((steps[0] as number) * (steps[0] as number) * Math.sqrt(count))
    const bend = isClear ? Math.max(found.bend, 0.1 * curvature) : curvature
    const line = this.#line(this.#limited((state.rate * found.share) / bend))
    const search = yield* this.#noisySearch(line, found.value, level)
    state.asked += values.length + search.asked
    state.value = search.value
    state.deviation = level
    state.curvature = 0.7 * curvature + 0.3 * bend
    state.rate = Math.min(Math.max(state.rate * search.factor, 1e-3), 2)
    const isSmall = !(-line.slope > 8 * level)
    state.block = isSmall ? Math.min(2 * state.block, dim) : state.block
    if (search.to !== null) this.point.set(search.to)
    state.gained += search.to === null ? 0 : -line.slope / 2
    state.used += count
    if (state.used < dim) return 'noisy'
    const isDone = !(state.gained > level)
    state.sweep++
    state.used = 0
    state.gained = 0
    return isDone ? 'converged' : 'noisy'
  }

  /** Adds up the slopes of a block; which share of their square is not noise. */
  #noisySlopes(along: Along, values: Float64Array): { value: number; spread: number; bend: number; share: number } {
    const { deviation, value: before } = this.#state
    const centers = values.subarray(0, 2).filter((each) => !Number.isNaN(each))
    const value = centers.length === 0 ? before : mean(centers)
    const spread = centers.length === 2 ? (centers[0] as number) - (centers[1] as number) : deviation * Math.SQRT2
    const pairs = values.subarray(2)
    let [squares, noise, bend] = [0, 0, 0]
    this.#descent.fill(0)
    for (let j = 0; j < along.steps.length; j++) {
      const change = (pairs[2 * j] as number) - (pairs[2 * j + 1] as number)
      const length = addSlope(this.#at, along, j, change, this.#sizes, this.#descent, this.#scratch)
      bend += this.#bend(pairs, j, value, along.steps[j] as number) / along.steps.length
      if (length === 0) continue
      squares += (change / length) * (change / length)
      noise += (2 * deviation * deviation) / (length * length)
    }
    // Squares of so many slopes that are noise alone exceed their mean by two deviations in one of forty blocks.
    const isNoise = !(squares > noise * (1 + 2 * Math.sqrt(2 / along.steps.length)))
    return { value, spread, bend, share: isNoise ? 0 : 1 - noise / squares }
  }

  /** Goes along a line: unseen where its gain would drown in the noise, otherwise to where the value is as low as it should be. */
  *#noisySearch(
    { slope, at }: Line,
    value: number,
    level: number,
  ): Generator<Batch, { to: Vector | null; value: number; asked: number; factor: number }, Float64Array> {
    if (!(slope < 0)) return { to: null, value, asked: 0, factor: 1 }
    if (-slope < 8 * level) return { to: at(1), value, asked: 0, factor: 1 }
    let t = 1
    for (let asked = 1; asked <= 4; asked++) {
      const to = at(t)
      const answer = (yield onlyPoint(to))[0] as number
      const found = Number.isNaN(answer) ? Infinity : answer
      const bend = found - value - t * slope
      const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : 2 * t
      // A parabola through noisy values is trusted for its direction: it changes the rate by a factor of at most 2.
      if (found <= value + 1e-4 * t * slope + 2 * level) {
        return { to, value: found, asked, factor: t * Math.min(Math.max(lowest / t, 0.5), 1.5) }
      }
      t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
    }
    return { to: null, value, asked: 4, factor: 0.1 }
  }
}

/** A sweep of central pairs along coordinates, and enough beside it to profit from what it says, in queries per coordinate. */
const diagonalPrice = 2.2

/** Steps of differences as shares of a variable's size, and in units of sqrt(rounding / curvature). */
const intervals = {
  forward: { factor: 2, least: 1e-9, most: 1e-5 },
  central: { factor: 30, least: 1e-7, most: 1e-3 },
} as const
type Intervals = (typeof intervals)[keyof typeof intervals]

/** Points in float32 need longer intervals, by the root of the ratio of the roundings: 2^14.5. */
const coarser = 23_170

/** The largest power of two that is not above a number from 1 on. */
function powerOfTwo(most: number): number {
  let power = 1
  while (2 * power <= most) power *= 2
  return power
}

function isOther(answer: number, value: number): boolean {
  return !Number.isNaN(answer) && answer !== value
}
