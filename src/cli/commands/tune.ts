import { Command } from 'commander'
import { parts, ZerothError } from '../../index.ts'
import { compileSpec, type JsonObject } from '../../spec/index.ts'
import { zerothVersion } from '../machine.ts'
import { newSeries } from '../new-series.ts'
import { positiveNumber, wholeNumber } from '../option-values.ts'
import { defaultName } from '../run-places.ts'
import type { SearchPlan } from '../series-plan.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { type SpecFlags, withSpecOptions } from '../spec-options.ts'
import { runSearch } from '../tune-runs.ts'
import { rateGrid } from '../tune-search.ts'
import { now } from '../wall-clock.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
The learning rate is searched over a grid (1e-3, 3e-3, 1e-2, ...) that grows as
long as its best value is at an edge; with --betas all pairs of the paper's grid
(0.1, 0.3, 0.5, 0.7, 0.9) are then tried at the best rate. Every try is a run of
its own: zeroth resume goes on with a search that was interrupted, and zeroth
report shows all its runs in one page.

Examples:
  $ zeroth tune --function rosenbrock --dim 10 --max-queries 2000 --seeds 3
  $ zeroth tune problem.yaml --from 1e-3 --to 1 --betas --out tuned
  $ zeroth resume tuned`

interface Flags extends SpecFlags, WatchFlags {
  readonly out?: string
  readonly resume?: boolean
  readonly from: number
  readonly to: number
  readonly seeds: number
  readonly betas?: boolean
}

/** `zeroth tune`: which learning rate, and which betas, serve a problem best. */
export function command(): Command {
  const described = new Command()
    .argument('[spec]', 'a YAML or JSON file; options overrule its keys')
    .optionsGroup('Search:')
    .option('--from <rate>', 'the smallest learning rate of the grid', positiveNumber, 1e-3)
    .option('--to <rate>', 'the largest learning rate of the grid', positiveNumber, 1)
    .option('--seeds <n>', 'runs per setting; their mean value counts', wholeNumber(1), 3)
    .option('--betas', 'search beta1 and beta2 at the best rate, too')
    .option('-o, --out <folder>', 'where the runs go (default: a new folder in zeroth-runs)')
    .option('--resume', 'go on with the search in the folder of --out if there is one')
  return withWatchOptions(withSpecOptions(described)).addHelpText('after', examples).action(tuneCommand)
}

async function tuneCommand(file: string | undefined, flags: Flags): Promise<void> {
  const { from, to, betas = false } = flags
  const source = specFromOptions(file, flags)
  const { resolved, objective } = compileSpec(source.spec, source)
  await objective.close?.()
  checkSearch(resolved, { from, to, betas })
  const seeds = Array.from({ length: flags.seeds }, (_, i) => Number(resolved.seed) + i)
  const search = { from, to, betas }
  const plan = { kind: 'tune', created: now(), zeroth: zerothVersion(), spec: resolved, seeds, search } as const
  const folder = await newSeries(flags, defaultName(resolved, source.file, 'tune'), plan)
  const watching = watcher(flags)
  try {
    process.exitCode = await runSearch(folder, plan, flags, watching)
  } finally {
    watching.close()
  }
}

/** Refuses a search that has nothing to search. */
function checkSearch(resolved: JsonObject, { from, to, betas }: SearchPlan): void {
  const { name } = resolved.solver as { readonly name: string }
  const options = parts.solver.find((part) => part.definition.name === name)?.definition.options.shape ?? {}
  const needed = ['learningRate', ...(betas ? ['beta1', 'beta2'] : [])]
  const missing = needed.find((option) => !Object.hasOwn(options, option))
  if (missing !== undefined) {
    const advice = missing === 'learningRate' ? 'there is nothing to tune' : 'leave out --betas'
    throw new ZerothError('invalid-option', `the solver ${name} has no ${missing}: ${advice}`)
  }
  if (rateGrid(from, to).length === 0) {
    throw new ZerothError(
      'invalid-option',
      `there is no learning rate of the grid 1e-3, 3e-3, 1e-2, ... between --from ${from} and --to ${to}`,
    )
  }
}
