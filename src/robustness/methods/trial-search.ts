import { differ } from '../../optimizer/core/space.ts'
import type { Answers, Memory, Queries, RunContext, Search, Vector } from '../../optimizer/core/types.ts'
import { copyOf, onePoint } from '../../optimizer/methods/points.ts'
import { projectInto, type Spans } from './project-into.ts'

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
  /**
   * Told by how much a point that was answered is above the one kept, before it is decided which of them is kept; NaN where
   * nothing was kept before.
   */
  readonly learn?: ((tried: Vector, kept: Vector, rise: number, answers: Answers) => void) | undefined
  /** Whether it reads what the objective says of each competing class. */
  readonly detailed?: boolean | undefined
}

/** Attempts to find a point that differs from the one kept, before that is asked about once more. */
const maxAttempts = 100

const noisy = 'a search that compares single values sees one term of a finite sum at a time: it may go astray'

/**
 * A search that asks one point per iteration, which is its current point while it is asked: every one counts as a center,
 * so that none of them is lost to the best value, or to the success of an attack. The first is the start; the answer is the
 * one that was kept. With `opensAtOnce` the start is taken for known, and never asked.
 */
export function trialSearch(at: RunContext, trials: Trials, opensAtOnce = false): Search {
  if (at.population !== undefined && at.population > 1) at.warn(noisy)
  return new TrialSearch(at, trials, opensAtOnce)
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
  readonly #enter: (x: Vector, changed?: Spans) => Spans | undefined
  readonly #asking: (iteration: number) => Queries
  /** Where the current point may differ from the one kept; undefined where that may be anywhere. */
  #changed: Spans | undefined
  /** Whether the point kept was brought into the set, as trials are. */
  #isEntered = false

  constructor(at: RunContext, trials: Trials, opensAtOnce: boolean) {
    this.point = at.start
    this.#trials = trials
    this.#kept = copyOf(at, this.point)
    this.#enter = projectInto(at)
    this.#asking = onePoint(at, this.point, trials.detailed === true)
    const vectors = { point: this.point, kept: this.#kept }
    this.memory = { vectors, state: this.#state, parts: { trials: trials.memory } }
    if (opensAtOnce) this.#state.trying = this.#propose(1)
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

  tell(answers: Answers): boolean {
    const { values, failed } = answers
    this.iteration++
    const answer = failed[0] === 0 ? (values[0] as number) : Number.NaN
    const value = this.#trials.compared?.(answer, this.point) ?? answer
    if (this.#state.trying) this.#judge(value, answers)
    else if (!Number.isNaN(value)) this.#state.value = value
    this.#tryNext()
    return !Number.isNaN(value)
  }

  skip(): void {
    this.iteration++
    if (this.#state.trying) this.#judge(Number.NaN, undefined)
    this.#tryNext()
  }

  get #isOpening(): boolean {
    return this.#trials.open !== undefined && !this.#state.opened
  }

  #judge(value: number, answers: Answers | undefined): void {
    const isFirst = this.#isOpening
    const isKept = isFirst ? !Number.isNaN(value) : value < this.#state.value
    if (isFirst && isKept) this.#state.opened = true
    if (answers !== undefined && !Number.isNaN(value))
      this.#trials.learn?.(this.point, this.#kept, value - this.#state.value, answers)
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
    if (Number.isNaN(this.#state.value) && !this.#state.trying) return
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
      this.#changed = this.#enter(this.point, this.#changed)
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

/** How the size of a change is measured: by its largest entry, or by its Euclidean length. */
export type Norm = 'linf' | 'l2'

/** The largest change of a variable where neither an option nor an attack says one. */
const usualRadius = { linf: 0.1, l2: 1 }

/** In which norm a change is limited and how far it may go: as the options say, or else as the attack does. */
export function limitOf(
  { attack }: RunContext,
  { norm, radius }: { readonly norm?: Norm | undefined; readonly radius?: number | undefined },
): { readonly norm: Norm; readonly radius: number } {
  const meant = norm ?? (radius === undefined && attack?.l2 !== undefined && attack.linf === undefined ? 'l2' : 'linf')
  return { norm: meant, radius: radius ?? attack?.[meant] ?? usualRadius[meant] }
}
