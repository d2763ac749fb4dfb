import { differ } from '../core/differ.ts'
import type { Answers, Begin, Memory, Search, Vector } from '../core/types.ts'
import { keptNumbers } from './kept-numbers.ts'
import { onePoint } from './one-point.ts'
import { withinSet } from './within-set.ts'

/** What a method tries that looks at one point at a time and keeps the better one. */
export interface Trials {
  /** What it remembers between trials. */
  readonly memory: Memory
  /** Writes the point it begins with, which is kept whatever its value; without it, it begins with the start. */
  readonly open?: ((iteration: number, into: Vector) => void) | undefined
  /**
   * Writes the point to try in an iteration; false where nothing is left to try. Where it is the one that is kept already,
   * the next attempt is made without asking about it.
   */
  next(kept: Vector, iteration: number, attempt: number, into: Vector): boolean
  /** Told whether the point tried was kept. */
  settle(isKept: boolean): void
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
  const point = at.start
  const kept = at.kernels.allocate(at.dim, at.precision)
  kept.set(point)
  const numbers = keptNumbers(at, { value: Number.NaN, trying: 0, opened: 0, finished: 0 })
  const enter = withinSet(at)

  /** Writes the next trial into the point; false where nothing is left to try. */
  const propose = (iteration: number): boolean => {
    if (trials.open !== undefined && numbers.get('opened') === 0) {
      trials.open(iteration, point)
      enter(point)
      return true
    }
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (!trials.next(kept, iteration, attempt, point)) return false
      enter(point)
      if (attempt === maxAttempts - 1 || differ(point, kept)) break
      trials.settle(false)
    }
    return true
  }

  /** Makes the current point the next trial; the start is asked until it is answered. */
  const goOn = (iteration: number): void => {
    if (Number.isNaN(numbers.get('value'))) return
    const isLeft = propose(iteration + 1)
    if (!isLeft) point.set(kept)
    numbers.set('trying', isLeft ? 1 : 0)
    numbers.set('finished', isLeft ? 0 : 1)
  }

  const judge = (value: number): void => {
    const isFirst = trials.open !== undefined && numbers.get('opened') === 0
    const isKept = isFirst ? !Number.isNaN(value) : value < numbers.get('value')
    if (isFirst && isKept) numbers.set('opened', 1)
    if (isKept) {
      kept.set(point)
      numbers.set('value', value)
    }
    trials.settle(isKept)
  }

  if (at.population !== undefined && at.population > 1) at.warn(noisy)
  const asking = onePoint(at, point)
  return {
    point,
    memory: { point, kept, trial: numbers.words, ...trials.memory },
    iteration: 0,
    rows: 1,
    centers: 1,
    get answer() {
      return numbers.get('trying') === 1 ? kept : point
    },
    get finished() {
      return numbers.get('finished') === 1 ? ('converged' as const) : undefined
    },
    ask() {
      return asking(this.iteration + 1)
    },
    tell({ values, failed }: Answers) {
      this.iteration++
      const value = failed[0] === 0 ? (values[0] as number) : Number.NaN
      if (numbers.get('trying') === 1) judge(value)
      else if (!Number.isNaN(value)) numbers.set('value', value)
      goOn(this.iteration)
      return !Number.isNaN(value)
    },
    skip() {
      this.iteration++
      if (numbers.get('trying') === 1) judge(Number.NaN)
      goOn(this.iteration)
    },
  }
}
