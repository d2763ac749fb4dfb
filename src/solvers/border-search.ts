// Over 250 lines because the phases of one method are read as one page.
import { centerValue } from '../core/answers.ts'
import { sampleDraw } from '../core/samples.ts'
import type { Answers, Begin, Memory, Queries, Search, Span, Vector } from '../core/types.ts'
import { isInside } from '../estimators/placement.ts'
import {
  adapt,
  type BorderProgress,
  type BorderSettings,
  backOff,
  beBolder,
  beginAttempts,
  beMoreCareful,
  beNearer,
  borderBeginning,
  distance,
  drawAnew,
  drawLess,
  drawn,
  halvings,
  isBlind,
  stepDown,
  wider,
  worthwhile,
} from './border-moves.ts'
import { copyOf } from './current-point.ts'
import { leapHalvings, nearEnough, patience, wayTo } from './footholds.ts'
import { intoSet } from './into-set.ts'
import { nearestBeyond } from './nearest-across.ts'
import { type RivalBorders, rivalBorders, rivalsFor, type Sighting, valuesOf } from './rival-borders.ts'
import { beginWalk, nextTurn } from './rival-turns.ts'
import type { SlopeChoice } from './slope-choice.ts'
import { type Around, type RivalValues, type SlopeMemory, slopeMemory } from './slope-memory.ts'

/**
 * Seeks the smallest value among the points that do what the objective is for (`Answers.reached`), where the values of
 * those grow with the distance from the start: a perturbation that fools a model, and is as small as can be.
 *
 * It goes down remembered slopes with growing steps until a point succeeds, and halves the last step a few times. Then it
 * walks along the border: slopes are taken just outside, where the loss still shows them. An attempt is drawn from there
 * towards the origin, and then to the nearest point of the set beyond the border, which the slopes see as a plane; drawn all
 * the way, that is the nearest of all. How far an attempt misses tells how the next one is to aim. Where the objective tells
 * the values of each class apart, the border of one class at a time is walked along: the same queries show the slopes of all,
 * and so which border is nearest; one that is further away but close by would hold the walk for good. Where the objective
 * never says that a point succeeds, it goes on down, taking back steps that lead up.
 */
export function borderSearch(at: Begin, span: Span, settings: BorderSettings, choose?: SlopeChoice): Search {
  return new BorderSearch(at, span, settings, choose)
}

class BorderSearch implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly centers = 1
  readonly #at: Begin
  readonly #span: Span
  readonly #settings: BorderSettings
  readonly #origin: Vector
  /** The best point of the walk at hand: of those that succeeded, once there is one. */
  readonly #kept: Vector
  /** The point outside where slopes were taken last, and the best of the attempts since that missed. */
  readonly #outside: Vector
  readonly #next: Vector
  /** The direction away from success, of the plane that the border is taken for. */
  readonly #normal: Vector
  readonly #floor: number
  /** Points that probably succeed, for want of a nearer one. */
  readonly #footholds: readonly Vector[]
  readonly #slopes: SlopeMemory
  readonly #state: BorderProgress
  readonly #enter: (x: Vector) => void
  readonly #crossPlane: (point: Vector, gradient: Vector, level: number) => void
  /** The best success of all walks: the one at hand may be along the border of another class, which is further away. */
  readonly #best: Vector
  /** Classes that are told apart; 0 where they are not. */
  readonly #rivals: number
  readonly #borders: RivalBorders
  /** How often each class was turned to. */
  readonly #walked: Vector
  readonly #key: { readonly seed: number; iteration: number }
  readonly #queries: Queries

  constructor(at: Begin, span: Span, settings: BorderSettings, choose: SlopeChoice | undefined) {
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
    this.#footholds = at.attack?.footholds ?? []
    this.#rivals = choose === undefined ? rivalsFor(at) : 0
    this.#best = copyOf(at, this.#origin)
    this.#walked = new Float64Array(this.#rivals)
    this.#slopes = slopeMemory(at, span, isInside(at, settings.feasible), choose, this.#rivals)
    this.#borders = rivalBorders(at, this.#slopes)
    this.#state = borderBeginning(at, settings)
    this.#enter = intoSet(at)
    this.#crossPlane = nearestBeyond(at)
    this.#key = { seed: at.seed, iteration: 0 }
    this.#queries = this.#asking()
    const [origin, kept, outside, next] = [this.#origin, this.#kept, this.#outside, this.#next]
    const vectors = { point: this.point, origin, kept, outside, next, normal: this.#normal, best: this.#best }
    const all = this.#rivals === 0 ? vectors : { ...vectors, walked: this.#walked }
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
      detailed: this.#rivals > 0,
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
    const { used, foothold } = this.#state
    const { maxQueries = Infinity } = this.#at.budget
    return foothold < this.#footholds.length && used > patience(this.#at.attack) * maxQueries
  }

  #beginLeaps(): void {
    this.#next.set(this.#kept)
    this.#leapOn()
  }

  /** On to the next foothold: itself as long as nothing has succeeded, then a point on the way to it that would be nearer. */
  #leapOn(): void {
    const state = this.#state
    const foothold = this.#footholds[state.foothold]
    state.foothold++
    state.phase = 'leap'
    if (foothold === undefined) return state.leapt ? this.#beginLook() : this.#goOnDown()
    if (!state.leapt) this.point.set(foothold)
    else if (!wayTo(foothold, this.#next, this.#origin, nearEnough * distance(this.#kept, this.#origin), this.point)) {
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
    this.#slopes.learn(answers, this.#around(), this.#rivalValues(answers))
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
    const rivals = this.#rivalValues(answers)
    const { rival } = this.#state
    // What all classes have in common is flat beyond the border; the value of one of them is not.
    if (!isReached || (rivals !== undefined && rival >= 0)) this.#learnBorder(answers, rivals)
    if (isReached && value < this.#state.value) this.#keep(value)
    if (rivals !== undefined && this.#turnAway(rivals)) return
    this.#beginAttempts(isReached ? -depth : this.#excessOf(value))
  }

  /** The values of each class, where the objective tells them. */
  #rivalValues({ notes }: Answers): RivalValues | undefined {
    const length = this.rows * this.#rivals
    if (length === 0 || notes == null || notes.length < length) return undefined
    return { count: this.#rivals, values: notes.subarray(notes.length - length) }
  }

  #noteBest(answers: Answers): void {
    const state = this.#state
    const value = centerValue(answers, 1)
    if (answers.reached !== true || value >= state.best) return
    this.#best.set(this.point)
    state.best = value
    const rivals = this.#rivalValues(answers)
    if (rivals !== undefined) state.bestRival = foremost(rivals)
  }

  /** What the answers mean for the class that is walked to: only its own successes count, and its own value. */
  #judged(answers: Answers): Judgement {
    const value = centerValue(answers, 1)
    const isReached = answers.reached === true
    const own = this.#rivalValues(answers)?.values[this.#state.rival] ?? value
    return isReached && own <= value
      ? { value, isReached, depth: value - own }
      : { value: own, isReached: false, depth: 0 }
  }

  /** Turns to another class where its border is nearer, as the slopes see it: which one is decided by `nextTurn`. */
  #turnAway(rivals: RivalValues): boolean {
    const state = this.#state
    if (state.rival < 0) this.#takeUp(foremost(rivals))
    state.looks++
    const seen = this.#sighting(rivals)
    const ownRadius = this.#radius()
    const bestRadius = Number.isNaN(state.best) ? Infinity : distance(this.#best, this.#origin)
    const reach = this.#borders.distances(seen)
    const turn = nextTurn(state, this.#walked, { own: state.rival, ownRadius, bestRadius, reach, dim: this.#at.dim })
    if (turn.to === 'rival') this.#walkTo(seen, turn.rival)
    else if (turn.to === 'best') this.#walkBack(bestRadius)
    return turn.to !== 'stay'
  }

  #sighting(rivals: RivalValues): Sighting {
    const { probe, rate } = this.#state
    return { point: this.point, origin: this.#origin, rivals, rows: this.rows, probe, floor: this.#floor, rate }
  }

  /** The border at hand is that of a class: from now on its values alone count. */
  #takeUp(rival: number): void {
    this.#slopes.turnTo(rival)
    this.#walked[rival] = 1
    beginWalk(this.#state, rival, this.#state.value, this.#radius())
  }

  /** Begins where the border of a class seems to be nearest. */
  #walkTo(seen: Sighting, rival: number): void {
    this.#borders.nearest(seen, rival, this.#outside)
    this.#slopes.turnTo(rival)
    this.#walked[rival] = (this.#walked[rival] as number) + 1
    beginWalk(this.#state, rival, Infinity, Infinity)
    drawAnew(this.#state, 1)
    this.#beginLook()
  }

  /** Goes on from the best success of all. */
  #walkBack(radius: number): void {
    const state = this.#state
    this.#kept.set(this.#best)
    this.#slopes.turnTo(state.bestRival)
    beginWalk(state, state.bestRival, state.best, radius)
    drawAnew(state)
    drawn(this.#kept, this.#origin, state.nearer, this.#outside)
    this.#beginLook()
  }

  /** How far the nearest success of the walk at hand is from the origin. */
  #radius(): number {
    return this.#state.value === Infinity ? Infinity : distance(this.#kept, this.#origin)
  }

  #learnBorder({ values: all, failed }: Answers, rivals: RivalValues | undefined): void {
    const last = this.rows - 1
    const { rival } = this.#state
    const values = rivals === undefined || rival < 0 ? all : valuesOf(rivals, rival, this.rows)
    this.#slopes.learn({ values, failed }, this.#around(), rivals)
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
      this.#crossPlane(this.point, this.#normal, level + state.aim)
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

  /** Remembers the attempt from which the border seems nearest to the origin. */
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

/** What answers mean for a walk: its value, whether it is a success, and how far beyond the border, in the value. */
interface Judgement {
  readonly value: number
  readonly isReached: boolean
  readonly depth: number
}

/** The class that is ahead of the others at the first row. */
function foremost({ count, values }: RivalValues): number {
  let least = 0
  for (let j = 1; j < count; j++) if ((values[j] as number) < (values[least] as number)) least = j
  return least
}
