import { ZerothError } from '../core/errors.ts'
import { type Summary, summarize } from '../core/statistics.ts'
import type { Objective } from '../core/types.ts'
import type { Variables } from '../core/variable-types.ts'
import type { NamedFunction, PointFunction } from '../objectives/function.ts'
import {
  type MinimizeOptions,
  minimize,
  type Named,
  type Result,
  type StartAndOptions,
  startAndOptions,
  type VariableOptions,
} from './minimize.ts'

/** Several runs that differ in their seed alone. */
export interface ManyResult<Run extends Result = Result> {
  /** The result of each seed, in the order of the seeds. */
  readonly runs: readonly Run[]
  /** The run with the smallest value. */
  readonly best: Run
  /** How the best values varied. */
  readonly value: Summary
  /** How many queries the runs took. */
  readonly queries: Summary
  /** How many iterations they took. */
  readonly iterations: Summary
}

/** Options of `minimizeMany`: those of `minimize`, but for what differs from run to run. */
export interface ManyOptions extends Omit<MinimizeOptions, 'seed' | 'resume' | 'out'> {
  /** The seeds, or how many: 5 means 0 to 4. */
  readonly seeds: number | readonly number[]
}

/** Options of `minimizeMany` for variables with names. */
export interface ManyVariableOptions<Of = Variables> extends Omit<VariableOptions<Of>, 'seed' | 'resume' | 'out'> {
  /** The seeds, or how many: 5 means 0 to 4. */
  readonly seeds: number | readonly number[]
}

/**
 * Runs `minimize` once per seed, one after the other, and summarises the results. `seeds: 5` means 0 to 4. When a run
 * fails, the error carries its `seed` and the `runs` before it.
 */
export function minimizeMany(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options: ManyOptions,
): Promise<ManyResult>
export function minimizeMany<const Of extends Variables>(
  f: NamedFunction<Of> | Objective,
  ...given: StartAndOptions<Of, ManyVariableOptions<Of>>
): Promise<ManyResult<Named<Result, Of>>>
export async function minimizeMany(
  f: PointFunction | NamedFunction | Objective,
  second: unknown,
  third?: unknown,
): Promise<ManyResult> {
  const { start, options } = startAndOptions(second, third)
  const { seeds: given, ...rest } = options as ManyOptions
  const counted = typeof given === 'number' && Number.isInteger(given) && given > 0 && given < 1e6
  const seeds = counted ? Array.from({ length: given }, (_, seed) => seed) : given
  if (!Array.isArray(seeds) || seeds.length === 0) {
    throw new ZerothError(
      'invalid-option',
      `minimizeMany.seeds must be a count above 0 or a list, got ${String(given)}`,
    )
  }
  const runs: Result[] = []
  for (const seed of seeds) {
    const run = await minimize(f as PointFunction, start as ArrayLike<number>, { ...rest, seed }).catch(
      (error: Error) => {
        // What earlier seeds found is not lost with the one that failed.
        throw Object.assign(error, { runs, seed })
      },
    )
    runs.push(run)
    if (run.status === 'aborted') break
  }
  return {
    runs,
    best: runs.reduce((best, run) => (run.value < best.value || Number.isNaN(best.value) ? run : best)),
    value: summarize(runs.map((run) => run.value)),
    queries: summarize(runs.map((run) => run.queries)),
    iterations: summarize(runs.map((run) => run.iterations)),
  }
}
