import type { Oracle } from './oracle.ts'
import type { Problem } from './problem.ts'

/** What one run is given. */
export interface Task {
  readonly problem: Problem
  readonly budget: number
  readonly seed: number
  /** Milliseconds after which the run is stopped. */
  readonly timeLimit: number
}

/** What a run said at its end. */
export interface Ending {
  /** The point that it reports. */
  readonly point?: ArrayLike<number> | undefined
  /** Milliseconds that it took itself, without its queries, where it measures that better than the caller can. */
  readonly own?: number | undefined
  readonly note: string
}

/** A method under comparison. */
export interface Solver {
  readonly name: string
  /** Methods of this library come first in tables. */
  readonly own: boolean
  /** Without random numbers one run of a problem without noise is enough. */
  readonly random: boolean
  /** The most variables that it is run with. */
  readonly largest: number
  run(task: Task, oracle: Oracle): Promise<Ending>
  close(): void
}
