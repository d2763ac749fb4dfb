import type { Made } from '../core/part.ts'
import type { Answers, Budget, Queries, RunContext, Solver, Vector } from '../core/types.ts'
import { dot } from '../numerics/vectors.ts'
import {
  type Choice,
  firstChoice,
  type Method,
  nextChoice,
  onlyChoice,
  type Situation,
  setKindOf,
} from './auto-rule.ts'
import type { bayesianSolver } from './bayesian/bayesian.ts'
import type { blockDescentSolver } from './block-descent.ts'
import { cmaSolver, usualCma } from './cma-es.ts'
import { noisySolver } from './noisy-descent.ts'
import { copyOf, type Scale, scaleOf } from './points.ts'
import type { ProjectedGradient } from './projected-gradient.ts'
import { quasiNewtonSolver, usualQuasiNewton } from './quasi-newton.ts'
import type { randomSolver } from './random.ts'
import { type HandOver, type Leg, type Policy, type Progress, relay } from './relay.ts'

import { coordinatesOf, settle, sizeOf } from './staged/coordinates.ts'
import { onlyPoint, type Stage, stagedSolver } from './staged/staged-search.ts'

/** The solvers of those of its methods that few problems come to. */
export interface RareMethods {
  readonly bayesianSolver: typeof bayesianSolver
  readonly blockDescentSolver: typeof blockDescentSolver
  readonly ProjectedGradient: typeof ProjectedGradient
  readonly randomSolver: typeof randomSolver
}

/** Looks at the problem, chooses a method for it, and hands over to the next when it has done its work. */
export function autoSolver(settings: AutoSettings, rare?: RareMethods): Solver {
  const several = relay((at) => new AutoPolicy(at, settings, rare))
  const one = relay((at) => onePolicy(at, rare))
  return {
    takesMixed: true,
    start: (at) => (choiceFor(at, settings) === undefined ? several : one).start(at),
    // A run that is extended keeps its method, whatever the rule says of its new budget.
    resume(at, saved) {
      const { phase } = saved.state
      const solver = phase === 'bayesian' || phase === 'random' ? one : several
      return solver.resume?.(at, saved) ?? solver.start(at)
    },
  }
}

/** `auto` as it is without options, for the problems that `isUsual` tells. */
export function usualAuto(): Made<Solver> {
  return Object.assign(autoSolver({}), { origin: { kind: 'solver', name: 'auto', options: {} } as const })
}

/** Who says how wide the variables are, or wants the first minimum alone, asks for a local method. */
function choiceFor(at: RunContext, { scale, once }: AutoSettings = {}): Choice | undefined {
  const { dim, budget, set, population = 1 } = at
  if (set.space === undefined && (scale !== undefined || once === true)) return undefined
  return onlyChoice({ dim, queries: budget.maxQueries ?? Infinity, set, sum: population > 1 })
}

/** One method for the whole run. */
function onePolicy(at: RunContext, rare: RareMethods | undefined): Policy {
  const { method, why } = choiceFor(at) ?? { method: 'bayesian', why: '' }
  const state = { best: Number.NaN }
  return {
    memory: { state },
    legs: {
      bayesian: () => ({ solver: loaded(rare).bayesianSolver() }),
      random: () => ({ solver: loaded(rare).randomSolver(1) }),
    },
    first: { leg: method, from: at.start, why },
    note({ rows }, { values, failed }) {
      for (let row = 0; row < rows; row++) {
        if (failed[row] === 0 && !((values[row] as number) >= state.best)) state.best = values[row] as number
      }
    },
    value: () => state.best,
  }
}

function loaded(rare: RareMethods | undefined): RareMethods {
  if (rare === undefined) throw new RangeError('the problem is no usual one, but its methods were not loaded')
  return rare
}

/** What a user may say about the problem. */
interface AutoSettings {
  /** End at the first minimum; if left out, only if nobody set a limit. */
  readonly once?: boolean | undefined
  readonly scale?: Scale
}

/** Evaluates the start twice, chooses a method, and hands over from one method to the next. */
class AutoPolicy implements Policy {
  readonly #at: RunContext
  readonly #rare: RareMethods | undefined
  readonly #scale: Scale
  readonly #once: boolean
  readonly #best: Vector
  readonly #firstPoint: Vector
  readonly #state
  readonly origin: Vector
  readonly first: HandOver

  constructor(
    at: RunContext,
    { scale, once = at.budget.isDefault === true }: AutoSettings,
    rare: RareMethods | undefined,
  ) {
    scaleOf('auto', scale, at.dim)
    this.#at = at
    this.#rare = rare
    this.#scale = scale
    this.#once = once
    this.origin = at.start.slice()
    this.#best = copyOf(at, at.start)
    this.#firstPoint = copyOf(at, at.start)
    this.first = {
      leg: 'probe',
      from: this.origin,
      why: 'two answers at the start tell whether the objective is noisy',
    }
    this.#state = {
      /** The number of queries at which the active method gives way. */
      until: 2,
      /** The queries of the whole run when that was decided: a run that is extended has more. */
      total: this.#queries,
      /** What the search at work was told: the queries left to the run, and to itself. */
      horizon: Infinity,
      room: 2,
      /** The number of queries at which the local run at work ends, among the restarts. */
      localUntil: Infinity,
      best: Number.NaN,
      /** The best value when the search at work began. */
      entryBest: Number.NaN,
      /** The best value when the current tenth of the budget began. */
      tenthBest: Number.NaN,
      /** The answers at the start. */
      first: at.startValue ?? Number.NaN,
      second: Number.NaN,
      restart: 0,
      firstQueries: 0,
      finished: false,
    }
  }

  get memory() {
    return { vectors: { best: this.#best, firstPoint: this.#firstPoint }, state: this.#state }
  }

  readonly legs: Readonly<Record<Exclude<Method, 'random' | 'bayesian'>, () => Leg>> = {
    probe: () => this.#leg(probeSolver()),
    'block-descent': () => this.#leg(given(this.#blockDescent(), { startValue: this.#state.first })),
    'quasi-newton': () => this.#leg(given(this.#gradientSolver(), { startValue: this.#state.first })),
    'noisy-descent': () => this.#leg(noisySolver({ startValues: this.#answers, ...this.#outlook })),
    restarts: () => {
      const abandonAbove = this.#state.entryBest
      return this.#leg(quasiNewtonSolver({ ...usualQuasiNewton, matrix: 'dense', ...this.#outlook, abandonAbove }))
    },
    'cma-es': () => this.#leg(populationSolver(this.#firstPoint)),
  }

  entered({ leg, asked }: Progress): void {
    // A budget for the start alone is the session's to complain about.
    if (leg === 'probe' && asked === 0 && this.#queries > 1) this.#warn()
  }

  note(queries: Queries, { values, failed }: Answers, { leg, asked }: Progress): void {
    const state = this.#state
    if (state.finished || this.#queries > state.total) this.#takeExtension()
    for (let row = 0; row < queries.rows; row++) {
      const value = failed[row] === 1 ? Number.NaN : (values[row] as number)
      if (leg === 'probe') {
        if (Number.isNaN(state.first)) state.first = value
        else state.second = value
      }
      if (!(value < state.best || (Number.isNaN(state.best) && !Number.isNaN(value)))) continue
      state.best = value
      queries.write(row, this.#best)
    }
    const tenth = (count: number): number => Math.floor((10 * count) / this.#queries)
    if (tenth(asked + queries.rows) > tenth(asked)) state.tenthBest = state.best
  }

  next(now: Progress): HandOver | undefined {
    if (!this.#isOver(now)) return undefined
    const state = this.#state
    const method = now.leg as Method
    if (method === 'quasi-newton') {
      this.#firstPoint.set(this.#best)
      state.firstQueries = now.asked
    }
    if (method === 'restarts' && this.#hasRoomForRestart(now)) return this.#restart(now)
    if (method === 'probe') this.#warn()
    if (method === 'probe' && isFixed(this.#at)) {
      this.#at.warn('the bounds leave one point only: there is nothing to minimize')
      state.finished = true
      return undefined
    }
    const situation = this.#situation(now)
    const choice = method === 'probe' ? firstChoice(situation) : nextChoice(method, situation, now.asked)
    if (choice !== undefined) return this.#change(now, choice, method === 'quasi-newton' && situation.doubtful === true)
    state.finished = true
    return undefined
  }

  finished(now: Progress): 'converged' | undefined {
    if (!this.#state.finished) return undefined
    // A run that is extended may have more to do.
    return nextChoice(now.leg as Method, this.#situation(now), now.asked) === undefined ? 'converged' : undefined
  }

  value(): number {
    return this.#state.best
  }

  get #queries(): number {
    return this.#at.budget.maxQueries ?? Infinity
  }

  get #answers(): readonly [number, number] {
    return [this.#state.first, this.#state.second]
  }

  get #outlook(): { horizon: number; scale: Scale } {
    return { horizon: this.#state.horizon + this.#extension, scale: this.#scale }
  }

  #leg(solver: Solver): Leg {
    return { solver, queries: this.#state.room + this.#extension }
  }

  /** What a resumed run has more than before, for a method that had all the rest of it: nothing unless its budget grew. */
  get #extension(): number {
    const { until, total } = this.#state
    return until >= total - 1 && this.#queries > total ? this.#queries - total : 0
  }

  #gradientSolver(): Solver {
    const settings = { ...usualQuasiNewton, ...this.#outlook }
    if (setKindOf(this.#at.set) !== 'other') return quasiNewtonSolver(settings)
    return stagedSolver((at) => new (loaded(this.#rare).ProjectedGradient)(at, settings), 'start')
  }

  /** Exact answers need no further look at the noise. */
  #blockDescent(): Solver {
    const [first, second] = this.#answers
    return loaded(this.#rare).blockDescentSolver({ ...this.#outlook, deviation: first === second ? 0 : undefined })
  }

  /** A method that had all the rest of the run has the new rest, too; choices stay as they were made. */
  #takeExtension(): void {
    const state = this.#state
    if (state.until >= state.total - 1) {
      state.horizon += this.#extension
      state.room += this.#extension
      state.until = this.#queries - 1
    }
    state.total = this.#queries
    state.finished = false
  }

  #situation({ search }: Progress): Situation {
    const { set, dim, population = 1 } = this.#at
    const { first, second, best } = this.#state
    return {
      dim,
      // One query of the whole is kept back for the value of the last point.
      queries: this.#queries - 1,
      // A failed answer says nothing about noise, and a difference as small as that of arithmetic is none.
      noisy: Math.abs(first - second) > 1e-9 * Math.abs(first),
      set: setKindOf(set),
      once: this.#once,
      lost: Number.isNaN(best),
      doubtful: search.isDoubtful === true,
      sum: population > 1,
    }
  }

  /** Whether the active method has ended, or has no room left for its next queries while another one would have. */
  #isOver(now: Progress): boolean {
    const { finished, until, localUntil } = this.#state
    if (finished) return false
    if (now.search.finished !== undefined) return true
    const end = Math.min(until, localUntil)
    return end < this.#queries - 1 && now.asked + now.search.rows > end && !this.#extend(now)
  }

  /** A first local run that still makes progress is given another tenth of the budget. */
  #extend({ leg }: Progress): boolean {
    const { first, best, tenthBest } = this.#state
    if (leg !== 'quasi-newton' || !(tenthBest - best > 1e-6 * (first - best))) return false
    this.#state.until += 0.1 * this.#queries
    return true
  }

  #hasRoomForRestart({ asked }: Progress): boolean {
    const { until, best } = this.#state
    if (this.#once && !Number.isNaN(best)) return false
    return asked + 5 * (this.#at.dim + 1) < until
  }

  #change(now: Progress, { method, why, until }: Choice, isRough: boolean): HandOver {
    this.#state.until = until
    if (method === 'restarts') {
      this.#state.restart = 0
      return { ...this.#restart({ ...now, before: now.asked }), why }
    }
    this.#prepare({ ...now, before: now.asked })
    return { leg: method, from: method === 'cma-es' && !isRough ? this.origin : this.#best, why }
  }

  #restart(now: Progress): HandOver {
    const state = this.#state
    const { dim } = this.#at
    state.restart++
    this.#prepare(now)
    state.localUntil = now.asked + Math.max(state.firstQueries, 20 * (dim + 1))
    const seen = { origin: this.origin, best: this.#best, first: this.#firstPoint }
    return { leg: 'restarts', from: restartPoint(this.#at, state.restart, scaleOf('auto', this.#scale, dim), seen) }
  }

  /** What the next search is told. */
  #prepare({ asked, before }: Progress): void {
    const state = this.#state
    state.horizon = this.#queries - 1 - asked
    state.room = Math.floor(state.until) - before
    state.entryBest = state.best
    state.localUntil = Infinity
  }

  #warn(): void {
    const { dim, budget, population } = this.#at
    for (const message of startWarnings({ dim, budget, population, answers: this.#answers })) this.#at.warn(message)
  }
}

/** Evaluates the start twice, in an iteration each: what varies from one to the next is seen, too. */
function probeSolver(): Solver {
  return stagedSolver(({ start }) => {
    const stages = {
      *start(): Stage<'start'> {
        yield onlyPoint(start)
        yield onlyPoint(start)
        return 'converged'
      },
    }
    return { point: start, memory: {}, stages }
  }, 'start')
}

/** A solver that is given something else of a run. */
function given({ start, resume = start }: Solver, other: Partial<RunContext>): Solver {
  return {
    start: (at) => start({ ...at, ...other }),
    resume: (at, saved) => resume({ ...at, ...other }, saved),
  }
}

/** A population is at most this many times as wide as the start is far from 0. */
const farthest = 1e10

/** A population as wide as the first local run went, or as the box. */
function populationSolver(firstPoint: Vector): Solver {
  const solver = cmaSolver((at) => {
    const origin = at.origin ?? at.start
    const went = Math.sqrt(meanSquare(firstPoint.map((each, i) => each - (origin[i] as number))))
    const size = Math.max(1, Math.sqrt(meanSquare(origin)))
    // If the function has no minimum, the first run may have gone anywhere.
    const wide = Math.min(Math.max(0.3 * size, 0.5 * went), farthest * size)
    const stepSize = setKindOf(at.set) === 'box' ? undefined : wide
    return { ...usualCma, stepSize, noisy: false, flatRuns: 6 }
  })
  // What it would warn of names an option that `auto` does not have; a constant objective is seen by the session.
  return given(solver, { warn: () => undefined })
}

function meanSquare(x: Vector): number {
  return dot(x, x) / x.length
}

/** Rows of normals that no other part of a run draws. */
const restartRow = 0x7a000000

/**
 * Where a restart begins: around the best point and, every second time, further around the start. How far: as far as the
 * first run went, or half the width of the box.
 */
function restartPoint(
  at: RunContext,
  restart: number,
  scale: Float64Array | undefined,
  from: { origin: Vector; best: Vector; first: Vector },
): Vector {
  const coordinates = coordinatesOf(at, scale)
  const { bounds } = coordinates
  const isNear = restart % 2 === 1
  const normals = new Float32Array(at.dim)
  at.kernels.normals({ seed: at.seed, iteration: restart, row: restartRow }, 0, at.dim, normals)
  const spread = (i: number): number => {
    const width = bounds === undefined ? Infinity : (bounds.upper[i] as number) - (bounds.lower[i] as number)
    if (width < Infinity) return 0.5 * width
    const went = Math.abs((from.first[i] as number) - (from.origin[i] as number))
    return Math.max(went, 0.3 * sizeOf(coordinates, from.origin, i))
  }
  const center = isNear ? from.best : from.origin
  const point = Float64Array.from(normals, (z, i) => (center[i] as number) + (isNear ? 1 : 2) * spread(i) * z)
  return settle(coordinates, point)
}

/** Whether the bounds fix every variable. */
function isFixed(at: RunContext): boolean {
  const { bounds } = coordinatesOf(at)
  return bounds?.lower.every((each, i) => each === bounds.upper[i]) === true
}

/** What `auto` has to say once the start was asked twice. No value is named: that of a maximum would have the wrong sign. */
export function startWarnings(of: {
  dim: number
  budget: Budget
  population: number | undefined
  answers: readonly [number, number]
}): string[] {
  const { dim, budget, population = 1, answers } = of
  const said: string[] = []
  const [first, second] = answers
  // Terms of a finite sum differ as a matter of course.
  if (Math.abs(first - second) > 0 && population <= 1) {
    const advice = 'fix its random numbers, or raise maxQueries'
    said.push(`the objective is probably noisy: two answers at the start differ by ${spread(first, second)}; ${advice}`)
  }
  const { maxQueries = Infinity, isDefault } = budget
  if (maxQueries - beside < dim) {
    const queries = `${isDefault === true ? 'the usual ' : ''}maxQueries ${maxQueries}`
    const why = `${beside} go to the start and the last point, a gradient takes one per variable (${dim})`
    said.push(`${queries} is too small: ${why}; raise maxQueries to several times that`)
  }
  return said
}

/** Queries that every run takes: the start twice, and the last point. */
const beside = 3

/** A difference, and what share of the values it is. */
function spread(first: number, second: number): string {
  const difference = Math.abs(first - second)
  const share = (100 * difference) / Math.max(Math.abs(first), Math.abs(second))
  return `${Number(difference.toPrecision(2))} (${Number(share.toPrecision(2))} %)`
}
