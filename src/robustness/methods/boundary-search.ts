import { centerValue, sampleDraw } from '../../optimizer/core/answers.ts'
import type {
  Answers,
  AttackFacts,
  BasisState,
  Memory,
  Queries,
  RunContext,
  Search,
  Vector,
} from '../../optimizer/core/types.ts'
import { copyOf } from '../../optimizer/methods/points.ts'
import { isInside } from '../../optimizer/parts/estimators/probes.ts'
import {
  adapt,
  type BoundaryProgress,
  type BoundarySettings,
  backOff,
  beBolder,
  beginAttempts,
  beMoreCareful,
  beNearer,
  distance,
  drawAnew,
  drawLess,
  drawn,
  halvings,
  initialProgress,
  isBlind,
  stepDown,
  wider,
  worthwhile,
} from './boundary-moves.ts'
import {
  beginWalk,
  type ClassBoundaries,
  classBoundaries,
  competingClassesOf,
  nextTurn,
  type Sighting,
  valuesOf,
} from './competing-classes.ts'
import {
  type Around,
  type ClassValues,
  type CoordinateSelection,
  type GradientMemory,
  gradientMemory,
} from './gradient-memory.ts'
import { projectInto, projectToPlane } from './project-into.ts'

/**
 * Seeks the smallest value among the points that do what the objective is for (`Answers.reached`), where the values of
 * those grow with the distance from the start: a perturbation that fools a model, and is as small as can be.
 *
 * It goes down remembered slopes with growing steps until a point succeeds, and halves the last step a few times. Then it
 * walks along the boundary: slopes are taken just outside, where the loss still shows them. An attempt is drawn from there
 * towards the origin, and then to the nearest point of the set beyond the boundary, which the slopes see as a plane; drawn all
 * the way, that is the nearest of all. How far an attempt misses tells how the next one is to aim. Where the objective tells
 * the values of each class apart, the boundary of one class at a time is walked along: the same queries show the slopes of all,
 * and so which boundary is nearest; one that is further away but close by would hold the walk for good. Where the objective
 * never says that a point succeeds, it goes on down, taking back steps that lead up.
 */
export function boundarySearch(
  at: RunContext,
  span: BasisState,
  settings: BoundarySettings,
  choose?: CoordinateSelection,
): Search {
  return new BoundarySearch(at, span, settings, choose)
}

class BoundarySearch implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly centers = 1
  readonly #at: RunContext
  readonly #span: BasisState
  readonly #settings: BoundarySettings
  readonly #origin: Vector
  /** The best point of the walk at hand: of those that succeeded, once there is one. */
  readonly #kept: Vector
  /** The point outside where slopes were taken last, and the best of the attempts since that missed. */
  readonly #outside: Vector
  readonly #next: Vector
  /** The direction away from success, of the plane that the boundary is taken for. */
  readonly #normal: Vector
  readonly #floor: number
  /** Points that probably succeed, for want of a nearer one. */
  readonly #startingPoints: readonly Vector[]
  readonly #slopes: GradientMemory
  readonly #state: BoundaryProgress
  readonly #enter: (x: Vector) => void
  readonly #projectToPlane: (point: Vector, gradient: Vector, level: number) => void
  /** The best success of all walks: the one at hand may be along the boundary of another class, which is further away. */
  readonly #best: Vector
  /** Classes that are told apart; 0 where they are not. */
  readonly #competitors: number
  readonly #boundaries: ClassBoundaries
  /** How often each class was turned to. */
  readonly #walked: Vector
  readonly #key: { readonly seed: number; iteration: number }
  readonly #queries: Queries

  constructor(at: RunContext, span: BasisState, settings: BoundarySettings, choose: CoordinateSelection | undefined) {
    this.#at = at
    this.#span = span
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#kept = copyOf(at, this.#origin)
    this.#outside = copyOf(at, this.#origin)
    this.#next = copyOf(at, this.#origin)
    this.#normal = copyOf(at, this.#origin)
    this.#floor = at.attack?.floor ?? 0
    this.#startingPoints = at.attack?.startingPoints ?? []
    this.#competitors = choose === undefined ? competingClassesOf(at) : 0
    this.#best = copyOf(at, this.#origin)
    this.#walked = new Float64Array(this.#competitors)
    this.#slopes = gradientMemory(at, span, isInside(at, settings.feasible), choose, this.#competitors)
    this.#boundaries = classBoundaries(at, this.#slopes)
    this.#state = initialProgress(at, settings)
    this.#enter = projectInto(at)
    this.#projectToPlane = projectToPlane(at)
    this.#key = { seed: at.seed, iteration: 0 }
    this.#queries = this.#asking()
    const [origin, kept, outside, next] = [this.#origin, this.#kept, this.#outside, this.#next]
    const vectors = { point: this.point, origin, kept, outside, next, normal: this.#normal, best: this.#best }
    const all = this.#competitors === 0 ? vectors : { ...vectors, walked: this.#walked }
    this.memory = { vectors: all, state: this.#state, parts: { slopes: this.#slopes.memory } }
  }

  get rows(): number {
    const { phase, used } = this.#state
    if (phase === 'approach') return 1 + Math.min(this.#settings.directions, this.#span.dim)
    if (phase !== 'look') return 1
    // As many as are left, with one query kept for the last point.
    const left = (this.#at.budget.maxQueries ?? Infinity) - used - 1
    return Math.max(1, Math.min(1 + this.#settings.refinement, 2 + this.#span.dim, left))
  }

  get answer(): Vector {
    if (!Number.isNaN(this.#state.best)) return this.#best
    return Number.isNaN(this.#state.value) ? this.point : this.#kept
  }

  get finished(): 'converged' | undefined {
    return this.#state.finished ? 'converged' : undefined
  }

  ask(): Queries {
    this.#key.iteration = this.iteration + 1
    return this.#queries
  }

  tell(answers: Answers): boolean {
    this.iteration++
    const { rows } = this
    this.#noteBest(answers)
    const judged = this.#judged(answers)
    const { value, isReached } = judged
    const { phase } = this.#state
    if (phase === 'approach') this.#afterStep(answers, value)
    else if (phase === 'leap') this.#afterLeap(isReached, value)
    else if (phase === 'halve') this.#afterHalving(isReached, value)
    else if (phase === 'look') this.#afterLook(answers, judged)
    else this.#afterAttempt(isReached, value)
    this.#state.used += rows
    return true
  }

  /** A point that brings no value is given up, and never continued from. */
  skip(): void {
    this.iteration++
    this.#state.used += this.rows
    const { phase } = this.#state
    if (phase === 'approach') this.#stepBack()
    else if (phase === 'leap') this.#leapOn()
    else if (phase === 'halve') this.#halveOn()
    else if (phase === 'look') this.#lookNearer()
    else if (drawLess(this.#state)) this.#aim()
    else this.#endAttempts()
  }

  #asking(): Queries {
    const search = this
    const draw = sampleDraw(1, this.#at.population)
    return {
      key: this.#key,
      dim: this.#at.dim,
      precision: this.#at.precision,
      isFiner: (row) => row > this.#slopeCount(),
      centers: 1,
      detailed: this.#competitors > 0,
      get rows() {
        return search.rows
      },
      sample: () => draw.at(this.#key, 0),
      inPlace: (row) => (row === 0 ? this.point : undefined),
      write: (row, into, offset = 0) => {
        if (row === 0) into.set(this.point, offset)
        else if (row > this.#slopeCount()) this.#writeOutwards(into, offset)
        else this.#slopes.write(this.#around(), row - 1, into, offset)
      },
    }
  }

  #around(): Around {
    return { x: this.point, length: this.#state.probe, count: this.#slopeCount() }
  }

  /** Slopes of an iteration. The last probe of a look is left for the way out. */
  #slopeCount(): number {
    return this.#state.phase === 'look' ? Math.max(0, this.rows - 2) : this.rows - 1
  }

  /** A probe straight away from the origin. */
  #writeOutwards(into: Vector, offset: number): void {
    const scale = 1 + this.#state.probe / (distance(this.point, this.#origin) || Infinity)
    for (let i = 0; i < this.#at.dim; i++) {
      const from = this.#origin[i] as number
      into[offset + i] = from + scale * ((this.point[i] as number) - from)
    }
  }

  #keep(value: number): void {
    this.#kept.set(this.point)
    this.#state.value = value
  }

  #afterStep(answers: Answers, value: number): void {
    if (answers.reached === true) return this.#beginHalving(value)
    const state = this.#state
    const isAtStart = this.#at.attack !== undefined && distance(this.point, this.#origin) === 0
    if (isAtStart && isBlind(this.#at, state, answers, this.rows)) {
      this.#keep(value)
      state.probe *= wider
      return
    }
    this.#learnSlopes(answers)
    const hasMoved = distance(this.point, this.#kept) > 0
    // Along a plateau it continues, too; where no slope is known yet the point has not moved, and its step is not to blame.
    const isDown = hasMoved ? !(value > state.value) : !(value >= state.value)
    const factor = isDown ? this.#settings.growth : hasMoved ? backOff : 1
    if (isDown) this.#keep(value)
    state.step *= factor
    if (this.#isLate()) this.#beginLeaps()
    else this.#stepDown()
  }

  /** Whether the way down the slopes has taken so long that a point which probably succeeds is worth a query. */
  #isLate(): boolean {
    const { used, startingPoint } = this.#state
    const { maxQueries = Infinity } = this.#at.budget
    return startingPoint < this.#startingPoints.length && used > patience(this.#at.attack) * maxQueries
  }

  #beginLeaps(): void {
    this.#next.set(this.#kept)
    this.#leapOn()
  }

  /** On to the next starting point: itself as long as nothing has succeeded, then a point on the way to it that would be nearer. */
  #leapOn(): void {
    const state = this.#state
    const startingPoint = this.#startingPoints[state.startingPoint]
    state.startingPoint++
    state.phase = 'leap'
    if (startingPoint === undefined) return state.leapt ? this.#beginLook() : this.#goOnDown()
    if (!state.leapt) this.point.set(startingPoint)
    else if (
      !pointTowards(
        startingPoint,
        this.#next,
        this.#origin,
        nearEnough * distance(this.#kept, this.#origin),
        this.point,
      )
    ) {
      return this.#leapOn()
    }
    this.#enter(this.point)
  }

  #goOnDown(): void {
    this.#state.phase = 'approach'
    this.#stepDown()
  }

  #afterLeap(isReached: boolean, value: number): void {
    const state = this.#state
    if (!isReached || (state.leapt && value >= state.value)) return this.#leapOn()
    this.#keep(value)
    this.#outside.set(this.#next)
    state.leapt = true
    this.#halve(leapHalvings)
  }

  /** Takes slopes off the answers; a whole round without any slope says that what there is lies further away. */
  #learnSlopes(answers: Answers): void {
    const { round, gradient } = this.#slopes
    this.#slopes.learn(answers, this.#around(), this.#classValues(answers))
    const isFlat = this.#slopes.round > round && this.#at.kernels.dot(gradient, gradient) === 0
    if (isFlat) this.#state.probe *= wider
  }

  #stepDown(): void {
    stepDown(this.#at.kernels, this.#kept, this.#slopes.gradient, this.#state.step, this.point)
    this.#enter(this.point)
  }

  #stepBack(): void {
    this.#state.step *= backOff
    this.#stepDown()
  }

  #beginHalving(value: number): void {
    this.#outside.set(this.#kept)
    this.#keep(value)
    // A start that succeeds is as near as can be.
    if (distance(this.#kept, this.#origin) === 0) this.#state.finished = true
    this.#halve(halvings)
  }

  #halve(times: number): void {
    this.#state.phase = 'halve'
    this.#state.left = times
    drawn(this.#kept, this.#outside, 0.5, this.point)
  }

  #afterHalving(isReached: boolean, value: number): void {
    if (isReached) this.#keep(value)
    else this.#outside.set(this.point)
    this.#halveOn()
  }

  #halveOn(): void {
    this.#state.left--
    if (this.#state.left > 0) drawn(this.#kept, this.#outside, 0.5, this.point)
    else if (this.#state.leapt) this.#leapOn()
    else this.#beginLook()
  }

  #beginLook(): void {
    this.#state.phase = 'look'
    this.point.set(this.#outside)
  }

  /** Where there is no value to be had, slopes are taken closer to the best point. */
  #lookNearer(): void {
    drawn(this.#outside, this.#kept, 0.5, this.#outside)
    this.#beginLook()
  }

  #afterLook(answers: Answers, { value, isReached, depth }: Judgement): void {
    const competitors = this.#classValues(answers)
    const { competitor } = this.#state
    // What all classes have in common is flat beyond the boundary; the value of one of them is not.
    if (!isReached || (competitors !== undefined && competitor >= 0)) this.#learnBorder(answers, competitors)
    if (isReached && value < this.#state.value) this.#keep(value)
    if (competitors !== undefined && this.#turnAway(competitors)) return
    this.#beginAttempts(isReached ? -depth : this.#excessOf(value))
  }

  /** The values of each class, where the objective tells them. */
  #classValues({ notes }: Answers): ClassValues | undefined {
    const length = this.rows * this.#competitors
    if (length === 0 || notes == null || notes.length < length) return undefined
    return { count: this.#competitors, values: notes.subarray(notes.length - length) }
  }

  #noteBest(answers: Answers): void {
    const state = this.#state
    const value = centerValue(answers, 1)
    if (answers.reached !== true || value >= state.best) return
    this.#best.set(this.point)
    state.best = value
    const competitors = this.#classValues(answers)
    if (competitors !== undefined) state.bestCompetitor = foremost(competitors)
  }

  /** What the answers mean for the class that is walked to: only its own successes count, and its own value. */
  #judged(answers: Answers): Judgement {
    const value = centerValue(answers, 1)
    const isReached = answers.reached === true
    const own = this.#classValues(answers)?.values[this.#state.competitor] ?? value
    return isReached && own <= value
      ? { value, isReached, depth: value - own }
      : { value: own, isReached: false, depth: 0 }
  }

  /** Turns to another class where its boundary is nearer, as the slopes see it: which one is decided by `nextTurn`. */
  #turnAway(competitors: ClassValues): boolean {
    const state = this.#state
    if (state.competitor < 0) this.#takeUp(foremost(competitors))
    state.looks++
    const seen = this.#sighting(competitors)
    const ownRadius = this.#radius()
    const bestRadius = Number.isNaN(state.best) ? Infinity : distance(this.#best, this.#origin)
    const reach = this.#boundaries.distances(seen)
    const turn = nextTurn(state, this.#walked, {
      own: state.competitor,
      ownRadius,
      bestRadius,
      reach,
      dim: this.#at.dim,
    })
    if (turn.to === 'competitor') this.#walkTo(seen, turn.competitor)
    else if (turn.to === 'best') this.#walkBack(bestRadius)
    return turn.to !== 'stay'
  }

  #sighting(competitors: ClassValues): Sighting {
    const { probe, rate } = this.#state
    return { point: this.point, origin: this.#origin, competitors, rows: this.rows, probe, floor: this.#floor, rate }
  }

  /** The boundary at hand is that of a class: from now on its values alone count. */
  #takeUp(competitor: number): void {
    this.#slopes.turnTo(competitor)
    this.#walked[competitor] = 1
    beginWalk(this.#state, competitor, this.#state.value, this.#radius())
  }

  /** Begins where the boundary of a class seems to be nearest. */
  #walkTo(seen: Sighting, competitor: number): void {
    this.#boundaries.nearest(seen, competitor, this.#outside)
    this.#slopes.turnTo(competitor)
    this.#walked[competitor] = (this.#walked[competitor] as number) + 1
    beginWalk(this.#state, competitor, Infinity, Infinity)
    drawAnew(this.#state, 1)
    this.#beginLook()
  }

  /** Goes on from the best success of all. */
  #walkBack(radius: number): void {
    const state = this.#state
    this.#kept.set(this.#best)
    this.#slopes.turnTo(state.bestCompetitor)
    beginWalk(state, state.bestCompetitor, state.best, radius)
    drawAnew(state)
    drawn(this.#kept, this.#origin, state.nearer, this.#outside)
    this.#beginLook()
  }

  /** How far the nearest success of the walk at hand is from the origin. */
  #radius(): number {
    return this.#state.value === Infinity ? Infinity : distance(this.#kept, this.#origin)
  }

  #learnBorder({ values: all, failed }: Answers, competitors: ClassValues | undefined): void {
    const last = this.rows - 1
    const { competitor } = this.#state
    const values = competitors === undefined || competitor < 0 ? all : valuesOf(competitors, competitor, this.rows)
    this.#slopes.learn({ values, failed }, this.#around(), competitors)
    if (last === 0 || failed[last] === 1) return
    this.#state.outwards = ((values[last] as number) - (values[0] as number)) / this.#state.probe
  }

  /** How much more the value at the point is than that of a success there would be. */
  #excessOf(value: number): number {
    const radius = distance(this.point, this.#origin)
    return Math.max(0, value - this.#floor - this.#state.rate * radius * radius)
  }

  #beginAttempts(excess: number): void {
    const isKept = this.#state.value < Infinity
    const radius = distance(isKept ? this.#kept : this.#outside, this.#origin)
    if (isKept) this.#state.rate = (this.#state.value - this.#floor) / (radius * radius)
    this.#findNormal()
    beginAttempts(this.#state, excess, radius * this.#steepness())
    this.#aim()
  }

  /**
   * The direction in which a point outside gets away from success: the slopes, less what the distance adds to the value.
   * Where many slopes are not known yet, the one outwards, which is, says what they have in common.
   */
  #findNormal(): void {
    const { gradient } = this.#slopes
    const radius = distance(this.#outside, this.#origin)
    let known = 0
    for (let i = 0; i < gradient.length; i++) {
      known += (gradient[i] as number) * ((this.#outside[i] as number) - (this.#origin[i] as number))
    }
    const share = (this.#state.outwards - known / radius) / radius - 2 * this.#state.rate
    for (let i = 0; i < gradient.length; i++) {
      this.#normal[i] = (gradient[i] as number) + share * ((this.#outside[i] as number) - (this.#origin[i] as number))
    }
  }

  /** Sets the point to the next attempt that is worth a query; where there is none, slopes are next. */
  #aim(): void {
    const state = this.#state
    const near = (1 - worthwhile) * this.#radius()
    const level = this.#at.kernels.dot(this.#normal, this.#outside)
    for (; state.left > 0; state.left--) {
      drawn(this.#outside, this.#origin, state.pullNow, this.point)
      this.#projectToPlane(this.point, this.#normal, level + state.aim)
      if (distance(this.point, this.#origin) < near) return
      if (!beNearer(state)) break
    }
    this.#endAttempts()
  }

  #afterAttempt(isReached: boolean, value: number): void {
    const state = this.#state
    state.left--
    if (isReached && value < state.value) {
      this.#keep(value)
      beBolder(state)
      return this.#aim()
    }
    const excess = this.#excessOf(value)
    if (!isReached) this.#noteMiss(excess)
    if (!isReached && beMoreCareful(state, excess)) this.#aim()
    else this.#endAttempts()
  }

  /** Remembers the attempt from which the boundary seems nearest to the origin. */
  #noteMiss(excess: number): void {
    const state = this.#state
    const prospect = distance(this.point, this.#origin) + excess / (this.#steepness() || 1)
    if (prospect >= state.prospect) return
    state.prospect = prospect
    this.#next.set(this.point)
  }

  /** The slopes are used up: the next ones are taken at the best miss, or else a little nearer than the best point. */
  #endAttempts(): void {
    const state = this.#state
    adapt(state)
    if (Number.isNaN(state.prospect)) drawn(this.#kept, this.#origin, state.nearer, this.#outside)
    else this.#outside.set(this.#next)
    this.#beginLook()
  }

  #steepness(): number {
    return Math.sqrt(this.#at.kernels.dot(this.#normal, this.#normal))
  }
}

/** What answers mean for a walk: its value, whether it is a success, and how far beyond the boundary, in the value. */
interface Judgement {
  readonly value: number
  readonly isReached: boolean
  readonly depth: number
}

/** The class that is ahead of the others at the first row. */
function foremost({ count, values }: ClassValues): number {
  let least = 0
  for (let j = 1; j < count; j++) if ((values[j] as number) < (values[least] as number)) least = j
  return least
}

/** Halvings of the way from a starting point back to the best point so far. */
const leapHalvings = 8

/** How near a point on the way to another starting point has to be, compared with the best one, to be worth a query. */
const nearEnough = 0.95

/** The share of the budget after which the way down the slopes gives way to starting points: a given class is harder to reach. */
export function patience(attack: AttackFacts | undefined): number {
  return attack?.targeted === true ? 0.1 : 0.4
}

/**
 * into = the point on the way from another one to a starting point that is as far from the origin as the radius says, or the
 * starting point if that is nearer; false where the way begins further away.
 */
export function pointTowards(
  startingPoint: Vector,
  from: Vector,
  origin: Vector,
  radius: number,
  into: Vector,
): boolean {
  let [squares, product, start] = [0, 0, 0]
  for (let i = 0; i < into.length; i++) {
    const ahead = (startingPoint[i] as number) - (from[i] as number)
    const away = (from[i] as number) - (origin[i] as number)
    squares += ahead * ahead
    product += ahead * away
    start += away * away
  }
  if (start >= radius * radius || squares === 0) return false
  const share = (Math.sqrt(product * product + squares * (radius * radius - start)) - product) / squares
  for (let i = 0; i < into.length; i++) {
    into[i] = (from[i] as number) + Math.min(1, share) * ((startingPoint[i] as number) - (from[i] as number))
  }
  return true
}
