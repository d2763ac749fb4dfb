// Over 250 lines because a session is one state machine, read as one page.
import { centerValue, clearAnswers, copyAnswers, makeAnswers, markFailures } from './answers.ts'
import { beginSearch, makeBegin, partsOf } from './begin.ts'
import { checkCandidates, endsWithBest, lastPoint } from './candidates.ts'
import { type Checkpoint, checkpointVersion } from './checkpoint.ts'
import { closingWarnings, luckyValue } from './closing-warnings.ts'
import { countedPhases } from './counted-phases.ts'
import { type Outcome, type StopReason, ZerothError } from './errors.ts'
import type { HistoryRecord } from './history.ts'
import { Ledger } from './ledger.ts'
import { liveMemory, saveMemory } from './memory.ts'
import type { NamedPoint, NamedVariables, Start } from './named-variables.ts'
import type { Output } from './option-type.ts'
import { parseOptions } from './parse-options.ts'
import { pointQueries } from './point-queries.ts'
import type { SessionOptions } from './session-options.ts'
import { type FailurePolicy, sessionOptions } from './session-table.ts'
import type { Answers, Begin, Queries, Search, Vector } from './types.ts'

/** A failed center is asked again this often under the policy `skip` before its iteration is given up. */
const centerRetries = 3

/** What the session waits for: a whole iteration, its failed centers once more, or the value of the last point. */
type Phase = 'iteration' | 'centers-again' | 'final'

/** Starts a run: `ask` what it wants to know, `tell` the answers, until it has an `outcome`. */
export function createSession(start: Start | undefined, options: SessionOptions): Session {
  return new Session(start, options)
}

/** One run at work. `ask` only reads, `tell` alone advances, and every answer is counted once. */
export class Session {
  /** Things the user should know about this run. */
  readonly warnings: string[] = []
  /** Those of them that came from the parts of the run: a run that is resumed has them from the beginning. */
  readonly #said = new Set<string>()
  /** Variables in own units: those who are asked and told get these, the search has the unit box. */
  readonly #variables: NamedVariables | undefined
  readonly #at: Begin
  readonly #search: Search
  readonly #parts: { solver: string; set: string }
  readonly #ledger: Ledger
  readonly #policy: FailurePolicy
  readonly #elapsed: () => number
  #answers = makeAnswers(0)
  #centerAnswers = makeAnswers(0)
  #phase: Phase = 'iteration'
  #pending: Queries | undefined
  #retriesLeft = centerRetries
  /** Why the search is over, while the last point is still to be evaluated. */
  #ending: StopReason = 'max-queries'
  /** The value of the last point, once the search is over and it was evaluated. */
  #finalValue: number | null = null
  #outcome: Outcome | undefined

  constructor(start: Start | undefined, given: SessionOptions) {
    const options = inUnitBox(parseOptions('session', sessionOptions, given))
    this.#variables = options.variables
    for (const message of options.resume?.warnings ?? []) this.#warn(message)
    this.#at = makeBegin(this.#variables?.unitStart(start) ?? (start as ArrayLike<number>), options, (message) =>
      this.#warn(message),
    )
    this.#parts = partsOf(options)
    this.#search = beginSearch(options.solver, this.#at, this.#parts, options.resume)
    this.#policy = options.failures
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
    if (this.#outcome !== undefined) {
      throw new ZerothError('wrong-order', `ask: the session has ended (${this.#outcome.stopReason})`)
    }
    this.#pending ??= this.#phase === 'iteration' ? this.#search.ask() : this.#currentPoint()
    return this.#variables?.ownQueries(this.#pending) ?? this.#pending
  }

  /** Emptied room for the answers to the pending queries; pass it to `tell` once it is filled. */
  answers(): Answers {
    const room = this.#phase === 'iteration' ? this.#answers : this.#centerAnswers
    if (this.#policy === 'stop') room.dropped ??= new Uint8Array(room.values.length)
    clearAnswers(room)
    return room
  }

  /** Takes the answers to what was asked: a list of numbers, one per row, or full answers. */
  tell(told: Answers | ArrayLike<number>): void {
    const asked = this.#pending
    if (asked === undefined) throw new ZerothError('wrong-order', 'tell: nothing was asked')
    const answers = this.#phase === 'iteration' ? this.#answers : this.#centerAnswers
    if (told !== answers) copyAnswers(told, asked.rows, answers)
    // Rows that were kept are in own units, not those of the search.
    if (this.#variables !== undefined) answers.kept = null
    this.#pending = undefined
    markFailures(answers, asked.rows)
    // Taken before the policy `worst` fills the gaps: a point counts as evaluated only where the objective answered.
    const value = this.#see(asked, answers)
    try {
      this.#ledger.enter(asked, answers, this.#policy)
    } catch (error) {
      this.#end('objective-failed', error as ZerothError)
      return
    }
    if (this.#phase !== 'final') return this.#takeIteration(asked, value)
    this.#finalValue = value
    this.#end(this.#reachedTarget() ? 'target' : this.#ending)
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
    if (this.#search.candidates === true && this.#phase !== 'final') {
      return this.#ledger.seeRows(asked, answers, this.#phase === 'iteration')
    }
    const value = centerValue(answers, asked.centers)
    const isBest = this.#phase === 'final' && endsWithBest(this.#search, this.#ledger.best)
    this.#ledger.see(value, this.#askedPoint)
    // What the best candidate comes to when it is asked again counts, not the luckiest answer.
    if (isBest && !Number.isNaN(value)) this.#ledger.best.value = value
    return value
  }

  #takeIteration(asked: Queries, value: number): void {
    if (this.#phase === 'centers-again') {
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
    if (!this.#search.tell(this.#answers)) this.#ledger.skipped++
    this.#completeIteration(value)
  }

  /** No value at the current point: ask it again a few times, then go on without moving. */
  #missCenter(value: number): void {
    if (this.#retriesLeft > 0 && this.#ledger.remaining >= this.#search.centers + this.#reserve) {
      this.#retriesLeft--
      this.#phase = 'centers-again'
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
    this.#phase = limit === undefined ? 'iteration' : 'final'
    if (this.#centerAnswers.values.length !== this.#reserve) this.#centerAnswers = makeAnswers(this.#reserve)
    if (limit === undefined) {
      this.#finalValue = null
      if (this.#answers.values.length !== this.#search.rows) this.#answers = makeAnswers(this.#search.rows)
      return
    }
    this.#ending = limit
    if (limit === 'max-queries' && this.#search.iteration === 0) {
      const needed = this.#search.rows + this.#reserve
      this.warnings.push(`the budget allows no iteration: one takes ${needed} queries with the last point's value`)
    }
    if (this.#finalValue !== null || limit === 'max-time' || this.#ledger.remaining < 1) this.#end(limit)
  }

  #reachedTarget(): boolean {
    return this.#ledger.best.value <= (this.#at.budget.target ?? -Infinity)
  }

  /** The first limit that forbids another whole iteration. */
  #reachedLimit(): StopReason | undefined {
    if (this.#reachedTarget()) return 'target'
    if (this.#search.finished !== undefined) return this.#search.finished
    if (this.#search.iteration >= (this.#at.budget.maxIterations ?? Infinity)) return 'max-iterations'
    if (this.#ledger.remaining < this.#search.rows + this.#reserve) return 'max-queries'
    if (this.timeLeft <= 0) return 'max-time'
    return undefined
  }

  /** Queries kept back for the value of the last point, one per sample; methods in a row may have different ones. */
  get #reserve(): number {
    return this.#search.samples ?? Math.max(this.#search.centers, 1)
  }

  /** The point that centers are: the current one, and at the end the one that the search answers with. */
  get #askedPoint(): Vector {
    return this.#phase === 'final' ? lastPoint(this.#search, this.#ledger.best) : this.#search.point
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
    // A run that was stopped from outside may still get on.
    if (stopReason !== 'aborted' && stopReason !== 'callback')
      this.warnings.push(...closingWarnings(ledger.closing(value, stopReason === 'converged')))
    const { noisy = false } = this.#search
    const isLastBest = noisy && stopReason !== 'target' && !Number.isNaN(value)
    if (noisy !== isLastBest) this.warnings.push(luckyValue)
    const report = {
      stopReason,
      ...this.#own(isLastBest ? last : ledger.best.point),
      value: isLastBest ? value : ledger.best.value,
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

/** Options of a run whose variables have names: their bounds are its set. */
function inUnitBox(options: Output<typeof sessionOptions>): Output<typeof sessionOptions> {
  const { variables, set } = options
  if (variables === undefined) return options
  if (set.unbounded) return { ...options, set: variables.set }
  const advice = 'each variable has its own bounds, from and to'
  throw new ZerothError('invalid-option', `the options set and variables exclude each other: ${advice}`)
}
