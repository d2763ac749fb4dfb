import { centerValue } from '../core/answers.ts'
import { differ } from '../core/differ.ts'
import { ZerothError } from '../core/errors.ts'
import { copyVector, resumeSearch, savedPart } from '../core/memory.ts'
import { openKernels } from '../core/open-kernels.ts'
import type { Answers, Begin, Memory, Queries, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { copyOf } from './current-point.ts'
import { wayBack } from './way-back.ts'
import { withinSet } from './within-set.ts'

/** The options of a two-phase solver. */
interface Settings {
  readonly first: Solver
  readonly second: Solver
  readonly patience?: number | undefined
  readonly shrink: number
  readonly pull: number
  /** Whether the first method is left out if the objective does not report success. */
  readonly needsGoal?: true
}

/** A first method until it succeeds, the way back, and a second method, as one search with one count of iterations. */
export function inTwoPhases(settings: Settings): Solver {
  return {
    openKernels,
    begin: (at) => new TwoPhaseSearch(at, settings),
    resume: (at, saved) => new TwoPhaseSearch(at, settings, saved),
  }
}

/** In the order in which they work; the names stand in checkpoints. */
const phases = ['first', 'back', 'second'] as const
type Phase = (typeof phases)[number]

/** Where the search is. */
type Progress = {
  phase: Phase
  /** Queries asked so far, and before the phase at work. */
  asked: number
  before: number
  /** The value of the best point. */
  best: number
  reached: boolean
  /** Whether the objective does not report success, which the first method needs. */
  goalless: boolean
  /** Queries without success after which the first method gives way. */
  patience: number
  /** Queries of an iteration of the second method. */
  secondRows: number
}

class TwoPhaseSearch implements Search {
  readonly #at: Begin
  readonly #settings: Settings
  readonly #solvers: Readonly<Record<Phase, Solver>>
  readonly #origin: Vector
  /** The best point so far: of those that succeeded, once there is one. */
  readonly #best: Vector
  /** Where the phase at work began. */
  readonly #from: Vector
  readonly #state: Progress
  readonly #intoSet: (x: Vector) => void
  #search: Search

  constructor(at: Begin, settings: Settings, saved?: SavedMemory) {
    this.#at = at
    this.#settings = settings
    this.#origin = (at.origin ?? at.start).slice()
    const back = wayBack(this.#origin, settings.shrink)
    this.#solvers = { first: settings.first, back, second: settings.second }
    this.#best = copyOf(at, at.start)
    this.#from = copyOf(at, at.start)
    this.#intoSet = withinSet(at)
    this.#state = {
      phase: 'first',
      asked: 0,
      before: 0,
      best: Number.NaN,
      reached: false,
      goalless: false,
      patience: 0,
      secondRows: 0,
    }
    this.#search = saved === undefined ? this.#beginFirst() : this.#resume(saved)
  }

  get point(): Vector {
    return this.#search.point
  }

  get memory(): Memory {
    const vectors = { point: this.#search.point, best: this.#best, from: this.#from }
    return { vectors, state: this.#state, parts: { [this.#state.phase]: this.#search.memory } }
  }

  get iteration(): number {
    return this.#search.iteration
  }

  set iteration(value: number) {
    this.#search.iteration = value
  }

  get rows(): number {
    return this.#search.rows
  }

  get centers(): number {
    return this.#search.centers
  }

  get samples(): number {
    return this.#search.samples ?? Math.max(this.#search.centers, 1)
  }

  get candidates(): true | undefined {
    return this.#search.candidates
  }

  get answer(): Vector | undefined {
    return this.#state.reached ? this.#best : this.#search.answer
  }

  get finished(): 'converged' | undefined {
    return this.#state.phase === 'second' ? this.#search.finished : undefined
  }

  ask(): Queries {
    return this.#search.ask()
  }

  tell(answers: Answers): boolean {
    this.#note(answers)
    if (this.#settings.needsGoal === true && answers.reached === undefined) this.#state.goalless = true
    const isMoved = this.#search.tell(answers)
    this.#turn(answers.reached === true)
    return isMoved
  }

  skip(): void {
    this.#state.asked += this.#search.rows
    this.#search.skip()
    this.#turn(false)
  }

  #beginFirst(): Search {
    const search = this.#solvers.first.begin(this.#beginAt(this.#from, 0))
    this.#state.patience = this.#settings.patience ?? usualPatience(this.#at, search)
    // The second method begins once and is dropped again: if it cannot, that is an error before the first query.
    this.#state.secondRows = this.#solvers.second.begin(this.#beginAt(this.#from, 0)).rows
    return search
  }

  /** Begins the phase at work where it had begun. */
  #resume(saved: SavedMemory): Search {
    const { before, phase } = saved.state
    const found = phases.find((each) => each === phase)
    if (found === undefined) {
      const known = phases.join(', ')
      throw new ZerothError('invalid-checkpoint', `resume.memory.phase must be one of ${known}, got ${phase}`)
    }
    copyVector('memory.from', this.#from, saved.vectors.from)
    this.#state.phase = found
    return resumeSearch(this.#solvers[found], this.#beginAt(this.#from, Number(before)), savedPart(saved, found))
  }

  /** What a phase that begins after `before` queries is given. */
  #beginAt(from: Vector, before: number): Begin {
    const { maxQueries = Infinity } = this.#at.budget
    const left = Number.isFinite(maxQueries) ? maxQueries - before : undefined
    const budget = { ...this.#at.budget, maxQueries: left }
    return { ...this.#at, budget, start: copyOf(this.#at, from), origin: this.#origin }
  }

  #enter(phase: Phase, from: Vector): void {
    const { iteration } = this.#search
    this.#from.set(from)
    this.#state.phase = phase
    this.#state.before = this.#state.asked
    this.#search = this.#solvers[phase].begin(this.#beginAt(this.#from, this.#state.before))
    this.#search.iteration = iteration
  }

  /** Remembers the best point. */
  #note(answers: Answers): void {
    const state = this.#state
    const { centers, rows, point } = this.#search
    state.asked += rows
    const value = centerValue(answers, centers)
    const isReached = answers.reached === true
    const isFirst = isReached && !state.reached
    const isBetter = !(value >= state.best) && (isReached || !state.reached)
    if (Number.isNaN(value) || !(isFirst || isBetter)) return
    this.#best.set(point)
    state.best = value
    if (isReached) state.reached = true
  }

  /** After an iteration: on with the same method, or with the next. */
  #turn(isReached: boolean): void {
    const { phase } = this.#state
    if (phase === 'first') this.#leaveFirst(isReached)
    else if (phase === 'back') this.#leaveBack()
    else if (isReached && this.#settings.pull > 0) this.#pullBack()
  }

  #leaveFirst(isReached: boolean): void {
    const { goalless, asked, patience, best } = this.#state
    const isOut = goalless || (asked >= patience && this.#isAffordable())
    if (!isReached && this.#search.finished === undefined && !isOut) return
    // A method that does not ask for its own points has nothing better to hand over than the last of them.
    const from = Number.isNaN(best) ? this.#search.point : this.#best
    this.#enter(isReached && this.#settings.shrink > 0 && differ(from, this.#origin) ? 'back' : 'second', from)
  }

  /** Whether the budget leaves the second method an iteration. */
  #isAffordable(): boolean {
    const left = (this.#at.budget.maxQueries ?? Infinity) - this.#state.asked
    return !(left < this.#state.secondRows + 1)
  }

  #leaveBack(): void {
    if (this.#search.finished !== undefined) this.#enter('second', this.#search.point)
  }

  /** Success leaves room: a part of the way back that no query is needed for. Points on trial are left where they are. */
  #pullBack(): void {
    const { point, answer } = this.#search
    if (answer !== undefined) return
    for (let i = 0; i < this.#at.dim; i++) {
      const start = this.#origin[i] as number
      point[i] = start + (1 - this.#settings.pull) * ((point[i] as number) - start)
    }
    this.#intoSet(point)
  }
}

/** Queries without success after which the first method gives way: a quarter of those there are. */
function usualPatience(
  { budget: { maxQueries = Infinity, maxIterations = Infinity } }: Begin,
  { rows }: Search,
): number {
  const queries = Math.min(maxQueries, maxIterations * rows)
  return Math.ceil((Number.isFinite(queries) ? queries : unlimited) / 4)
}

/** Queries that a run is taken to have where only time limits it. */
const unlimited = 10_000
