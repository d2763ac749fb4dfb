import type { Kernels } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { centerValue, clearAnswers, copyAnswers, makeAnswers, markFailures } from './answers.ts'
import { type Outcome, type StopReason, show, ZerothError } from './errors.ts'
import { closingWarnings, Ledger, luckyValue } from './ledger.ts'
import { type Output, parseOptions } from './options.ts'
import { checkpointVersion, copyVector, fingerprint, liveMemory, resumeSearch, saveMemory } from './part.ts'
import { defaultMaxQueries, type FailurePolicy, type SessionOptions, sessionOptions } from './session-options.ts'
import { mixedProblem } from './space.ts'
import type {
  Answers,
  Budget,
  Checkpoint,
  Estimate,
  HistoryRecord,
  ImageShape,
  OpenQueries,
  Phase,
  Precision,
  Queries,
  RunContext,
  Search,
  Solver,
  Vector,
} from './types.ts'
import type { NamedPoint, NamedVariables, Start } from './variable-types.ts'

/** A failed center is asked again this often under the policy `skip` before its iteration is given up. */
const centerRetries = 3

type Options = Output<typeof sessionOptions>

/** What the session waits for: a whole iteration, its failed centers once more, or the value of the last point. */
type Expecting = 'iteration' | 'centers-again' | 'final'

/** Queries that were handed out: as the search knows them, as the asker does, and a buffer for their answers. */
interface Asked {
  readonly queries: Queries
  readonly own: Queries
  readonly answers: Answers
}

/** Starts a run: `ask` what it wants to know, `tell` the answers, until it has an `outcome`. */
export function createSession(start: Start | undefined, options: SessionOptions): Session {
  return new Session(start, parseOptions('session', sessionOptions, options))
}

/** One run at work. `ask` only reads, `tell` alone advances, and every answer is counted once. */
export class Session {
  /** Things the user should know about this run. */
  readonly warnings: string[] = []
  /** Those of them that came from the parts of the run: a run that is resumed has them from the beginning. */
  readonly #said = new Set<string>()
  /** Variables in own units: those who are asked and told get these, the search has the unit box. */
  readonly #variables: NamedVariables | undefined
  readonly #at: RunContext
  readonly #search: Search
  readonly #parts: { solver: string; set: string }
  readonly #ledger: Ledger
  readonly #policy: FailurePolicy
  readonly #patience: number
  readonly #elapsed: () => number
  #answers = makeAnswers(0)
  #centerAnswers = makeAnswers(0)
  #expecting: Expecting = 'iteration'
  #pending: Queries | undefined
  /** Queries that are under way together, by their numbers. */
  readonly #open = new Map<number, Asked>()
  #retriesLeft = centerRetries
  /** Why the search is over, while the last point is still to be evaluated. */
  #ending: StopReason = 'max-queries'
  /** The value of the last point, once the search is over and it was evaluated. */
  #finalValue: number | null = null
  #outcome: Outcome | undefined

  /** From options that are complete and checked, as `createSession` makes them. */
  constructor(start: Start | undefined, given: Options) {
    const options = inUnitBox(given)
    this.#variables = options.variables
    for (const message of options.resume?.warnings ?? []) this.#warn(message)
    this.#at = makeRunContext(this.#variables?.unitStart(start) ?? (start as ArrayLike<number>), options, (message) =>
      this.#warn(message),
    )
    this.#parts = partsOf(options)
    this.#search = startSearch(options.solver, this.#at, this.#parts, options.resume)
    this.#policy = options.failures
    this.#patience = options.patience ?? Infinity
    const began = options.clock()
    this.#elapsed = () => options.clock() - began
    this.#finalValue = options.resume?.finalValue ?? null
    const { maxQueries = Infinity } = this.#at.budget
    this.#ledger = new Ledger(this.#at.start, maxQueries, options.historySize, options.resume)
    this.#settle()
  }

  /** How the run ended; undefined while it goes on. */
  get outcome(): Outcome | undefined {
    return this.#outcome
  }

  /** The iteration just completed; undefined before the first. */
  get latest(): HistoryRecord | undefined {
    return this.#ledger.latest
  }

  /** The best point so far and its value; NaN before the first. */
  get best(): { readonly point: Float64Array; readonly variables?: NamedPoint | undefined; readonly value: number } {
    return { ...this.#own(this.#ledger.best.point), value: this.#ledger.best.value }
  }

  /** Milliseconds left of `maxTime`; infinite without one. */
  get timeLeft(): number {
    return (this.#at.budget.maxTime ?? Infinity) - this.#elapsed()
  }

  /** What the run wants to know now. Asking again before telling gives the same rows. */
  ask(): Queries {
    this.#refuseEnded()
    if (this.#openQueries !== undefined) return this.open()[0] as Queries
    this.#pending ??= this.#expecting === 'iteration' ? this.#search.ask() : this.#currentPoint()
    return this.#variables?.ownQueries(this.#pending) ?? this.#pending
  }

  /**
   * All that may be evaluated now, oldest first: what `ask` returns or, if the method can have several queries under way, up to
   * `concurrency` of them, one row each. They may be answered in any order; each answer makes room for another query.
   */
  open(): readonly Queries[] {
    const openQueries = this.#openQueries
    if (openQueries === undefined) return [this.ask()]
    this.#refuseEnded()
    const { concurrency = 1, budget } = this.#at
    const iterationsLeft = (budget.maxIterations ?? Infinity) - this.#search.iteration
    const most = Math.min(concurrency, this.#ledger.remaining - this.#reserve, iterationsLeft, this.#patienceLeft)
    return openQueries.open(most).map((queries) => this.#asked(queries).own)
  }

  /** Emptied room for the answers to some queries, or to those of `ask`; pass it to `tell` once it is filled. */
  answers(to?: Queries): Answers {
    const room = this.#open.get(to?.key.iteration ?? Number.NaN)?.answers ?? this.#room
    if (this.#policy === 'stop') room.dropped ??= new Uint8Array(room.values.length)
    clearAnswers(room)
    return room
  }

  /**
   * Takes the answers to what was asked: a list of numbers, one per row, or full answers. `to` says which of the queries under way
   * they belong to; those of `ask` if left out.
   */
  tell(told: Answers | ArrayLike<number>, to?: Queries): void {
    const { queries: asked, answers } = this.#answered(to)
    if (told !== answers) copyAnswers(told, asked.rows, answers)
    // Rows that were kept are in own units, not those of the search.
    if (this.#variables !== undefined) answers.rowBuffer = null
    this.#pending = undefined
    this.#open.delete(asked.key.iteration)
    markFailures(answers, asked.rows)
    // Taken before the policy `worst` fills the gaps: a point counts as evaluated only where the objective answered.
    const value = this.#see(asked, answers)
    try {
      const isFirst = this.#openQueries === undefined ? this.#ledger.queries === 0 : asked.key.iteration === 1
      this.#ledger.enter(asked, answers, this.#policy, isFirst ? this.#at.start : undefined)
    } catch (error) {
      this.#end('objective-failed', error as ZerothError)
      return
    }
    if (this.#expecting !== 'final') return this.#takeIteration(asked, answers, value)
    this.#finalValue = value
    this.#end(this.#reachedTarget() ? 'target' : this.#ending)
  }

  get #openQueries(): OpenQueries | undefined {
    return this.#expecting === 'iteration' ? this.#search.openQueries : undefined
  }

  /** The room for the answers to `ask`. */
  get #room(): Answers {
    return this.#expecting === 'iteration' ? this.#answers : this.#centerAnswers
  }

  #refuseEnded(): void {
    if (this.#outcome === undefined) return
    throw new ZerothError('wrong-order', `ask: the session has ended (${this.#outcome.stopReason})`)
  }

  /** Hands out a query that may be under way with others; the same one each time. */
  #asked(queries: Queries): Asked {
    const number = queries.key.iteration
    const known = this.#open.get(number)
    if (known !== undefined) return known
    const own = this.#variables?.ownQueries(queries) ?? queries
    const asked = { queries, own, answers: makeAnswers(1) }
    this.#open.set(number, asked)
    return asked
  }

  /** The queries that answers belong to; the oldest of those under way unless it is said. */
  #answered(to: Queries | undefined): Omit<Asked, 'own'> {
    if (this.#openQueries === undefined) {
      if (this.#pending === undefined) throw new ZerothError('wrong-order', 'tell: nothing was asked')
      return { queries: this.#pending, answers: this.#room }
    }
    const asked = to === undefined ? [...this.#open.values()][0] : this.#open.get(to.key.iteration)
    if (asked !== undefined) return asked
    const what = to === undefined ? 'nothing was asked' : `query ${to.key.iteration} is not under way`
    throw new ZerothError('wrong-order', `tell: ${what}`)
  }

  /**
   * Room in the run's own memory, at its precision. Rows written there need no copy, and an objective that leaves all
   * of them there untouched may say so in `answers.kept`.
   */
  allocate(length: number): Vector {
    return this.#at.kernels.allocate(length, this.#at.precision)
  }

  /** Ends the run now, keeping what it has. What was asked but not told is not counted. */
  stop(reason: 'aborted' | 'callback' | 'max-time'): void {
    if (this.#outcome === undefined) this.#end(reason)
  }

  /**
   * Everything needed to go on later, bit for bit. What was asked but not told will be asked again. `live` spares the copies: its
   * vectors are those at work, for a caller who writes them somewhere before anything is told.
   */
  checkpoint({ live = false }: { readonly live?: boolean } = {}): Checkpoint {
    return {
      format: 'zeroth-checkpoint',
      version: checkpointVersion,
      ...this.#parts,
      seed: this.#at.seed,
      dim: this.#at.dim,
      precision: this.#at.precision,
      iteration: this.#search.iteration,
      ...this.#ledger.saved(live),
      finalValue: this.#finalValue,
      warnings: [...this.#said],
      memory: (live ? liveMemory : saveMemory)(this.#search.memory),
    }
  }

  /** Parts of several phases may have the same to say more than once. */
  #warn(message: string): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.warnings.push(message)
  }

  /** Remembers the best of the points that were answered; returns the value of the iteration, or of the last point. */
  #see(asked: Queries, answers: Answers): number {
    if (this.#search.candidates === true && this.#expecting !== 'final') {
      return this.#ledger.seeRows(asked, answers, this.#expecting === 'iteration')
    }
    const value = centerValue(answers, asked.centers)
    const isBest = this.#expecting === 'final' && endsWithBest(this.#search, this.#ledger.best)
    this.#ledger.see(value, this.#askedPoint)
    // What the best candidate comes to when it is asked again counts, not the luckiest answer.
    if (isBest && !Number.isNaN(value)) this.#ledger.best.value = value
    return value
  }

  #takeIteration(asked: Queries, answers: Answers, value: number): void {
    if (this.#expecting === 'centers-again') {
      this.#answers.values.set(this.#centerAnswers.values.subarray(0, asked.rows))
      this.#answers.failed.set(this.#centerAnswers.failed.subarray(0, asked.rows))
      this.#answers.reached = this.#centerAnswers.reached
    }
    if (this.#reachedTarget()) {
      // The point that reached it is the last one: it was evaluated, and nothing is gained by leaving it.
      this.#finalValue = this.#ledger.best.value
      this.#search.iteration++
      this.#completeIteration(value)
      return
    }
    if (asked.centers > 0 && Number.isNaN(centerValue(this.#answers, asked.centers))) {
      this.#missCenter(value)
      return
    }
    const openQueries = this.#openQueries
    const isUseful = openQueries?.tell(asked.key.iteration, answers) ?? this.#search.tell(this.#answers)
    if (!isUseful) this.#ledger.skipped++
    this.#completeIteration(value)
  }

  /** No value at the current point: ask it again a few times, then go on without moving. */
  #missCenter(value: number): void {
    if (this.#retriesLeft > 0 && this.#ledger.remaining >= this.#search.centers + this.#reserve) {
      this.#retriesLeft--
      this.#expecting = 'centers-again'
      return
    }
    this.#search.skip()
    this.#ledger.skipped++
    this.#completeIteration(value)
  }

  #completeIteration(value: number): void {
    this.#ledger.record(this.#search.iteration, value)
    this.#retriesLeft = centerRetries
    this.#settle()
  }

  /** Decides what comes next: another iteration, the last point, or the end. */
  #settle(): void {
    checkCandidates(this.#search, this.#reserve)
    const limit = this.#reachedLimit()
    this.#expecting = limit === undefined ? 'iteration' : 'final'
    if (this.#centerAnswers.values.length !== this.#reserve) this.#centerAnswers = makeAnswers(this.#reserve)
    if (limit === undefined) {
      this.#finalValue = null
      if (this.#answers.values.length !== this.#rows) this.#answers = makeAnswers(this.#rows)
      return
    }
    this.#ending = limit
    if (limit === 'max-queries' && this.#search.iteration === 0) {
      const needed = this.#rows + this.#reserve
      this.warnings.push(`the budget allows no iteration: one takes ${needed} queries with the last point's value`)
    }
    if (this.#finalValue !== null || limit === 'max-time' || this.#ledger.remaining < 1) this.#end(limit)
  }

  #reachedTarget(): boolean {
    return this.#ledger.best.value <= (this.#at.budget.target ?? -Infinity)
  }

  /** Queries that may still go by without a gain. */
  get #patienceLeft(): number {
    return this.#patience + this.#ledger.gained - this.#ledger.queries
  }

  /** The first limit that forbids another whole iteration. */
  #reachedLimit(): StopReason | undefined {
    if (this.#reachedTarget()) return 'target'
    if (this.#search.finished !== undefined) return this.#search.finished
    if (this.#search.iteration >= (this.#at.budget.maxIterations ?? Infinity)) return 'max-iterations'
    if (this.#ledger.remaining < this.#rows + this.#reserve) return 'max-queries'
    if (this.#patienceLeft <= 0) return 'patience'
    if (this.timeLeft <= 0) return 'max-time'
    return undefined
  }

  /** Queries of the next iteration. */
  get #rows(): number {
    return this.#search.openQueries === undefined ? this.#search.rows : 1
  }

  /** Queries kept back for the value of the last point, one per sample; methods in a row may have different ones. */
  get #reserve(): number {
    return this.#search.samples ?? Math.max(this.#search.centers, 1)
  }

  /** The point that centers are: the current one, and at the end the one that the search answers with. */
  get #askedPoint(): Vector {
    return this.#expecting === 'final' ? lastPoint(this.#search, this.#ledger.best) : this.#search.point
  }

  /** That point alone, one row per sample as far as the budget goes. */
  #currentPoint(): Queries {
    return pointQueries(this.#search, this.#askedPoint, this.#reserve, Math.min(this.#reserve, this.#ledger.remaining))
  }

  #end(stopReason: StopReason, error?: ZerothError): void {
    const ledger = this.#ledger
    // What reached the target may still be on trial.
    const last = stopReason === 'target' ? ledger.best.point : lastPoint(this.#search, ledger.best)
    const value = this.#finalValue ?? Number.NaN
    const { noisy = false } = this.#search
    // A run that was stopped from outside may still get on.
    if (stopReason !== 'aborted' && stopReason !== 'callback')
      this.warnings.push(...closingWarnings(ledger.closing(value, stopReason === 'converged', noisy)))
    const isLastBest = noisy && stopReason !== 'target' && !Number.isNaN(value)
    if (noisy !== isLastBest) this.warnings.push(luckyValue)
    const report = {
      stopReason,
      ...this.#own(isLastBest ? last : ledger.best.point),
      value: isLastBest ? value : ledger.best.value,
      ...(isLastBest && this.#search.estimate && { estimate: estimateWith(value, this.#search.estimate) }),
      last: { point: this.#own(last).point, value },
      iterations: this.#search.iteration,
      ...ledger.reported(),
      warnings: this.warnings,
      seed: this.#at.seed,
      ...(this.#search.phases && { phases: countedPhases(this.#search.phases, ledger.queries + ledger.cacheHits) }),
    }
    if (error !== undefined) this.#outcome = { ...report, status: 'failed', error }
    else this.#outcome = { ...report, status: stopReason === 'aborted' ? 'aborted' : 'finished' }
  }

  /** A copy of a point as the user knows it. */
  #own(point: Vector): { readonly point: Float64Array; readonly variables?: NamedPoint } {
    if (this.#variables === undefined) return { point: Float64Array.from(point) }
    const own = this.#variables.ownPoint(point)
    return { point: own, variables: this.#variables.named(own) }
  }
}

/** What is known of the value at a point with one more answer there. */
function estimateWith(value: number, { mean, answers, deviation }: Estimate): NonNullable<Outcome['estimate']> {
  const all = answers + 1
  return { mean: ((answers === 0 ? 0 : answers * mean) + value) / all, error: deviation / Math.sqrt(all), answers: all }
}

/** Options of a run whose variables have names: their bounds are its set. */
function inUnitBox(options: Options): Options {
  const { variables, set } = options
  if (variables === undefined) return options
  if (set.unbounded) return { ...options, set: variables.set }
  const advice = 'each variable has its own bounds, from and to'
  throw new ZerothError('invalid-option', `the options set and variables exclude each other: ${advice}`)
}

/** Checks the start, brings it into the set, and gathers what the parts of a run are given. */
export function makeRunContext(
  given: ArrayLike<number>,
  options: Options,
  warn: (message: string) => void,
): RunContext {
  const { set, seed, precision, trackBest, population, shape, attack, concurrency } = options
  const odd = mixedProblem(options.solver, set, options.variables?.names)
  if (odd !== undefined) {
    throw new ZerothError('invalid-option', `${odd}: leave the solver out, for auto, which chooses one that takes all`)
  }
  checkStart(given, precision)
  set.check(given.length)
  if (shape !== undefined) checkShape(shape, given.length)
  const open = options.solver.openKernels ?? plainKernels
  const kernels = open(options.kernels, given.length, precision)
  const point = kernels.allocate(given.length, precision)
  point.set(given)
  if (!set.contains(point)) {
    set.project(point, null, new Float64Array(set.scratchSize(point.length)))
    // A point on the edge may leave the set when it is rounded to float32: that is no reason to alarm anybody.
    if (!set.contains(Float64Array.from(given))) warn('the start was outside the set and has been projected onto it')
  }
  return {
    dim: point.length,
    seed,
    start: point,
    set,
    precision,
    kernels,
    budget: budgetOf(options),
    trackBest,
    population,
    shape,
    attack,
    concurrency,
    warn,
  }
}

/** The kernels of a method that does not open any: WebAssembly would be worth its bytes in a bundle to hot loops only. */
function plainKernels(choice: Kernels | 'fastest' | 'scalar'): Kernels {
  return typeof choice === 'object' ? choice : scalarKernels
}

function checkStart(given: ArrayLike<number>, precision: Precision): void {
  const isList = Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView))
  if (!isList || given.length === 0)
    throw new ZerothError('invalid-start', `the start must be a list of numbers, at least one, got ${show(given)}`)
  for (let i = 0; i < given.length; i++) {
    const value: unknown = given[i]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new ZerothError('invalid-start', `start[${i}] must be a finite number, got ${show(value)}`)
    }
    if (precision === 'float32' && !Number.isFinite(Math.fround(value))) {
      throw new ZerothError('invalid-start', `start[${i}] must fit into float32, got ${value}`)
    }
  }
}

function checkShape({ channels, height, width }: ImageShape, dim: number): void {
  if (channels * height * width === dim) return
  const given = `${channels} x ${height} x ${width} = ${channels * height * width}`
  throw new ZerothError('invalid-option', `session.shape must have as many pixels as variables, ${dim}, got ${given}`)
}

/** A run without any limit would never end: then the default number of queries applies. */
function budgetOf({ maxQueries, maxIterations, maxTime, target }: Options): Budget {
  const unlimited = maxQueries === undefined && maxIterations === undefined && maxTime === undefined
  return {
    maxQueries: unlimited ? defaultMaxQueries : maxQueries,
    isDefault: unlimited,
    maxIterations,
    maxTime,
    target,
  }
}

/** What a checkpoint remembers of the parts of its run, to refuse another run's options. */
function partsOf(options: Options): { solver: string; set: string } {
  return { solver: fingerprint(options.solver), set: fingerprint(options.set) }
}

/** Begins a search, where a checkpoint left it if there is one; refuses a checkpoint of another run. */
function startSearch(
  solver: Solver,
  at: RunContext,
  parts: { solver: string; set: string },
  saved: Checkpoint | undefined,
): Search {
  if (saved === undefined) return solver.start(at)
  checkSame(at, parts, saved)
  const search = resumeSearch(solver, at, saved.memory)
  copyVector('best.point', at.start.slice(), saved.best.point)
  search.iteration = saved.iteration
  return search
}

function checkSame(at: RunContext, parts: { solver: string; set: string }, saved: Checkpoint): void {
  const { seed, dim, precision } = at
  const expected = { format: 'zeroth-checkpoint', version: checkpointVersion, ...parts, seed, dim, precision }
  for (const [name, value] of Object.entries(expected)) {
    const found = saved[name as keyof typeof expected]
    if (found !== value) {
      throw new ZerothError('invalid-checkpoint', `resume.${name} is ${found}, but this run has ${value}`)
    }
  }
}

/** The best point so far; its value is NaN before the first. */
interface Best {
  readonly value: number
  readonly point: Vector
}

/** Whether a run ends with the best candidate, because the search has no answer of its own. */
function endsWithBest({ candidates, answer }: Search, best: Best): boolean {
  return candidates === true && answer === undefined && !Number.isNaN(best.value)
}

/** The point that a run ends with if it ends now. */
function lastPoint(search: Search, best: Best): Vector {
  return endsWithBest(search, best) ? best.point : (search.answer ?? search.point)
}

/** Refuses candidates that are asked with several samples: the best single answer would be the luckiest one. */
function checkCandidates({ candidates }: Search, samples: number): void {
  if (candidates !== true || samples === 1) return
  throw new ZerothError(
    'invalid-option',
    `a method that compares single values takes one sample per point, got ${samples}`,
  )
}

/** Phases that add up to all rows of the run: the last point's value, which no method asks for, goes to the last of them. */
export function countedPhases(phases: readonly Phase[], rows: number): Phase[] {
  const rest = phases.reduce((left, { queries }) => left - queries, rows)
  return phases.map((each, i) => (i === phases.length - 1 ? { ...each, queries: each.queries + rest } : each))
}

/** Queries for one point of a search alone: its value with the first `rows` of the iteration's `samples`. */
function pointQueries(search: Search, point: Vector, samples: number, rows: number): Queries {
  const next = search.ask()
  // Without centers, the rows of an iteration are those of the first sample, then those of the second, and so on.
  const spacing = next.centers > 0 ? 1 : next.rows / samples
  return {
    key: next.key,
    dim: next.dim,
    rows,
    centers: rows,
    sample: (row) => next.sample(row * spacing),
    write: (_, into, offset = 0) => into.set(point, offset),
  }
}
