import { ZerothError } from '../core/errors.ts'
import { copyVector, restoreMemory, resumeSearch, savedPart } from '../core/part.ts'
import type {
  Answers,
  Estimate,
  Memory,
  OpenQueries,
  Phase,
  Queries,
  RunContext,
  SavedMemory,
  Search,
  Solver,
  Vector,
} from '../core/types.ts'
import { copyOf } from './points.ts'

/** A solver of a relay, made when its turn comes and again when a run is resumed. */
export interface Leg {
  readonly solver: Solver
  /** The queries it is told it has, no more than are left; the rest of the run if left out. */
  readonly queries?: number | undefined
}

/** Who takes over, where it starts, and why. */
export interface HandOver {
  /** The name of a leg; that of the active one starts it again, within the same phase. */
  readonly leg: string
  readonly from: Vector
  /** For the log of phases. */
  readonly why?: string | undefined
}

/** Where a relay is. */
export interface Progress {
  /** The name of the active leg. */
  readonly leg: string
  /** Its solver at work. */
  readonly search: Search
  /** Queries so far, and before the active leg. The iteration that `note` sees is not counted yet. */
  readonly asked: number
  readonly before: number
  /** True until the search at work has completed an iteration. */
  readonly isFresh: boolean
}

/** What decides who runs, for one run: its closures see the run, its memory is saved and restored. */
export interface Policy {
  /** What the policy remembers; restored before a leg is made again. */
  readonly memory: Memory
  /** By the names that stand in checkpoints and in the log. */
  readonly legs: Readonly<Record<string, (now: Pick<Progress, 'before'>) => Leg>>
  readonly first: HandOver
  /** Where the legs are told that the whole run began; where the relay itself was told, if left out. */
  readonly origin?: Vector | undefined
  /** Sees the answers of an iteration before the active leg does: the time to remember points and values. */
  note?(queries: Queries, answers: Answers, now: Progress): void
  /** Called when a leg has started, but not when it is resumed. */
  entered?(now: Progress): void
  /**
   * The leg that takes over after an iteration, undefined if the active one continues. Called again after each hand-over; a
   * policy that decides once per iteration returns undefined if `now.isFresh`. No answers: the iteration was skipped. Left out by
   * a policy with one leg, which may then have several queries under way.
   */
  next?(now: Progress, answers: Answers | undefined): HandOver | undefined
  /** What the run would end with now; the answer of the active leg if left out. */
  answer?(now: Progress): Vector | undefined
  /** Whether the relay is over; it is when the active leg is, if left out. */
  finished?(now: Progress): 'converged' | undefined
  /** The best value so far, if the run is to report its phases. */
  value?(): number
}

/** What is saved of a relay beside its policy and its active leg. */
type RelayState = {
  phase: string
  why: string
  asked: number
  before: number
  /** Queries before the search at work, which is not the first of its leg if that was started again. */
  began: number
  /** The phases that are over, as JSON. */
  log: string
}

/**
 * Several solvers one after the other as one search: one count of iterations and queries, one active leg, which alone is
 * saved, and a log of the phases. The policy decides after every iteration who continues, and from where:
 *
 * ```ts
 * const quickThenFine = relay((at) => {
 *   const state = { reached: false }
 *   return {
 *     memory: { state },
 *     legs: { quick: () => ({ solver: simba(), queries: 500 }), fine: () => ({ solver: zoAdaMM() }) },
 *     first: { leg: 'quick', from: at.start },
 *     note: (_, { reached }) => {
 *       if (reached === true) state.reached = true
 *     },
 *     next: ({ leg, search }) =>
 *       leg === 'quick' && (state.reached || search.finished !== undefined)
 *         ? { leg: 'fine', from: search.point }
 *         : undefined,
 *   }
 * })
 * ```
 */
export function relay(policyFor: (at: RunContext) => Policy): Solver {
  return {
    start: (at) => new RelaySearch(at, policyFor(at)),
    resume: (at, saved) => new RelaySearch(at, policyFor(at), saved),
  }
}

/** What a leg is given that starts at `from` and may spend so many queries. */
function legContext(
  at: RunContext,
  { from, origin, queries }: { from: Vector; origin: Vector; queries: number },
): RunContext {
  const budget = { ...at.budget, maxQueries: Number.isFinite(queries) ? queries : undefined }
  return { ...at, budget, start: copyOf(at, from), origin }
}

class RelaySearch implements Search {
  readonly #at: RunContext
  readonly #policy: Policy
  readonly #origin: Vector
  /** Where the active leg started. */
  readonly #from: Vector
  readonly #state: RelayState
  #search: Search
  #pending: Queries | undefined

  constructor(at: RunContext, policy: Policy, saved?: SavedMemory) {
    const { first, origin = at.origin ?? at.start.slice() } = policy
    this.#at = at
    this.#policy = policy
    this.#origin = origin
    this.#from = copyOf(at, first.from)
    this.#state = { phase: first.leg, why: first.why ?? '', asked: 0, before: 0, began: 0, log: '[]' }
    this.#search = saved === undefined ? this.#start() : this.#resume(saved)
    if (saved === undefined) policy.entered?.(this.#now)
  }

  get point(): Vector {
    return this.#search.point
  }

  get memory(): Memory {
    return {
      vectors: { point: this.#search.point, from: this.#from },
      state: this.#state,
      parts: { policy: this.#policy.memory, leg: this.#search.memory },
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
    return this.#search.samples ?? Math.max(this.#search.centers, 1)
  }

  get candidates(): true | undefined {
    return this.#search.candidates
  }

  get noisy(): true | undefined {
    return this.#search.noisy
  }

  get estimate(): Estimate | undefined {
    return this.#policy.answer === undefined ? this.#search.estimate : undefined
  }

  get answer(): Vector | undefined {
    return this.#policy.answer === undefined ? this.#search.answer : this.#policy.answer(this.#now)
  }

  get finished(): 'converged' | undefined {
    return this.#policy.finished === undefined ? this.#search.finished : this.#policy.finished(this.#now)
  }

  get phases(): readonly Phase[] | undefined {
    if (this.#policy.value === undefined) return undefined
    const { phase, why, asked, before, log } = this.#state
    // JSON has no NaN, the value of a phase without an answer.
    const past = (JSON.parse(log) as Phase[]).map((each) => ({ ...each, value: each.value ?? Number.NaN }))
    return [...past, { method: phase, why, queries: asked - before, value: this.#policy.value() }]
  }

  get openQueries(): OpenQueries | undefined {
    const { openQueries } = this.#search
    if (openQueries === undefined || this.#policy.next !== undefined) return undefined
    return {
      open: (most) => openQueries.open(most),
      tell: (number, answers) => {
        const queries = openQueries.open(0).find(({ key }) => key.iteration === number) as Queries
        this.#policy.note?.(queries, answers, this.#now)
        this.#state.asked++
        return openQueries.tell(number, answers)
      },
    }
  }

  ask(): Queries {
    this.#pending = this.#search.ask()
    return this.#pending
  }

  tell(answers: Answers): boolean {
    this.#policy.note?.(this.#pending ?? this.ask(), answers, this.#now)
    this.#pending = undefined
    this.#state.asked += this.#search.rows
    const isUseful = this.#search.tell(answers)
    this.#handOver(answers)
    return isUseful
  }

  skip(): void {
    this.#pending = undefined
    this.#state.asked += this.#search.rows
    this.#search.skip()
    this.#handOver(undefined)
  }

  get #now(): Progress {
    const { phase: leg, asked, before, began } = this.#state
    return { leg, search: this.#search, asked, before, isFresh: asked === began }
  }

  #handOver(answers: Answers | undefined): void {
    const state = this.#state
    for (;;) {
      const next = this.#policy.next?.(this.#now, answers)
      if (next === undefined) return
      const { iteration } = this.#search
      if (next.leg !== state.phase) this.#beginPhase(next)
      state.began = state.asked
      this.#from.set(next.from)
      this.#search = this.#start()
      this.#search.iteration = iteration
      this.#policy.entered?.(this.#now)
    }
  }

  #beginPhase({ leg, why = '' }: HandOver): void {
    const { phases } = this
    if (phases !== undefined) this.#state.log = JSON.stringify(phases)
    this.#state.phase = leg
    this.#state.why = why
    this.#state.before = this.#state.asked
  }

  #start(): Search {
    const { solver, queries } = this.#leg()
    return solver.start(this.#context(queries))
  }

  /** Starts the active leg where it had started, with what it and the policy remembered. */
  #resume(saved: SavedMemory): Search {
    // All else is restored with the memory of the whole.
    this.#state.phase = String(saved.state.phase)
    this.#state.before = Number(saved.state.before)
    copyVector('memory.from', this.#from, saved.vectors.from)
    restoreMemory(this.#policy.memory, savedPart(saved, 'policy'))
    const { solver, queries } = this.#leg()
    return resumeSearch(solver, this.#context(queries), savedPart(saved, 'leg'))
  }

  #leg(): Leg {
    const { phase, before } = this.#state
    const { legs } = this.#policy
    if (Object.hasOwn(legs, phase)) return (legs[phase] as Policy['legs'][string])({ before })
    const known = Object.keys(legs).join(', ')
    throw new ZerothError('invalid-checkpoint', `resume.memory.phase must be one of ${known}, got ${phase}`)
  }

  #context(queries = Infinity): RunContext {
    const left = (this.#at.budget.maxQueries ?? Infinity) - this.#state.before
    const at = this.#policy.next === undefined ? this.#at : { ...this.#at, concurrency: 1 }
    return legContext(at, { from: this.#from, origin: this.#origin, queries: Math.min(queries, left) })
  }
}
