import { centerValue } from '../../optimizer/core/answers.ts'
import { openKernels } from '../../optimizer/core/open-kernels.ts'
import { differ } from '../../optimizer/core/space.ts'
import type { Answers, Memory, Queries, RunContext, Search, Solver, Vector } from '../../optimizer/core/types.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import { copyOf, onePoint } from '../../optimizer/methods/points.ts'
import { type HandOver, type Leg, type Policy, type Progress, relay } from '../../optimizer/methods/relay.ts'
import { projectInto } from './project-into.ts'

/** A solver that searches for a first success; the next takes over if it fails. */
export interface CandidateSolver {
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
  readonly candidateSolvers: readonly CandidateSolver[]
  /** What continues from the success, or from the best point where there is none. */
  readonly last: Omit<CandidateSolver, 'patience' | 'share'>
  /** Queries on the way back to the start, which halve it each time, between success and last method. */
  readonly shrink: number
  /** Share of the way to the start by which the last method is drawn back after every iteration that succeeds. */
  readonly pull: number
  /** Whether the candidates are left out if the objective does not report success. */
  readonly needsGoal?: true
  /** Whether the last method begins at the start, too, where no candidate has succeeded: at the best point if left out. */
  readonly afresh?: true
  /** Whether the search tells what it did, method by method. */
  readonly tells?: true
}

/** Candidate solvers until one succeeds, the bisection back to the start, and a last solver, as one search. */
export function inSequence(sequence: Sequence): Solver {
  return { openKernels, ...relay((at) => new SequencePolicy(at, sequence)) }
}

/** The name of the bisection in checkpoints, and why it runs. */
const back = { name: 'back', why: 'half-way back to the start, as long as that succeeds' }

class SequencePolicy implements Policy {
  readonly memory: Memory
  readonly legs: Policy['legs']
  readonly first: HandOver
  readonly origin: Vector
  readonly value?: () => number
  readonly #at: RunContext
  readonly #sequence: Sequence
  /** The best point so far: of those that succeeded, once there is one. */
  readonly #best: Vector
  readonly #state = {
    /** The value of the best point. */
    best: Number.NaN,
    reached: false,
    /** Whether the objective does not report success, which the candidates need. */
    goalless: false,
    /** Queries of the whole run without success after which the active candidate gives way. */
    deadline: 0,
    /** Queries of an iteration of the last solver. */
    lastRows: 0,
  }
  readonly #projectInto: (x: Vector) => void

  constructor(at: RunContext, sequence: Sequence) {
    const { candidateSolvers, last, shrink } = sequence
    this.#at = at
    this.#sequence = sequence
    this.origin = at.origin ?? at.start.slice()
    this.#best = copyOf(at, at.start)
    this.#projectInto = projectInto(at)
    this.memory = { vectors: { best: this.#best }, state: this.#state }
    if (sequence.tells === true) this.value = () => this.#state.best
    const legs = candidateSolvers.map((each) => [each.name, () => this.#candidateLeg(each)] as const)
    const bisection = { solver: bisectToOrigin(this.origin, shrink) }
    this.legs = { ...Object.fromEntries(legs), [back.name]: () => bisection, [last.name]: () => last }
    this.first = this.#to(candidateSolvers[0] ?? last, at.start)
  }

  entered({ leg, before, asked, search }: Progress): void {
    const candidate = this.#candidate(leg)
    if (candidate !== undefined) this.#state.deadline = before + this.#queriesFor(candidate, search.rows)
    if (asked === 0) this.#state.lastRows = this.#tryLast()
  }

  /** Remembers the best point. */
  note(_: Queries, answers: Answers, { search }: Progress): void {
    const state = this.#state
    if (this.#sequence.needsGoal === true && answers.reached === undefined) state.goalless = true
    const value = centerValue(answers, search.centers)
    const isReached = answers.reached === true
    const isFirst = isReached && !state.reached
    const isBetter = !(value >= state.best) && (isReached || !state.reached)
    if (Number.isNaN(value) || !(isFirst || isBetter)) return
    this.#best.set(search.point)
    state.best = value
    if (isReached) state.reached = true
  }

  next(now: Progress, answers: Answers | undefined): HandOver | undefined {
    if (now.isFresh) return undefined
    const isReached = answers?.reached === true
    const candidate = this.#candidate(now.leg)
    if (candidate !== undefined) return this.#afterCandidate(candidate, now, isReached)
    if (now.leg === back.name) {
      return now.search.finished === undefined ? undefined : this.#to(this.#sequence.last, now.search.point)
    }
    if (isReached && this.#sequence.pull > 0) this.#pullBack(now.search)
    return undefined
  }

  answer({ search }: Progress): Vector | undefined {
    return this.#state.reached ? this.#best : search.answer
  }

  finished({ leg, search }: Progress): 'converged' | undefined {
    return leg === this.#sequence.last.name ? search.finished : undefined
  }

  #candidate(leg: string): CandidateSolver | undefined {
    return this.#sequence.candidateSolvers.find(({ name }) => name === leg)
  }

  #candidateLeg(candidate: CandidateSolver): Leg {
    const queries = candidate.share === undefined ? undefined : this.#queriesFor(candidate, 1)
    return { solver: candidate.solver, queries }
  }

  #to({ name, why }: Pick<CandidateSolver, 'name' | 'why'>, from: Vector): HandOver {
    return { leg: name, from, why }
  }

  /** The queries of a candidate that asks `rows` in an iteration. */
  #queriesFor({ share = usualShare, patience }: CandidateSolver, rows: number): number {
    return patience ?? Math.ceil(share * queriesOf(this.#at, rows))
  }

  /**
   * Starts the last solver once and drops it: if it cannot start, that is an error before the first query. It does so outside
   * the memory of the run, of which nothing is ever given back. Returns the queries of its first iteration.
   */
  #tryLast(): number {
    const at = { ...this.#at, kernels: scalarKernels, origin: this.origin }
    return this.#sequence.last.solver.start({ ...at, start: copyOf(at, at.start) }).rows
  }

  #afterCandidate(candidate: CandidateSolver, { asked, search }: Progress, isReached: boolean): HandOver | undefined {
    const { candidateSolvers, last, afresh, shrink } = this.#sequence
    const { goalless, deadline, best } = this.#state
    const isOut = goalless || (asked >= deadline && this.#isAffordable(asked))
    if (!isReached && search.finished === undefined && !isOut) return undefined
    const next = isReached || goalless ? undefined : candidateSolvers[candidateSolvers.indexOf(candidate) + 1]
    if (next !== undefined) return this.#to(next, this.origin)
    // A method that does not ask for its own points has nothing better to hand over than the last of them.
    const handedOver = Number.isNaN(best) ? search.point : this.#best
    const from = isReached || afresh !== true ? handedOver : this.origin
    const isBack = isReached && shrink > 0 && differ(from, this.origin)
    return this.#to(isBack ? back : last, from)
  }

  /** Whether the budget leaves the last solver an iteration. */
  #isAffordable(asked: number): boolean {
    const left = (this.#at.budget.maxQueries ?? Infinity) - asked
    return !(left < this.#state.lastRows + 1)
  }

  /** Success leaves room: moves a part of the way back without a query. Points on trial stay where they are. */
  #pullBack({ point, answer }: Search): void {
    if (answer !== undefined) return
    for (let i = 0; i < this.#at.dim; i++) {
      const start = this.origin[i] as number
      point[i] = start + (1 - this.#sequence.pull) * ((point[i] as number) - start)
    }
    this.#projectInto(point)
  }
}

/** The share of the budget of a candidate, unless it says otherwise. */
const usualShare = 0.25

/** The queries of a run whose iterations have so many rows each. */
function queriesOf({ budget: { maxQueries = Infinity, maxIterations = Infinity } }: RunContext, rows: number): number {
  const queries = Math.min(maxQueries, maxIterations * rows)
  return Number.isFinite(queries) ? queries : unlimited
}

/** Queries that a run is taken to have where only time limits it. */
const unlimited = 10_000

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
export function inTwoPhases({ first, second, patience, ...rest }: Settings): Solver {
  const candidateSolvers = [{ name: 'first', solver: first, patience }]
  return inSequence({ candidateSolvers, last: { name: 'second', solver: second }, ...rest })
}

/**
 * Goes back from where it begins, a point that has reached what the objective is for, towards an origin that has not:
 * halves the distance `queries` times and ends at the nearest point that has reached it, too. Asks one point an iteration
 * and goes by `Answers.reached` alone.
 */
export function bisectToOrigin(origin: Vector, queries: number): Solver {
  return { start: (at) => new Bisection(at, origin, queries) }
}

/** As shares of the way from the origin: 0 has not reached it, `reached` has. */
type Way = { missed: number; reached: number; asked: number }

class Bisection implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly rows = 1
  readonly centers = 1
  readonly #origin: Vector
  readonly #far: Vector
  readonly #queries: number
  readonly #way: Way = { missed: 0, reached: 1, asked: 0 }
  readonly #enter: (x: Vector) => void
  readonly #asking: (iteration: number) => Queries

  constructor(at: RunContext, origin: Vector, queries: number) {
    this.point = at.start
    this.#origin = origin
    this.#far = copyOf(at, this.point)
    this.#queries = queries
    this.#enter = projectInto(at)
    this.#asking = onePoint(at, this.point)
    this.memory = { vectors: { point: this.point, far: this.#far }, state: this.#way }
    this.#moveTo(middle(this.#way))
  }

  get finished(): 'converged' | undefined {
    return this.#way.asked === this.#queries ? 'converged' : undefined
  }

  ask(): Queries {
    return this.#asking(this.iteration + 1)
  }

  tell({ reached }: Answers): boolean {
    this.iteration++
    this.#halve(reached === true)
    return true
  }

  skip(): void {
    this.iteration++
    this.#halve(false)
  }

  #halve(isReached: boolean): void {
    const way = this.#way
    way[isReached ? 'reached' : 'missed'] = middle(way)
    way.asked++
    if (way.asked < this.#queries) this.#moveTo(middle(way))
    else if (way.reached === 1) this.point.set(this.#far)
    else this.#moveTo(way.reached)
  }

  #moveTo(share: number): void {
    for (let i = 0; i < this.point.length; i++) {
      const from = this.#origin[i] as number
      this.point[i] = from + share * ((this.#far[i] as number) - from)
    }
    this.#enter(this.point)
  }
}

function middle({ missed, reached }: Way): number {
  return (missed + reached) / 2
}
