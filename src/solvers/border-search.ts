import { centerValue } from '../core/answers.ts'
import { sampleDraw } from '../core/samples.ts'
import type { Answers, Begin, Memory, Queries, Search, Span, Vector } from '../core/types.ts'
import { isInside } from '../estimators/placement.ts'
import {
  adapt,
  attempts,
  type BorderProgress,
  type BorderSettings,
  backOff,
  beBolder,
  borderBeginning,
  distance,
  halfWay,
  halvings,
  isBlind,
  stepDown,
  turnedNearer,
  wider,
} from './border-moves.ts'
import { copyOf } from './current-point.ts'
import { type SlopeMemory, slopeMemory } from './slope-memory.ts'
import { withinSet } from './within-set.ts'

/**
 * Seeks the smallest value among the points that do what the objective is for (`Answers.reached`), where the values of
 * those grow with the distance from the start: a perturbation that fools a model, and is as small as can be.
 *
 * It goes down remembered slopes with growing steps until a point succeeds, and halves the last step a few times. Then it
 * walks along the border: slopes are taken just outside, where the loss still shows them; an attempt points from the start
 * to a direction between that of the best point and the steepest descent, a little less far. For a straight border the
 * steepest descent is the direction of its nearest point. Where the objective never says that a point succeeds, it goes
 * on down, taking back steps that lead up.
 */
export function borderSearch(at: Begin, span: Span, settings: BorderSettings): Search {
  return new BorderSearch(at, span, settings)
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
  /** The best point so far: of those that succeeded, once there is one. */
  readonly #kept: Vector
  /** The last point that missed. */
  readonly #outside: Vector
  readonly #slopes: SlopeMemory
  readonly #state: BorderProgress
  readonly #enter: (x: Vector) => void
  readonly #key: { readonly seed: number; iteration: number }
  readonly #queries: Queries

  constructor(at: Begin, span: Span, settings: BorderSettings) {
    this.#at = at
    this.#span = span
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#kept = copyOf(at, this.#origin)
    this.#outside = copyOf(at, this.#origin)
    this.#slopes = slopeMemory(at, span, isInside(at, settings.feasible))
    this.#state = borderBeginning(at, settings)
    this.#enter = withinSet(at)
    this.#key = { seed: at.seed, iteration: 0 }
    this.#queries = this.#asking()
    const vectors = { point: this.point, origin: this.#origin, kept: this.#kept, outside: this.#outside }
    this.memory = { vectors, state: this.#state, parts: { slopes: this.#slopes.memory } }
  }

  get rows(): number {
    const { phase, used } = this.#state
    if (phase === 'approach') return 1 + Math.min(this.#settings.directions, this.#span.dim)
    if (phase !== 'look') return 1
    // As many as are left, with one query kept for the last point.
    const left = (this.#at.budget.maxQueries ?? Infinity) - used - 1
    return Math.max(1, Math.min(1 + this.#settings.refinement, 1 + this.#span.dim, left))
  }

  get answer(): Vector {
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
    const value = centerValue(answers, 1)
    const isReached = answers.reached === true
    const { phase } = this.#state
    if (phase === 'approach') this.#afterStep(answers, value)
    else if (phase === 'halve') this.#afterHalving(isReached, value)
    else if (phase === 'look') this.#afterLook(answers, value)
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
    else if (phase === 'halve') this.#halveOn()
    else if (phase === 'look') this.#beginAttempts()
    else this.#beginLook()
  }

  #asking(): Queries {
    const search = this
    const draw = sampleDraw(1, this.#at.population)
    return {
      key: this.#key,
      dim: this.#at.dim,
      centers: 1,
      get rows() {
        return search.rows
      },
      sample: () => draw.at(this.#key, 0),
      write: (row, into, offset = 0) => {
        if (row === 0) into.set(this.point, offset)
        else this.#slopes.write(this.point, this.#state.probe, row - 1, into, offset)
      },
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
    this.#stepDown()
  }

  /** Takes slopes off the answers; a whole round without any slope says that what there is lies further away. */
  #learnSlopes(answers: Answers): void {
    const { round, gradient } = this.#slopes
    this.#slopes.learn(answers, this.point, this.#state.probe, this.rows - 1)
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
    this.#state.phase = 'halve'
    this.#state.left = halvings
    halfWay(this.#kept, this.#outside, this.point)
  }

  #afterHalving(isReached: boolean, value: number): void {
    if (isReached) this.#keep(value)
    else this.#outside.set(this.point)
    this.#halveOn()
  }

  #halveOn(): void {
    this.#state.left--
    if (this.#state.left > 0) halfWay(this.#kept, this.#outside, this.point)
    else this.#beginLook()
  }

  #beginLook(): void {
    this.#state.phase = 'look'
    this.point.set(this.#outside)
  }

  #afterLook(answers: Answers, value: number): void {
    if (answers.reached !== true) this.#slopes.learn(answers, this.point, this.#state.probe, this.rows - 1)
    else if (value < this.#state.value) this.#keep(value)
    this.#beginAttempts()
  }

  #beginAttempts(): void {
    const { nearer } = this.#state
    Object.assign(this.#state, { phase: 'attempt', left: attempts, nearerNow: nearer, improved: false })
    this.#aim()
  }

  #aim(): void {
    const known = { origin: this.#origin, kept: this.#kept, gradient: this.#slopes.gradient }
    turnedNearer(this.#at.kernels, known, this.#state.turn, this.#state.nearerNow, this.point)
    this.#enter(this.point)
  }

  #afterAttempt(isReached: boolean, value: number): void {
    const state = this.#state
    state.left--
    if (isReached && value < state.value) {
      this.#keep(value)
      beBolder(state)
      if (state.left > 0) return this.#aim()
    } else if (!isReached) this.#outside.set(this.point)
    adapt(state)
    this.#beginLook()
  }
}
