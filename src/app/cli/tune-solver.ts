import type { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import type { SpecSource } from '../spec/index.ts'
import { positiveNumber, wholeNumber } from './option-values.ts'
import { type OutFlags, placeJob } from './place-job.ts'
import { type WatchFlags, watcher } from './terminal.ts'

/** A search for the learning rate of a method, beside what it is searched for. */
export interface TuneSolverFlags {
  readonly tuneSolver?: boolean
  readonly from?: number
  readonly to?: number
  readonly seeds?: number
  readonly betas?: boolean
}

/** Adds the options of a search for the learning rate of a method. */
export function withTuneSolverOptions(command: Command): Command {
  return command
    .optionsGroup('Learning rates:')
    .option('--tune-solver', "search the solver's learning rate instead: many runs, a grid that grows at its edges")
    .option(
      '--from <rate>',
      'with --tune-solver: the smallest learning rate of the grid (default: 0.001)',
      positiveNumber,
    )
    .option('--to <rate>', 'with --tune-solver: the largest learning rate of the grid (default: 1)', positiveNumber)
    .option(
      '--seeds <n>',
      'with --tune-solver: runs per setting, whose mean counts (default: 3; attacks: 1)',
      wholeNumber(1),
    )
    .option('--betas', 'with --tune-solver: search beta1 and beta2 at the best rate, too')
}

/** Refuses options that would do nothing: those of the search without it, and others beside it. */
export function checkTuneSolver(flags: TuneSolverFlags, others: readonly string[]): void {
  const isGiven = (name: string): boolean => (flags as Readonly<Record<string, unknown>>)[name] !== undefined
  const own = ['from', 'to', 'seeds', 'betas'].find(isGiven)
  if (flags.tuneSolver !== true) {
    if (own === undefined) return
    throw new ZerothError('invalid-option', `--${own} needs --tune-solver, which searches the learning rate`)
  }
  const other = others.find(isGiven)
  if (other === undefined) return
  const option = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new ZerothError('invalid-option', `--${option} does not go with --tune-solver`)
}

/** What is searched, what the search is called, the first of its seeds, and how many there are unless said. */
interface Searched {
  readonly source: SpecSource
  readonly name: string
  readonly seed: number
  readonly seeds: number
}

/** Searches the learning rate, and on request the betas, that suit a spec best. */
export async function performTuneSolver(
  { source, name, seed, seeds: usual }: Searched,
  flags: TuneSolverFlags & WatchFlags & OutFlags,
): Promise<void> {
  const { openTuning } = await import('../jobs/tuning.ts')
  const { performJob } = await import('./perform.ts')
  const { from = 1e-3, to = 1, betas = false, seeds: count = usual } = flags
  const seeds = Array.from({ length: count }, (_, i) => seed + i)
  const watching = watcher(flags)
  try {
    process.exitCode = await placeJob('tuning', flags, name, watching.page, async (folder) =>
      performJob(await openTuning(folder, source.spec, { from, to, betas, seeds }, source), flags, watching),
    )
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}
