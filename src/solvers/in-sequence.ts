// Over 250 lines because the run through the methods is one state machine, read as one page.
import { centerValue } from '../core/answers.ts'
import { differ } from '../core/differ.ts'
import { ZerothError } from '../core/errors.ts'
import { copyVector, resumeSearch, savedPart } from '../core/memory.ts'
import { openKernels } from '../core/open-kernels.ts'
import type { Answers, Begin, Memory, Phase, Queries, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { copyOf } from './current-point.ts'
import { intoSet } from './into-set.ts'
import { wayBack } from './way-back.ts'

/** A method that looks for a first success, while others wait for their turn. */
export interface Seeker {
  /** Stands in checkpoints. */
  readonly name: string
  readonly solver: Solver
  /** Why it is tried, in words. */
  readonly why?: string
  /** Queries without success after which the next one takes over; by default a quarter of the budget. */
  readonly patience?: number | undefined
  /** The share of the budget it has instead, and is told that it has. */
  readonly share?: number
}

/** Methods in a row. */
export interface Sequence {
  /** One after the other, until one succeeds. */
  readonly seekers: readonly Seeker[]
  /** What continues from the success, or from the best point where there is none. */
  readonly last: Omit<Seeker, 'patience' | 'share'>
  /** Queries on the way back to the start, which halve it each time, between success and last method. */
  readonly shrink: number
  /** Share of the way to the start by which the last method is drawn back after every iteration that succeeds. */
  readonly pull: number
  /** Whether the seekers are left out if the objective does not report success. */
  readonly needsGoal?: true
  /** Whether the last method begins at the start, too, where no seeker has succeeded: at the best point if left out. */
  readonly afresh?: true
  /** Whether the search tells what it did, method by method. */
  readonly tells?: true
}

/** Seekers until one succeeds, the way back, and a last method, as one search with one count of iterations. */
export function inSequence(sequence: Sequence): Solver {
  return {
    openKernels,
    begin: (at) => new SequentialSearch(at, sequence),
    resume: (at, saved) => new SequentialSearch(at, sequence, saved),
  }
}

/** The name of the way back in checkpoints, and why it is gone. */
const back = { name: 'back', why: 'half-way back to the start, as long as that succeeds' }

/** Where the search is. */
type Progress = {
  phase: string
  /** Queries asked so far, and before the phase at work. */
  asked: number
  before: number
  /** The value of the best point. */
  best: number
  reached: boolean
  /** Whether the objective does not report success, which the seekers need. */
  goalless: boolean
  /** Queries of the whole run without success after which the seeker at work gives way. */
  patience: number
  /** Queries of an iteration of the last method. */
  secondRows: number
}

class SequentialSearch implements Search {
  readonly #at: Begin
  readonly #sequence: Sequence
  readonly #solvers: ReadonlyMap<string, Solver>
  readonly #origin: Vector
  /** The best point so far: of those that succeeded, once there is one. */
  readonly #best: Vector
  /** Where the phase at work began. */
  readonly #from: Vector
  readonly #state: Progress
  /** The phases that are over, as JSON. */
  readonly #log = { past: '[]' }
  readonly #intoSet: (x: Vector) => void
  #search: Search

  constructor(at: Begin, sequence: Sequence, saved?: SavedMemory) {
    const { seekers, last, shrink } = sequence
    this.#at = at
    this.#sequence = sequence
    this.#origin = at.origin ?? at.start.slice()
    const phases = [...seekers, { name: back.name, solver: wayBack(this.#origin, shrink) }, last]
    this.#solvers = new Map(phases.map(({ name, solver }) => [name, solver]))
    this.#best = copyOf(at, at.start)
    this.#from = copyOf(at, at.start)
    this.#intoSet = intoSet(at)
    this.#state = {
      phase: seekers[0]?.name ?? last.name,
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
    const log = this.#sequence.tells === true ? { log: { state: this.#log } } : {}
    return { vectors, state: this.#state, parts: { [this.#state.phase]: this.#search.memory, ...log } }
  }

  get phases(): readonly Phase[] | undefined {
    return this.#sequence.tells === true ? [...this.#past, this.#present] : undefined
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
    return this.#state.phase === this.#sequence.last.name ? this.#search.finished : undefined
  }

  ask(): Queries {
    return this.#search.ask()
  }

  tell(answers: Answers): boolean {
    this.#note(answers)
    if (this.#sequence.needsGoal === true && answers.reached === undefined) this.#state.goalless = true
    const isMoved = this.#search.tell(answers)
    this.#turn(answers.reached === true)
    return isMoved
  }

  skip(): void {
    this.#state.asked += this.#search.rows
    this.#search.skip()
    this.#turn(false)
  }

  get #past(): Phase[] {
    const phases: Phase[] = JSON.parse(this.#log.past)
    // JSON has no NaN, the value of a phase that was never answered.
    return phases.map((each) => ({ ...each, value: each.value ?? Number.NaN }))
  }

  get #present(): Phase {
    const { phase, asked, before, best } = this.#state
    const { seekers, last } = this.#sequence
    const { why = '' } = [...seekers, back, last].find(({ name }) => name === phase) ?? {}
    return { method: phase, why, queries: asked - before, value: best }
  }

  get #seeker(): Seeker | undefined {
    return this.#sequence.seekers.find(({ name }) => name === this.#state.phase)
  }

  #beginFirst(): Search {
    const search = this.#begin(this.#state.phase, 0)
    if (this.#seeker !== undefined) this.#state.patience = this.#patienceOf(this.#seeker, search.rows)
    // The last method begins once and is dropped again: if it cannot, that is an error before the first query. It does so
    // outside the memory of the run, of which nothing is ever given back.
    const { name, solver } = this.#sequence.last
    this.#state.secondRows = solver.begin(this.#beginAt(name, 0, scalarKernels)).rows
    return search
  }

  #begin(phase: string, before: number): Search {
    return this.#solverOf(phase).begin(this.#beginAt(phase, before))
  }

  #solverOf(phase: string): Solver {
    const found = this.#solvers.get(phase)
    if (found !== undefined) return found
    const known = [...this.#solvers.keys()].join(', ')
    throw new ZerothError('invalid-checkpoint', `resume.memory.phase must be one of ${known}, got ${phase}`)
  }

  /** Begins the phase at work where it had begun. */
  #resume(saved: SavedMemory): Search {
    const { before } = saved.state
    const phase = String(saved.state.phase)
    const solver = this.#solverOf(phase)
    copyVector('memory.from', this.#from, saved.vectors.from)
    this.#state.phase = phase
    return resumeSearch(solver, this.#beginAt(phase, Number(before)), savedPart(saved, phase))
  }

  /** The queries of a seeker that has `rows` in an iteration. */
  #patienceOf({ share = usualShare, patience }: Seeker, rows: number): number {
    return patience ?? Math.ceil(share * queriesOf(this.#at, rows))
  }

  /** What a phase that begins after `before` queries is given, in the memory of these kernels. */
  #beginAt(phase: string, before: number, kernels: Kernels = this.#at.kernels): Begin {
    const at = { ...this.#at, kernels }
    const { maxQueries = Infinity } = this.#at.budget
    const seeker = this.#sequence.seekers.find(({ name }) => name === phase)
    const own = seeker?.share === undefined ? Infinity : this.#patienceOf(seeker, 1)
    const left = Math.min(maxQueries - before, own)
    const budget = { ...this.#at.budget, maxQueries: Number.isFinite(left) ? left : undefined }
    return { ...at, budget, start: copyOf(at, this.#from), origin: this.#origin }
  }

  #enter(phase: string, from: Vector): void {
    const { iteration } = this.#search
    if (this.#sequence.tells === true) this.#log.past = JSON.stringify(this.phases)
    this.#from.set(from)
    this.#state.phase = phase
    this.#state.before = this.#state.asked
    this.#search = this.#begin(phase, this.#state.before)
    this.#search.iteration = iteration
    if (this.#seeker === undefined) return
    this.#state.patience = this.#state.before + this.#patienceOf(this.#seeker, this.#search.rows)
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
    if (this.#seeker !== undefined) this.#leaveSeeker(isReached)
    else if (this.#state.phase === back.name) this.#leaveBack()
    else if (isReached && this.#sequence.pull > 0) this.#pullBack()
  }

  #leaveSeeker(isReached: boolean): void {
    const { goalless, asked, patience } = this.#state
    const isOut = goalless || (asked >= patience && this.#isAffordable())
    if (!isReached && this.#search.finished === undefined && !isOut) return
    const next = isReached || goalless ? undefined : this.#nextSeeker()
    if (next !== undefined) return this.#enter(next.name, this.#origin)
    const from = isReached || this.#sequence.afresh !== true ? this.#handedOver() : this.#origin
    const isBack = isReached && this.#sequence.shrink > 0 && differ(from, this.#origin)
    this.#enter(isBack ? back.name : this.#sequence.last.name, from)
  }

  #nextSeeker(): Seeker | undefined {
    const { seekers } = this.#sequence
    return seekers[seekers.findIndex(({ name }) => name === this.#state.phase) + 1]
  }

  /** A method that does not ask for its own points has nothing better to hand over than the last of them. */
  #handedOver(): Vector {
    return Number.isNaN(this.#state.best) ? this.#search.point : this.#best
  }

  /** Whether the budget leaves the second method an iteration. */
  #isAffordable(): boolean {
    const left = (this.#at.budget.maxQueries ?? Infinity) - this.#state.asked
    return !(left < this.#state.secondRows + 1)
  }

  #leaveBack(): void {
    if (this.#search.finished !== undefined) this.#enter(this.#sequence.last.name, this.#search.point)
  }

  /** Success leaves room: a part of the way back that no query is needed for. Points on trial are left where they are. */
  #pullBack(): void {
    const { point, answer } = this.#search
    if (answer !== undefined) return
    for (let i = 0; i < this.#at.dim; i++) {
      const start = this.#origin[i] as number
      point[i] = start + (1 - this.#sequence.pull) * ((point[i] as number) - start)
    }
    this.#intoSet(point)
  }
}

/** What a seeker has of the budget unless it is told otherwise. */
const usualShare = 0.25

/** The queries of a run whose iterations have so many rows each. */
function queriesOf({ budget: { maxQueries = Infinity, maxIterations = Infinity } }: Begin, rows: number): number {
  const queries = Math.min(maxQueries, maxIterations * rows)
  return Number.isFinite(queries) ? queries : unlimited
}

/** Queries that a run is taken to have where only time limits it. */
const unlimited = 10_000
