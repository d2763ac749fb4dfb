import { differ } from '../core/differ.ts'
import type { Answers, Begin, Memory, Queries, Search, Vector } from '../core/types.ts'
import { copyOf, onePoint } from './current-point.ts'
import { intoSet, type Spans } from './into-set.ts'

/** What a method tries that looks at one point at a time and keeps the better one. */
export interface Trials {
  /** What it remembers between trials. */
  readonly memory: Memory
  /** Writes the point it begins with, which is kept whatever its value; without it, it begins with the start. */
  readonly open?: ((iteration: number, into: Vector) => void) | undefined
  /**
   * Makes the point that is kept, which is in `into`, the one to try in an iteration; false where nothing is left to try. Where it
   * is the one that is kept already, the next attempt is made without asking about it. A method that changes little may say
   * where: nobody looks at the rest then.
   */
  next(kept: Vector, iteration: number, attempt: number, into: Vector): boolean | Spans
  /** Told whether the point tried was kept. */
  settle(isKept: boolean): void
  /** What points are compared by, where that is not the value itself. */
  readonly compared?: ((value: number, x: Vector) => number) | undefined
  /** Told by how much a point that was answered is above the one kept, before it is decided which of them is kept. */
  readonly learn?: ((tried: Vector, kept: Vector, rise: number) => void) | undefined
}

/** Attempts to find a point that differs from the one kept, before that is asked about once more. */
const maxAttempts = 100

const noisy = 'a search that compares single values sees one term of a finite sum at a time: it may go astray'

/**
 * A search that asks one point per iteration, which is its current point while it is asked: every one counts as a center,
 * so that none of them is lost to the best value, or to the success of an attack. The first is the start; the answer is the
 * one that was kept.
 */
export function trialSearch(at: Begin, trials: Trials): Search {
  if (at.population !== undefined && at.population > 1) at.warn(noisy)
  return new TrialSearch(at, trials)
}

class TrialSearch implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly rows = 1
  readonly centers = 1
  readonly #trials: Trials
  readonly #kept: Vector
  /** The value of the point kept; whether the current point is on trial; whether the first one of the method was kept. */
  readonly #state = { value: Number.NaN, trying: false, opened: false, finished: false }
  readonly #enter: (x: Vector, changed?: Spans) => void
  readonly #asking: (iteration: number) => Queries
  /** Where the current point may differ from the one kept; undefined where that may be anywhere. */
  #changed: Spans | undefined
  /** Whether the point kept was brought into the set, as trials are. */
  #isEntered = false

  constructor(at: Begin, trials: Trials) {
    this.point = at.start
    this.#trials = trials
    this.#kept = copyOf(at, this.point)
    this.#enter = intoSet(at)
    this.#asking = onePoint(at, this.point)
    const vectors = { point: this.point, kept: this.#kept }
    this.memory = { vectors, state: this.#state, parts: { trials: trials.memory } }
  }

  get answer(): Vector {
    return this.#state.trying ? this.#kept : this.point
  }

  get finished(): 'converged' | undefined {
    return this.#state.finished ? 'converged' : undefined
  }

  ask(): Queries {
    return this.#asking(this.iteration + 1)
  }

  tell({ values, failed }: Answers): boolean {
    this.iteration++
    const answer = failed[0] === 0 ? (values[0] as number) : Number.NaN
    const value = this.#trials.compared?.(answer, this.point) ?? answer
    if (this.#state.trying) this.#judge(value)
    else if (!Number.isNaN(value)) this.#state.value = value
    this.#tryNext()
    return !Number.isNaN(value)
  }

  skip(): void {
    this.iteration++
    if (this.#state.trying) this.#judge(Number.NaN)
    this.#tryNext()
  }

  get #isOpening(): boolean {
    return this.#trials.open !== undefined && !this.#state.opened
  }

  #judge(value: number): void {
    const isFirst = this.#isOpening
    const isKept = isFirst ? !Number.isNaN(value) : value < this.#state.value
    if (isFirst && isKept) this.#state.opened = true
    if (!Number.isNaN(value)) this.#trials.learn?.(this.point, this.#kept, value - this.#state.value)
    if (isKept) {
      copySpans(this.point, this.#kept, this.#changed)
      this.#changed = nowhere
      this.#isEntered = true
      this.#state.value = value
    }
    this.#trials.settle(isKept)
  }

  /** Makes the current point the next trial; the start is asked until it is answered. */
  #tryNext(): void {
    if (Number.isNaN(this.#state.value)) return
    const isLeft = this.#propose(this.iteration + 1)
    if (!isLeft) this.#takeBack()
    this.#state.trying = isLeft
    this.#state.finished = !isLeft
  }

  /** Makes the current point the one kept. */
  #takeBack(): void {
    copySpans(this.#kept, this.point, this.#changed)
    this.#changed = nowhere
  }

  /** Writes the next trial into the point; false where nothing is left to try. */
  #propose(iteration: number): boolean {
    if (this.#isOpening) {
      this.#changed = undefined
      this.#trials.open?.(iteration, this.point)
      this.#enter(this.point)
      return true
    }
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      this.#takeBack()
      const made = this.#trials.next(this.#kept, iteration, attempt, this.point)
      // One that gives up may have written anything before it did.
      this.#changed = typeof made === 'boolean' || !this.#isEntered ? undefined : made
      if (made === false) return false
      this.#enter(this.point, this.#changed)
      if (attempt === maxAttempts - 1 || this.#isChanged()) break
      this.#trials.settle(false)
    }
    return true
  }

  #isChanged(): boolean {
    if (this.#changed === undefined) return differ(this.point, this.#kept)
    return this.#changed.some(([from, to]) => differ(this.point.subarray(from, to), this.#kept.subarray(from, to)))
  }
}

/** No part of a vector. */
const nowhere: Spans = []

function copySpans(from: Vector, to: Vector, spans: Spans | undefined): void {
  if (spans === undefined) return to.set(from)
  for (const [start, end] of spans) to.set(from.subarray(start, end), start)
}
