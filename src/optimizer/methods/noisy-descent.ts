import { table } from '../core/options.ts'
import { definePart, savedPart } from '../core/part.ts'
import type { Estimate, Key, Memory, RunContext, SavedMemory, Solver, Vector } from '../core/types.ts'
import { quadraticSize } from '../numerics/quadratics.ts'
import { dot } from '../numerics/vectors.ts'
import { setKindOf } from './auto-rule.ts'
import { type Curvature, denseCurvature, limitedCurvature } from './curvature.ts'
import { copyOf, type Scale, scaleOf, scaleOption, withinSet } from './points.ts'
import {
  type AskedPoints,
  askedPoints,
  type NoiseLevel,
  type NoisyGround,
  noiseLevel,
  QuadraticRegression,
} from './quadratic-regression.ts'
import {
  type Coordinates,
  coordinatesOf,
  differences,
  longestStep,
  settle,
  shorten,
  sizeOf,
} from './staged/coordinates.ts'
import { type Batch, onlyPoint, type Stage, type StagedMethod, stagedSolver } from './staged/staged-search.ts'

/** Quasi-Newton steps and regression for functions whose answers vary. */
export const noisyDescent = definePart({
  kind: 'solver',
  name: 'noisy-descent',
  summary: 'Quasi-Newton steps on wide differences and regression on quadratics, for functions with random noise.',
  options: table({
    /** The usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box. */
    scale: scaleOption,
  }),
  examples: () => [{}],
  make: ({ scale }): Solver => noisySolver({ scale }),
})

/** The solver with settings that a user does not give, too. */
export function noisySolver({ horizon, scale, startValues }: Partial<NoisySettings> & { scale?: Scale }): Solver {
  return stagedSolver((at, saved) => {
    const settings = { horizon: horizon ?? at.budget.maxQueries ?? Infinity, startValues }
    const coordinates = coordinatesOf(at, scaleOf('noisy-descent', scale, at.dim))
    const method: StagedMethod = new NoisyTurns(at, coordinates, settings, saved && savedPart(saved, 'method'))
    return setKindOf(at.set) === 'other' ? throughProjection(at, method, withinSet(at)) : method
  }, 'start')
}

/** What a run of the method is given beside its beginning. */
interface NoisySettings {
  /** Queries that it may use. */
  readonly horizon: number
  /** Answers at the start that are known already. */
  readonly startValues?: readonly number[] | undefined
}

type Name = 'start' | 'confirm' | 'gradient' | 'search' | 'regress' | 'choose' | 'over'

/** Regression on full quadratics up to this many numbers (30 variables); a dense matrix up to so many variables. */
const largestQuadratic = 500
const largestDense = 200
const limitedPairs = 10

/** The share of all queries that is kept back to compare candidates for the answer, and how many at most. */
const keptShare = 0.08
const mostKept = 100

/** Answers at the start, for a first noise level. */
const startAnswers = 4

/** For functions whose answers vary: quasi-Newton steps on wide differences and regression in turns. */
class NoisyTurns implements StagedMethod<Name> {
  readonly point: Vector
  readonly stages = {
    start: () => this.#noted(this.#start()),
    confirm: () => this.#noted(this.#confirm()),
    gradient: () => this.#noted(this.#gradient()),
    search: () => this.#noted(this.#search()),
    regress: (key: Key) => this.#noted(this.#regress(key)),
    choose: () => this.#noted(this.#choose()),
    over: () => this.#noted(this.#over()),
  }
  readonly #settings: NoisySettings
  readonly #ground: NoisyGround
  readonly #newton: NoisyQuasiNewton
  readonly #asked: AskedPoints | undefined
  readonly #regression: QuadraticRegression | undefined
  readonly #memory: Memory
  readonly #state = { asked: 0, turnBegan: 0, turnEnds: 0, isSettled: false }
  /** The mean of the answers at the point, and how many of them are known. */
  readonly #known = { mean: Number.NaN, answers: 0 }
  /** Queries of the stage at work, which are not counted yet. */
  #pending = 0

  constructor(at: RunContext, coordinates: Coordinates, settings: NoisySettings, saved: SavedMemory | undefined) {
    const { dim } = at
    this.point = copyOf(at, at.start)
    this.#settings = settings
    const noise: NoiseLevel = noiseLevel()
    const state = { value: Number.NaN, answers: 0 }
    const center = Float64Array.from(at.start)
    const left = (): number => settings.horizon - 1 - this.#kept - this.#state.asked - this.#pending
    const shared = { at: coordinates, noise, center, state, left }
    const size = quadraticSize(dim)
    let curvature: Curvature
    if (size <= largestQuadratic) {
      const dense = denseCurvature(coordinates)
      this.#asked = askedPoints(dim, 8 * size + 400, saved && savedPart(saved, 'asked'))
      this.#regression = new QuadraticRegression({ ...shared, curvature: dense, asked: this.#asked })
      curvature = dense
    } else if (dim <= largestDense) curvature = denseCurvature(coordinates)
    else curvature = limitedCurvature(coordinates, limitedPairs)
    this.#ground = { ...shared, curvature }
    this.#newton = new NoisyQuasiNewton(this.#ground)
    this.#memory = {
      vectors: { point: this.point, center },
      state: this.#state,
      parts: {
        center: { state },
        known: { state: this.#known },
        noise: noise.memory,
        curvature: curvature.memory,
        newton: this.#newton.memory,
        regression: this.#regression?.memory,
      },
    }
  }

  get memory(): Memory {
    return { ...this.#memory, parts: { ...this.#memory.parts, asked: this.#asked?.memory } }
  }

  get noisy(): boolean {
    return !this.#ground.noise.isExact
  }

  get estimate(): Estimate {
    const { mean, answers } = this.#known
    const { noise, state } = this.#ground
    return { mean, answers, deviation: noise.at(answers === 0 ? state.value : mean) }
  }

  *#start(): Stage<Name> {
    const { state, noise } = this.#ground
    const known = this.#settings.startValues ?? []
    const count = Math.max(startAnswers - known.length, 0)
    const asked = count === 0 ? [] : yield { ...onlyPoint(this.point), rows: count }
    const values = [...known, ...asked].filter((value) => !Number.isNaN(value))
    if (values.length === 0) return 'start'
    noise.add(values)
    state.value = values.reduce((sum, value) => sum + value / values.length, 0)
    state.answers = values.length
    this.#takeCenter()
    this.#newton.begin()
    return values.length < 2 ? 'confirm' : 'gradient'
  }

  *#confirm(): Stage<Name> {
    yield* this.#newton.confirm()
    return 'gradient'
  }

  *#gradient(): Stage<Name> {
    return (yield* this.#newton.gradient()) ? 'search' : this.#turnToRegression()
  }

  *#search(): Stage<Name> {
    const goesOn = yield* this.#newton.search()
    if (!this.#state.isSettled) this.#takeCenter()
    if (goesOn) return 'confirm'
    return this.#ground.noise.isExact ? 'converged' : this.#turnToRegression()
  }

  *#regress(key: Key): Stage<Name> {
    if (this.#ground.left() < 1) return 'choose'
    const moved = yield* (this.#regression as QuadraticRegression).batch(key)
    if (moved === true) {
      this.point.set((this.#regression as QuadraticRegression).answer)
      Object.assign(this.#known, { mean: Number.NaN, answers: 0 })
      this.#state.isSettled = true
    }
    const { asked, turnEnds } = this.#state
    if (moved !== null && asked + this.#pending < turnEnds) return 'regress'
    this.#regression?.end()
    return this.#turnToSteps()
  }

  /** Asks the best few candidates again with the queries kept back. */
  *#choose(): Stage<Name> {
    const lowest = yield* lowestOf(this.#candidates(), this.#kept + this.#ground.left())
    if (lowest !== null) {
      this.point.set(lowest.point)
      Object.assign(this.#known, { mean: meanOf(lowest), answers: lowest.count })
    }
    return 'over'
  }

  /** Points that may be the lowest, the likeliest first: lowest of models of several widths, lowest answers, mean and center. */
  #candidates(): Float64Array[] {
    const regression = this.#regression
    const asked = this.#asked
    if (regression === undefined || asked === undefined) return []
    const { at, center, left } = this.#ground
    const values = asked.values
    const order = Array.from(values, (_, row) => row)
    order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b)
    const lowest = (rank: number): Float64Array => {
      const row = order[rank] ?? 0
      return asked.points.slice(row * at.dim, (row + 1) * at.dim)
    }
    const made = [
      regression.lowest(4),
      lowest(0),
      Float64Array.from(this.point),
      regression.lowest(10),
      lowest(1),
      center.slice(),
      regression.lowest(2),
      lowest(2),
    ].filter((point) => point !== null)
    return made.slice(0, Math.max(1, Math.floor((this.#kept + left()) / 3)))
  }

  /** What is left after the choice is asked about the answer; a run whose budget grew goes on. */
  *#over(): Stage<Name> {
    if (this.#ground.left() > 2 * this.#ground.at.dim) {
      // The run had ended before: with a query about its answer, which it does not learn of.
      this.#state.asked++
      return this.#turnToSteps()
    }
    const [value = Number.NaN] = yield onlyPoint(this.point)
    const { mean, answers } = this.#known
    if (!Number.isNaN(value)) {
      Object.assign(this.#known, { mean: ((answers && answers * mean) + value) / (answers + 1), answers: answers + 1 })
    }
    return 'over'
  }

  /** The run would end where the steps are. */
  #takeCenter(): void {
    const { center, state } = this.#ground
    this.point.set(center)
    Object.assign(this.#known, { mean: state.value, answers: state.answers })
  }

  /** Queries kept back for the choice at the end. */
  get #kept(): number {
    const { horizon } = this.#settings
    if (this.#regression === undefined || horizon === Infinity) return 0
    return Math.min(Math.floor(keptShare * horizon), mostKept)
  }

  /** After quasi-Newton steps: regression for as many queries again. */
  #turnToRegression(): Name {
    const state = this.#state
    const { dim } = this.#ground.at
    if (this.#regression === undefined) return this.#turnToSteps()
    const asked = state.asked + this.#pending
    this.#regression.begin()
    state.turnEnds = asked + Math.max(asked - state.turnBegan, 2 * quadraticSize(dim))
    return 'regress'
  }

  #turnToSteps(): Name {
    const { left, at, state } = this.#ground
    if (left() <= 2 * at.dim) return 'choose'
    this.#state.turnBegan = this.#state.asked + this.#pending
    this.#newton.begin()
    return state.answers < 2 ? 'confirm' : 'gradient'
  }

  /** A stage whose points are kept and counted once it is over. */
  *#noted(stage: Stage<Name>): Stage<Name> {
    const { dim } = this.#ground.at
    const seen: { points: Float64Array; values: Float64Array }[] = []
    this.#pending = 0
    let next = stage.next()
    while (next.done !== true) {
      const batch = next.value
      const values = yield batch
      this.#pending += batch.rows
      if (this.#asked !== undefined) {
        const points = new Float64Array(batch.rows * dim)
        for (let row = 0; row < batch.rows; row++) batch.write(row, points, row * dim)
        seen.push({ points, values })
      }
      next = stage.next(values)
    }
    this.#state.asked += this.#pending
    this.#pending = 0
    for (const { points, values } of seen) this.#asked?.add(points, values)
    return next.value
  }
}

/** A second difference of central pairs, in standard deviations of the noise; of single ones. */
const centralBend = 30
const forwardBend = 3

/** Slopes from one side serve while an iteration gains this many standard deviations per coordinate. */
const largeGain = 50

/** Tries for an interval that shows more than noise. */
const intervalTries = 4
const searchTries = 8

/**
 * BFGS under noise: intervals such that the second difference stands out from the noise, Armijo's rule relaxed by it. Ends
 * at the second iteration that gains less than the noise. Each of its generators changes what it knows after its last batch.
 */
export class NoisyQuasiNewton {
  readonly memory: Memory
  readonly #ground: NoisyGround
  readonly #intervals: Float64Array
  readonly #slopes: Float64Array
  readonly #step: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #slopesBefore: Float64Array
  readonly #state = { hasBefore: false, isCentral: true, stalls: 0 }

  constructor(ground: NoisyGround) {
    const { dim } = ground.at
    this.#ground = ground
    this.#intervals = new Float64Array(dim)
    this.#slopes = new Float64Array(dim)
    this.#step = new Float64Array(dim)
    this.#before = new Float64Array(dim)
    this.#slopesBefore = new Float64Array(dim)
    this.memory = {
      vectors: {
        intervals: this.#intervals,
        slopes: this.#slopes,
        step: this.#step,
        before: this.#before,
        slopesBefore: this.#slopesBefore,
      },
      state: this.#state,
    }
  }

  /** Begins a turn at the center of the ground. */
  begin(): void {
    const { at, center } = this.#ground
    for (let i = 0; i < at.dim; i++) this.#intervals[i] = 0.05 * sizeOf(at, center, i)
    Object.assign(this.#state, { hasBefore: false, isCentral: true, stalls: 0 })
  }

  /** Asks the center once more: its value becomes surer, and so does the noise level. */
  *confirm(): Generator<Batch, void, Float64Array> {
    const { center, state, noise } = this.#ground
    const again = (yield onlyPoint(center))[0] as number
    if (Number.isNaN(again)) return
    noise.add([state.value, again])
    state.value = (state.answers * state.value + again) / (state.answers + 1)
    state.answers++
  }

  /** Slopes at the center, and the step that follows from them; false where the queries do not suffice. */
  *gradient(): Generator<Batch, boolean, Float64Array> {
    const { at, curvature, center } = this.#ground
    const { isCentral, stalls, hasBefore } = this.#state
    const found = isCentral ? yield* this.#centralSlopes() : yield* this.#forwardSlopes()
    if (found === null) return false
    this.#slopes.set(found.slopes)
    this.#intervals.set(found.intervals)
    if (!curvature.isKnown) curvature.begin(found.curvatures)
    else if (hasBefore) {
      curvature.learn(
        this.#before.map((each, i) => (center[i] as number) - each),
        this.#slopesBefore.map((each, i) => (this.#slopes[i] as number) - each),
      )
    }
    if (stalls > 0 && isCentral) curvature.blend(found.curvatures)
    this.#step.set(curvature.step(this.#slopes, center) ?? this.#simpleStep())
    // Nothing says before the first step that it has the right length.
    shorten(at, center, this.#step, hasBefore ? longestStep : 1)
    return true
  }

  /** Searches along the step; false at the end of the turn. */
  *search(): Generator<Batch, boolean, Float64Array> {
    const { at, state, noise, center } = this.#ground
    const own = this.#state
    const sigma = noise.at(state.value)
    const found = yield* this.#line(sigma)
    if (found === null) {
      own.hasBefore = false
      if (own.isCentral) own.stalls++
      own.isCentral = true
    } else {
      const gain = state.value - found.value
      this.#before.set(center)
      this.#slopesBefore.set(this.#slopes)
      own.hasBefore = true
      center.set(found.point)
      state.value = found.value
      state.answers = 1
      own.stalls = gain < sigma ? own.stalls + 1 : 0
      own.isCentral = gain < largeGain * at.dim * sigma
    }
    return own.stalls < 2
  }

  *#line(sigma: number): Generator<Batch, { point: Float64Array; value: number } | null, Float64Array> {
    const { at, state, center } = this.#ground
    const { value } = state
    const slope = dot(this.#slopes, this.#step)
    const allowance = this.#state.stalls > 0 ? 0 : 2 * sigma
    let best = { value: Infinity, distance: 0, point: center }
    let t = 1
    for (let tries = 0; tries < searchTries && this.#ground.left() > 0; tries++) {
      const step = t
      const point = settle(
        at,
        this.#step.map((each, i) => (center[i] as number) + step * each),
      )
      const answer = (yield onlyPoint(point))[0] as number
      const found = Number.isNaN(answer) ? Infinity : answer
      if (found < best.value) best = { value: found, distance: t, point }
      const bend = found - value - t * slope
      const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : Infinity
      if (found <= value + 1e-4 * t * slope + allowance) {
        const next = Math.min(lowest, 4 * t)
        const gain = -(slope * next + (bend / (t * t)) * next * next) - (value - found)
        const isLarge = value - found > 5 * sigma && gain > Math.max(0.1 * (value - found), 5 * sigma)
        if (!(tries < 3 && isLarge && Math.abs(next / t - 1) > 0.1 && best.distance === t)) return best
        t = next
        continue
      }
      if (best.value < value - 2 * sigma) return best
      t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
      if (-t * slope < 0.1 * sigma) break
    }
    return null
  }

  *#forwardSlopes(): Generator<Batch, Slopes | null, Float64Array> {
    const { at, center, state, left } = this.#ground
    if (left() < at.dim) return null
    const intervals = this.#wanted(forwardBend)
    const step = (i: number): number => intervals[i] as number
    const { slopes } = yield* differences(at, { x: center, value: state.value, step, central: false })
    return { slopes, curvatures: new Float64Array(at.dim), intervals }
  }

  /** Slopes from pairs. Where the noise level allows no judgement, or the first matrix depends on it, intervals are tried. */
  *#centralSlopes(): Generator<Batch, Slopes | null, Float64Array> {
    const { at, center, state, noise, curvature, left } = this.#ground
    const sigma = noise.at(state.value)
    const intervals = this.#wanted(centralBend)
    const [slopes, curvatures] = [new Float64Array(at.dim), new Float64Array(at.dim)]
    const tries = !curvature.isKnown || this.#state.stalls > 0 ? intervalTries : 1
    let along = Array.from({ length: at.dim }, (_, i) => i)
    for (let t = 0; t < tries && along.length > 0; t++) {
      if (left() < 2 * along.length) {
        if (t === 0) return null
        break
      }
      const step = (i: number): number => intervals[i] as number
      const found = yield* differences(at, { x: center, value: state.value, along, step, central: true })
      along = along.filter((i, j) => {
        slopes[i] = found.slopes[j] as number
        curvatures[i] = found.curvatures[j] as number
        const factor = this.#better(i, {
          t,
          sigma,
          slope: slopes[i],
          bend: curvatures[i],
          step: found.steps[j] as number,
        })
        if (factor !== 1) intervals[i] = (intervals[i] as number) * factor
        return factor !== 1
      })
    }
    for (let i = 0; i < at.dim; i++) {
      const h = intervals[i] as number
      curvatures[i] = Math.max(Math.abs(curvatures[i] as number), (2 * sigma) / (h * h))
    }
    return { slopes, curvatures, intervals }
  }

  /** What to multiply an interval by: above 1 where all it shows may be noise, below 1 where it is far from quadratic. */
  #better(i: number, seen: { t: number; sigma: number; slope: number; bend: number; step: number }): number {
    const { bounds } = this.#ground.at
    const { sigma, slope, step } = seen
    const second = Math.abs(seen.bend) * step * step
    const hasRoom =
      bounds === undefined || Math.abs(step) < 0.2499 * ((bounds.upper[i] as number) - (bounds.lower[i] as number))
    if (second < 8 * sigma && Math.abs(2 * slope * step) < 15 * sigma && hasRoom) return 3
    return !this.#ground.curvature.isKnown && second > 3000 * sigma && seen.t < intervalTries - 1 ? 0.2 : 1
  }

  /** Intervals by the curvature, where it is known. */
  #wanted(bend: number): Float64Array {
    const { at, center, curvature, noise, state } = this.#ground
    const sigma = noise.at(state.value)
    return this.#intervals.map((interval, i) => {
      const along = curvature.isKnown ? curvature.along(i) : 0
      if (!(along > 0)) return interval
      const size = sizeOf(at, center, i)
      return Math.min(Math.max(Math.sqrt((bend * sigma) / along), Math.max(1e-7, 1000 * at.unit) * size), 0.5 * size)
    })
  }

  /** Down the slopes, each coordinate by its own curvature. */
  #simpleStep(): Float64Array {
    const { at, center, curvature } = this.#ground
    curvature.simplify()
    const to = this.#slopes.map((slope, i) => (center[i] as number) - slope / curvature.along(i))
    return settle(at, to).map((each, i) => each - (center[i] as number))
  }
}

interface Slopes {
  readonly slopes: Float64Array
  readonly curvatures: Float64Array
  readonly intervals: Float64Array
}

/** A point on trial: the sum of the answers about it, and how many there were. */
export interface Entrant {
  readonly point: Float64Array
  sum: number
  count: number
}

/**
 * The point with the lowest mean of answers, by about so many queries, never more: each round asks all points that are left
 * equally often, as one batch, and keeps the better half (sequential halving: Karnin, Koren and Somekh, 2013). Null where
 * no query was answered.
 */
export function* lowestOf(
  points: readonly Float64Array[],
  queries: number,
): Generator<Batch, Entrant | null, Float64Array> {
  let field: Entrant[] = points.map((point) => ({ point, sum: 0, count: 0 }))
  let left = queries
  for (let rounds = roundsOf(field.length); rounds > 0; rounds--) {
    const times = Math.floor(left / (field.length * rounds))
    if (times > 0) yield* askAll(field, times)
    left -= times * field.length
    field.sort((a, b) => meanOf(a) - meanOf(b))
    field = field.slice(0, Math.ceil(field.length / 2))
  }
  const best = field[0]
  return best === undefined || best.count === 0 ? null : best
}

function* askAll(field: readonly Entrant[], times: number): Generator<Batch, void, Float64Array> {
  const entrant = (row: number): Entrant => field[row % field.length] as Entrant
  const values = yield {
    rows: times * field.length,
    write: (row, into, offset) => into.set(entrant(row).point, offset),
  }
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return
    entrant(row).sum += value
    entrant(row).count++
  })
}

/** How often a field is halved until one is left; a field of one is asked, too. */
function roundsOf(count: number): number {
  let rounds = Math.min(count, 1)
  for (let left = count; left > 2; left = Math.ceil(left / 2)) rounds++
  return rounds
}

function meanOf({ sum, count }: Entrant): number {
  return count === 0 ? Infinity : sum / count
}

/**
 * A method without constraints for a convex set: it minimises x -> f(P(x)), which has the same minimum. All rows lie in the
 * set, and so does the point. The method's own memory must hold its own point.
 */
export function throughProjection(at: RunContext, method: StagedMethod, enter: (x: Vector) => void): StagedMethod {
  const { kernels, dim, precision } = at
  const row = kernels.allocate(dim, precision)
  const point = kernels.allocate(dim, precision)
  const inside = (batch: Batch): Batch => ({
    rows: batch.rows,
    write(index, into, offset) {
      batch.write(index, row, 0)
      enter(row)
      into.set(row, offset)
    },
  })
  function* projected(stage: Stage): Stage {
    let next = stage.next()
    while (next.done !== true) next = stage.next(yield inside(next.value))
    return next.value
  }
  const stages = Object.entries(method.stages).map(([name, stage]) => [
    name,
    (key: Parameters<typeof stage>[0]) => projected(stage(key)),
  ])
  return {
    get point() {
      point.set(method.point)
      enter(point)
      return point
    },
    get memory() {
      return method.memory
    },
    get noisy() {
      return method.noisy
    },
    get estimate() {
      return method.estimate
    },
    stages: Object.fromEntries(stages),
  }
}
