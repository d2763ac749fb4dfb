import type { Solver } from '../core/types.ts'
import { inSequence } from './in-sequence.ts'

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
  const seekers = [{ name: 'first', solver: first, patience }]
  return inSequence({ seekers, last: { name: 'second', solver: second }, ...rest })
}
