import { centerValue } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { copyVector, resumeSearch, savedPart } from '../core/memory.ts'
import type { Answers, Begin, Memory, Queries, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { distance } from './border-moves.ts'
import { copyOf } from './current-point.ts'

/** Ways to a point that succeeds and is near the origin. */
interface Ways {
  /** Begins at the origin, whatever was found before. */
  readonly near: Solver
  /** Where that does not lead anywhere, seeks a success that is not as far away as the start, from the origin, too. */
  readonly between: Solver
  /** Where the start is within this distance of the origin, that is left out. */
  readonly reach: number
  /** Continues from that, or else from the start, a point that succeeds. */
  readonly far: Solver
  /** Takes its place where the start does not succeed, either, or the objective does not say what does. */
  readonly down: Solver
}

/**
 * When `near` is given up: from this share of the budget on, where at its pace so far it would not succeed within that one.
 * On tuning images those that succeed in the end are well ahead of it, and the others far behind.
 */
const judged = { from: 0.05, until: 2 / 3 }

/** The share of the budget that `between` has. */
const betweenShare = 0.1

/**
 * Sets out from the origin once more, although a point that succeeds is known: a walk from the origin ends much nearer to it
 * than one back from a far-away success, as long as the slopes lead there. Where they do not, the way back is taken, from a
 * success as near as one can be had soon: a walk spends thousands of queries on getting that near.
 */
export function nearOrFar(ways: Ways): Solver {
  return {
    begin: (at) => new NearOrFar(at, ways),
    resume: (at, saved) => new NearOrFar(at, ways, saved),
  }
}

const phases = ['near', 'between', 'far', 'down'] as const
type Phase = (typeof phases)[number]

/** Queries that a run is taken to have where none are set. */
const usualQueries = 10_000

class NearOrFar implements Search {
  readonly #at: Begin
  readonly #ways: Ways
  /** The point that succeeded before, from where the way back is taken. */
  readonly #known: Vector
  readonly #state: { phase: Phase; asked: number; before: number; reached: boolean; first: number; best: number }
  #search: Search

  constructor(at: Begin, ways: Ways, saved?: SavedMemory) {
    this.#at = at
    this.#ways = ways
    this.#known = copyOf(at, at.start)
    this.#state = { phase: 'near', asked: 0, before: 0, reached: false, first: Number.NaN, best: Number.NaN }
    this.#search = saved === undefined ? ways.near.begin(this.#beginAt('near', 0)) : this.#resume(saved)
  }

  get point(): Vector {
    return this.#search.point
  }

  get memory(): Memory {
    const vectors = { point: this.#search.point, known: this.#known }
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

  get answer(): Vector | undefined {
    return this.#search.answer
  }

  get finished(): 'converged' | undefined {
    return this.#search.finished
  }

  ask(): Queries {
    return this.#search.ask()
  }

  tell(answers: Answers): boolean {
    if (answers.reached === true) this.#noteSuccess()
    this.#note(centerValue(answers, 1))
    this.#state.asked += this.#search.rows
    const isMoved = this.#search.tell(answers)
    // Where an objective does not say what succeeds, all there is to do is going down.
    if (answers.reached !== undefined) this.#turn()
    else if (this.#state.phase !== 'down') this.#enter('down')
    return isMoved
  }

  skip(): void {
    this.#state.asked += this.#search.rows
    this.#search.skip()
    this.#turn()
  }

  #noteSuccess(): void {
    const { point } = this.#search
    const origin = this.#at.origin ?? this.#at.start
    this.#state.reached = true
    const isNearer = distance(point, origin) < distance(this.#known, origin)
    if (this.#state.phase === 'between' && isNearer) this.#known.set(point)
  }

  #note(value: number): void {
    const state = this.#state
    if (Number.isNaN(state.first)) state.first = value
    if (!(value >= state.best)) state.best = value
  }

  /** Whether the first of the two ways leads to a success in time, as far as can be said. */
  #isOnCourse(): boolean {
    const { asked, first, best } = this.#state
    const { maxQueries = usualQueries } = this.#at.budget
    if (asked < judged.from * maxQueries) return true
    const floor = this.#at.attack?.floor ?? 0
    return asked * (first - floor) <= judged.until * maxQueries * (first - best)
  }

  /** The first way is left where it does not lead anywhere, the second one where it has succeeded or had its share. */
  #turn(): void {
    const { phase, reached } = this.#state
    if (phase === 'near') {
      if (!reached && (this.#search.finished !== undefined || !this.#isOnCourse())) this.#leaveNear()
    } else if (phase === 'between' && (reached || this.#search.finished !== undefined || this.#isOverdue())) {
      this.#enter('far')
    } else if (phase === 'far' && !reached) this.#enter('down')
  }

  #leaveNear(): void {
    const isFar = distance(this.#known, this.#at.origin ?? this.#at.start) > this.#ways.reach
    this.#enter(isFar ? 'between' : 'far')
  }

  #isOverdue(): boolean {
    const { asked, before } = this.#state
    return asked - before >= betweenShare * (this.#at.budget.maxQueries ?? usualQueries)
  }

  #enter(phase: Phase): void {
    const { iteration } = this.#search
    this.#state.phase = phase
    this.#state.before = this.#state.asked
    this.#search = this.#ways[phase].begin(this.#beginAt(phase, this.#state.asked))
    this.#search.iteration = iteration
  }

  /** What a way is given that is taken after so many queries. */
  #beginAt(phase: Phase, asked: number): Begin {
    const { budget, origin = this.#at.start } = this.#at
    const left = budget.maxQueries === undefined ? undefined : budget.maxQueries - asked
    const start = copyOf(this.#at, phase === 'near' || phase === 'between' ? origin : this.#known)
    return { ...this.#at, start, origin, budget: { ...budget, maxQueries: left } }
  }

  /** Begins the way that was taken where it had begun. */
  #resume(saved: SavedMemory): Search {
    const { phase, before } = saved.state
    const found = phases.find((each) => each === phase)
    if (found === undefined) {
      const known = phases.join(', ')
      throw new ZerothError('invalid-checkpoint', `resume.memory.phase must be one of ${known}, got ${phase}`)
    }
    copyVector('memory.known', this.#known, saved.vectors.known)
    this.#state.phase = found
    return resumeSearch(this.#ways[found], this.#beginAt(found, Number(before)), savedPart(saved, found))
  }
}
