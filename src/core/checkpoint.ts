import type { HistoryRecord } from './history.ts'
import type { Precision, SavedMemory, Vector } from './types.ts'

/** The version of checkpoints that this zeroth writes and reads. */
export const checkpointVersion = 2

/** Everything a session needs to go on as if it had never stopped: plain data, safe to clone. */
export interface Checkpoint {
  readonly format: 'zeroth-checkpoint'
  readonly version: typeof checkpointVersion
  /** The solver and the set with all their options, to refuse another run's. */
  readonly solver: string
  readonly set: string
  readonly seed: number
  readonly dim: number
  readonly precision: Precision
  readonly iteration: number
  readonly queries: number
  readonly cacheHits: number
  readonly retries: number
  readonly best: { readonly value: number; readonly point: Vector }
  /** The value of the current point, where the run had ended with its evaluation. */
  readonly finalValue: number | null
  /** The largest value seen, for the failure policy `worst`. */
  readonly worst: number
  readonly failures: { readonly count: number; readonly first: unknown }
  readonly skippedIterations: number
  readonly history: { readonly records: readonly HistoryRecord[]; readonly spacing: number }
  /** What the parts of the run had to say about it. */
  readonly warnings: readonly string[]
  /** What the search remembers, the phase at work included. */
  readonly memory: SavedMemory
  /** What the objective remembers of its answers, where it does: the account of an attack. */
  readonly account?: SavedMemory | undefined
}
