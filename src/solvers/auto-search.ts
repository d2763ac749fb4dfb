// Over 250 lines because the run through the methods is one state machine, read as one page.
import { copyVector, resumeSearch, savedPart } from '../core/memory.ts'
import type { Answers, Begin, Memory, Phase, Queries, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { coordinatesOf } from '../staged/coordinates.ts'
import {
  type Entry,
  localRun,
  noisyRun,
  populationRun,
  probeRun,
  restartPoint,
  restartRun,
  smallRun,
} from './auto-phases.ts'
import { type Choice, firstChoice, type Method, nextChoice, type Situation, setKindOf } from './auto-rule.ts'
import { startWarnings } from './auto-warnings.ts'
import { copyOf } from './current-point.ts'
import { type Scale, scaleOf } from './scale.ts'

/** What a user may say about the problem. */
export interface AutoSettings {
  /** End at the first minimum; where it is left out, only if nobody set a limit. */
  readonly once?: boolean | undefined
  readonly scale?: Scale
}

const makers: Readonly<Record<Method, (entry: Entry) => Solver>> = {
  probe: probeRun,
  'block-descent': smallRun,
  'quasi-newton': localRun,
  'noisy-descent': noisyRun,
  restarts: restartRun,
  'cma-es': populationRun,
}

/** Where the search is. */
type Progress = {
  phase: string
  why: string
  /** Queries so far, before the phase at work, and at which it ends. */
  asked: number
  before: number
  until: number
  /** The queries of the whole run when that was decided: a run that is extended has more. */
  total: number
  /** What the search at work was told: the queries left to the run, and to itself. */
  horizon: number
  room: number
  /** Where the local run at work ends, among the restarts. */
  localUntil: number
  best: number
  /** The best value when the search at work began. */
  entryBest: number
  /** The best value when the last tenth of the budget began that was begun. */
  tenthBest: number
  /** The answers at the start. */
  first: number
  second: number
  restart: number
  firstQueries: number
  /** The phases that are over, as JSON. */
  log: string
  finished: boolean
}

/** Asks the start twice, chooses a method, and hands over from one method to the next. */
export class AutoSearch implements Search {
  readonly #at: Begin
  readonly #scale: Scale
  readonly #once: boolean
  readonly #origin: Vector
  readonly #best: Vector
  /** Where the method at work began. */
  readonly #from: Vector
  readonly #firstPoint: Vector
  readonly #state: Progress
  #search: Search
  #pending: Queries | undefined

  constructor(at: Begin, settings: AutoSettings, saved?: SavedMemory) {
    this.#at = at
    this.#scale = settings.scale
    this.#once = settings.once ?? at.budget.isUsual === true
    scaleOf('auto', this.#scale, at.dim)
    this.#origin = at.start.slice()
    this.#best = copyOf(at, at.start)
    this.#from = copyOf(at, at.start)
    this.#firstPoint = copyOf(at, at.start)
    this.#state = {
      phase: 'probe',
      why: 'two answers at the start tell whether the objective is noisy',
      asked: 0,
      before: 0,
      until: 2,
      total: at.budget.maxQueries ?? Infinity,
      horizon: Infinity,
      room: 2,
      localUntil: Infinity,
      best: Number.NaN,
      entryBest: Number.NaN,
      tenthBest: Number.NaN,
      first: at.startValue ?? Number.NaN,
      second: Number.NaN,
      restart: 0,
      firstQueries: 0,
      log: '[]',
      finished: false,
    }
    this.#search = saved === undefined ? this.#begin() : this.#resume(saved)
  }

  get point(): Vector {
    return this.#search.point
  }

  get memory(): Memory {
    return {
      vectors: { point: this.#search.point, best: this.#best, from: this.#from, firstPoint: this.#firstPoint },
      state: this.#state,
      parts: { [this.#state.phase]: this.#search.memory },
    }
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
    return 1
  }

  get candidates(): true {
    return true
  }

  get noisy(): true | undefined {
    return this.#search.noisy
  }

  get answer(): Vector | undefined {
    return this.#search.answer
  }

  get finished(): 'converged' | undefined {
    const { finished, phase, asked } = this.#state
    // A run that is extended may have more to do.
    return finished && nextChoice(phase as Method, this.#situation, asked) === undefined ? 'converged' : undefined
  }

  get phases(): readonly Phase[] {
    return [...this.#past, this.#present]
  }

  ask(): Queries {
    this.#pending = this.#search.ask()
    return this.#pending
  }

  tell(answers: Answers): boolean {
    if (this.#state.finished || this.#queries > this.#state.total) this.#takeExtension()
    this.#note(this.#pending ?? this.ask(), answers)
    this.#pending = undefined
    const isUseful = this.#search.tell(answers)
    while (this.#isOver()) this.#leave()
    return isUseful
  }

  skip(): void {
    this.#search.skip()
  }

  /** A method that had all the rest of the run has the new rest, too; choices stay as they were made. */
  #takeExtension(): void {
    const state = this.#state
    if (state.until >= state.total - 1) state.until = this.#queries - 1
    state.total = this.#queries
    state.finished = false
  }

  get #past(): Phase[] {
    const phases: Phase[] = JSON.parse(this.#state.log)
    // JSON has no NaN, the value of a phase that was never answered.
    return phases.map((each) => ({ ...each, value: each.value ?? Number.NaN }))
  }

  get #present(): Phase {
    const { phase, why, asked, before, best } = this.#state
    return { method: phase, why, queries: asked - before, value: best }
  }

  get #queries(): number {
    return this.#at.budget.maxQueries ?? Infinity
  }

  get #situation(): Situation {
    const { set, dim } = this.#at
    const { first, second, best } = this.#state
    // One query of the whole is kept back for the value of the last point.
    const queries = this.#queries - 1
    const lost = Number.isNaN(best)
    return { dim, queries, noisy: isOther(first, second), set: setKindOf(set), once: this.#once, lost, ...this.#signs }
  }

  get #signs(): { doubtful: boolean; sum: boolean } {
    return { doubtful: this.#search.isDoubtful === true, sum: (this.#at.population ?? 1) > 1 }
  }

  /** Remembers the best point, and the answers at the start. */
  #note(asked: Queries, { values, failed }: Answers): void {
    const state = this.#state
    for (let row = 0; row < asked.rows; row++) {
      const value = failed[row] === 1 ? Number.NaN : (values[row] as number)
      if (state.phase === 'probe') {
        if (Number.isNaN(state.first)) state.first = value
        else state.second = value
      }
      if (!(value < state.best || (Number.isNaN(state.best) && !Number.isNaN(value)))) continue
      state.best = value
      asked.write(row, this.#best)
    }
    const tenth = (count: number): number => Math.floor((10 * count) / this.#queries)
    if (tenth(state.asked + asked.rows) > tenth(state.asked)) state.tenthBest = state.best
    state.asked += asked.rows
  }

  /** Whether the method at work has ended, or has no room left for its next queries while another one would have. */
  #isOver(): boolean {
    const { finished, asked, until, localUntil } = this.#state
    if (finished) return false
    if (this.#search.finished !== undefined) return true
    const end = Math.min(until, localUntil)
    return end < this.#queries - 1 && asked + this.#search.rows > end && !this.#extend()
  }

  /** A first local run that still gets on is given another tenth of the budget. */
  #extend(): boolean {
    const { phase, first, best, tenthBest } = this.#state
    if (phase !== 'quasi-newton' || !(tenthBest - best > 1e-6 * (first - best))) return false
    this.#state.until += 0.1 * this.#queries
    return true
  }

  #leave(): void {
    const state = this.#state
    const method = state.phase as Method
    if (method === 'quasi-newton') {
      this.#firstPoint.set(this.#best)
      state.firstQueries = state.asked
    }
    if (method === 'restarts' && this.#hasRoomForRestart()) {
      state.restart++
      this.#enter(this.#origin)
      return
    }
    if (method === 'probe') this.#warn()
    if (method === 'probe' && isFixed(this.#at)) {
      this.#at.warn('the bounds leave one point only: there is nothing to minimize')
      state.finished = true
      return
    }
    const isRough = method === 'quasi-newton' && this.#signs.doubtful
    const choice = method === 'probe' ? firstChoice(this.#situation) : nextChoice(method, this.#situation, state.asked)
    if (choice === undefined) state.finished = true
    else this.#change(choice, isRough)
  }

  #warn(): void {
    const { dim, budget, population } = this.#at
    const answers = [this.#state.first, this.#state.second] as const
    for (const message of startWarnings({ dim, budget, population, answers })) this.#at.warn(message)
  }

  #hasRoomForRestart(): boolean {
    const { asked, until, best } = this.#state
    if (this.#once && !Number.isNaN(best)) return false
    return asked + 5 * (this.#at.dim + 1) < until
  }

  #change({ method, why, until }: Choice, isRough: boolean): void {
    const state = this.#state
    state.log = JSON.stringify(this.phases)
    state.phase = method
    state.why = why
    state.before = state.asked
    state.until = until
    if (method === 'restarts') state.restart = 1
    this.#enter(method === 'cma-es' && !isRough ? this.#origin : this.#best)
  }

  #enter(from: Vector): void {
    const { iteration } = this.#search
    const state = this.#state
    state.horizon = this.#queries - 1 - state.asked
    state.room = Math.floor(state.until) - state.before
    state.entryBest = state.best
    state.localUntil = Infinity
    this.#from.set(from)
    if (state.phase === 'restarts') {
      state.localUntil = state.asked + Math.max(state.firstQueries, 20 * (this.#at.dim + 1))
      restartPoint(
        this.#at,
        state.restart,
        scaleOf('auto', this.#scale, this.#at.dim),
        { origin: this.#origin, best: this.#best, first: this.#firstPoint },
        this.#from,
      )
    }
    this.#search = this.#begin()
    this.#search.iteration = iteration
  }

  #begin(): Search {
    return this.#solver().begin(this.#beginAt())
  }

  #resume(saved: SavedMemory): Search {
    for (const name of Object.keys(this.#state) as (keyof Progress)[]) {
      if (name in saved.state) Object.assign(this.#state, { [name]: saved.state[name] })
    }
    copyVector('memory.from', this.#from, saved.vectors.from)
    copyVector('memory.best', this.#best, saved.vectors.best)
    copyVector('memory.firstPoint', this.#firstPoint, saved.vectors.firstPoint)
    return resumeSearch(this.#solver(), this.#beginAt(), savedPart(saved, this.#state.phase))
  }

  #solver(): Solver {
    const { phase, entryBest, horizon, first, second } = this.#state
    return makers[phase as Method]({
      bestValue: entryBest,
      startValues: [first, second],
      firstPoint: this.#firstPoint,
      horizon,
      scale: this.#scale,
    })
  }

  #beginAt(): Begin {
    const { room } = this.#state
    const budget = { ...this.#at.budget, maxQueries: Number.isFinite(room) ? room : undefined }
    return { ...this.#at, budget, start: copyOf(this.#at, this.#from), origin: this.#origin }
  }
}

/** Whether the bounds fix every variable. */
function isFixed(at: Begin): boolean {
  const { bounds } = coordinatesOf(at)
  return bounds?.lower.every((each, i) => each === bounds.upper[i]) === true
}

/** Whether both answers are there and differ: one that failed says nothing about noise. */
function isOther(first: number, second: number): boolean {
  return first < second || first > second
}
