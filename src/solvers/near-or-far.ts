import { ZerothError } from '../core/errors.ts'
import { copyVector, resumeSearch, savedPart } from '../core/memory.ts'
import type { Answers, Begin, Memory, Queries, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { copyOf } from './current-point.ts'

/** Two ways to a point that succeeds and is near the origin. */
interface Ways {
  /** Begins at the origin, whatever was found before. */
  readonly near: Solver
  /** Continues from the start, a point that succeeds, if `near` does not get that far. */
  readonly far: Solver
  /** Share of the budget after which `near` is given up unless it has succeeded. */
  readonly share: number
}

/**
 * Sets out from the origin once more, although a point that succeeds is known: a walk from the origin ends much nearer to it
 * than one back from a far-away success, as long as the slopes lead there. Where they do not, the way back is taken.
 */
export function nearOrFar(ways: Ways): Solver {
  return {
    begin: (at) => new NearOrFar(at, ways),
    resume: (at, saved) => new NearOrFar(at, ways, saved),
  }
}

const phases = ['near', 'far'] as const
type Phase = (typeof phases)[number]

/** Queries that a run is taken to have where none are set. */
const usualQueries = 10_000

class NearOrFar implements Search {
  readonly #at: Begin
  readonly #ways: Ways
  /** The point that succeeded before. */
  readonly #known: Vector
  readonly #state: { phase: Phase; asked: number; before: number; reached: boolean }
  #search: Search

  constructor(at: Begin, ways: Ways, saved?: SavedMemory) {
    this.#at = at
    this.#ways = ways
    this.#known = copyOf(at, at.start)
    this.#state = { phase: 'near', asked: 0, before: 0, reached: false }
    this.#search = saved === undefined ? this.#beginNear() : this.#resume(saved)
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
    if (answers.reached === true) this.#state.reached = true
    this.#state.asked += this.#search.rows
    const isMoved = this.#search.tell(answers)
    this.#turn()
    return isMoved
  }

  skip(): void {
    this.#state.asked += this.#search.rows
    this.#search.skip()
    this.#turn()
  }

  /** The first of the two ways is left where it has not led anywhere. */
  #turn(): void {
    const { phase, reached, asked } = this.#state
    if (phase === 'far' || reached) return
    const { maxQueries = usualQueries } = this.#at.budget
    if (asked < this.#ways.share * maxQueries && this.#search.finished === undefined) return
    const { iteration } = this.#search
    this.#state.phase = 'far'
    this.#state.before = asked
    this.#search = this.#ways.far.begin(this.#from(this.#known, asked))
    this.#search.iteration = iteration
  }

  #beginNear(): Search {
    return this.#ways.near.begin(this.#from(this.#at.origin ?? this.#at.start, 0))
  }

  #from(start: Vector, asked: number): Begin {
    const { budget, origin = this.#at.start } = this.#at
    const left = budget.maxQueries === undefined ? undefined : budget.maxQueries - asked
    return { ...this.#at, start: copyOf(this.#at, start), origin, budget: { ...budget, maxQueries: left } }
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
    const start = found === 'far' ? this.#known : (this.#at.origin ?? this.#at.start)
    return resumeSearch(this.#ways[found], this.#from(start, Number(before)), savedPart(saved, found))
  }
}
