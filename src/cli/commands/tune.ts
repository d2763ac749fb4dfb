import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { compileAttack } from '../../spec/attack/index.ts'
import { compileSpec, type SpecSource } from '../../spec/index.ts'
import { attackName } from '../../work/evaluation/attack-record.ts'
import { defaultName } from '../../work/folders.ts'
import { openTuning } from '../../work/index.ts'
import { tunableAttack } from '../../work/tuning-search.ts'
import { type AttackFlags, withAttackOptions } from '../attack/attack-flags.ts'
import { attackFromOptions, hasModel } from '../attack/attack-from-options.ts'
import { performWork } from '../conclude.ts'
import { positiveNumber, wholeNumber } from '../option-values.ts'
import { withPageOptions } from '../page-beside.ts'
import { specFromOptions } from '../spec-from-options.ts'
import { type SpecFlags, withSpecOptions } from '../spec-options.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'
import { type OutFlags, placeWork } from '../work-folder.ts'

const examples = `
The learning rate is searched over a grid (1e-3, 3e-3, 1e-2, ...) that grows as
long as its best value is at an edge; with --betas all pairs of the paper's grid
(0.1, 0.3, 0.5, 0.7, 0.9) are then tried at the best rate. Every try is a run of
its own: zeroth resume continues an interrupted tuning, and zeroth
report shows all its runs in one page.

With --model, or with a spec file that has a model, attacks are tuned: what
counts is the mean over the images of the objective at the end of their attacks.

Examples:
  $ zeroth tune --function rosenbrock --dim 10 --solver zo-adamm --seeds 3
  $ zeroth tune problem.yaml --from 1e-3 --to 1 --betas --out tuned
  $ zeroth tune --model digits --images digits:tuning --count 30
  $ zeroth resume tuned`

interface Flags extends SpecFlags, Omit<AttackFlags, keyof SpecFlags>, WatchFlags, OutFlags {
  readonly from: number
  readonly to: number
  readonly seeds?: number
  readonly betas?: boolean
}

/** Keys of attacks for which there is an option already; and one that means nothing to a search. */
const commonKeys = [
  ...[
    'solver',
    'learningRate',
    'directions',
    'smoothing',
    'seed',
    'precision',
    'maxQueries',
    'maxIterations',
    'target',
  ],
  ...['jobs', 'retries', 'rate', 'failures', 'failUnder', 'allowUnfinished', 'queue'],
]

/** `zeroth tune`: finds the best learning rate, and betas, for a problem. */
export function command(): Command {
  const described = new Command()
    .argument('[spec]', 'a YAML or JSON file; options overrule its keys')
    .optionsGroup('Search:')
    .option('--from <rate>', 'the smallest learning rate of the grid', positiveNumber, 1e-3)
    .option('--to <rate>', 'the largest learning rate of the grid', positiveNumber, 1)
    .option('--seeds <n>', 'runs per setting; their mean value counts (default: 3; attacks: 1)', wholeNumber(1))
    .option('--betas', 'search beta1 and beta2 at the best rate, too')
    .option('-o, --out <folder>', 'where the runs go (default: a new folder in zeroth-runs)')
    .option('--resume', 'continue the tuning in the folder of --out if there is one')
  const all = withAttackOptions(withSpecOptions(described), commonKeys)
  return withPageOptions(withWatchOptions(all)).addHelpText('after', examples).action(tuneCommand)
}

async function tuneCommand(file: string | undefined, flags: Flags): Promise<void> {
  const { from, to, betas = false } = flags
  const isAttack = flags.model !== undefined || hasModel(file ?? flags.config)
  const { source, name, seed } = await (isAttack ? attackGiven(file, flags) : problemGiven(file, flags))
  const count = flags.seeds ?? (isAttack ? 1 : 3)
  const seeds = Array.from({ length: count }, (_, i) => seed + i)
  const watching = watcher(flags)
  try {
    const folder = await placeWork('tuning', flags, name, watching.page)
    const tuning = await openTuning(folder, source.spec, { from, to, betas, seeds }, source)
    process.exitCode = await performWork(tuning, flags, watching)
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}

/** What is searched, what the search is called, and the first of its seeds. */
interface Searched {
  readonly source: SpecSource
  readonly name: string
  readonly seed: number
}

async function problemGiven(file: string | undefined, flags: Flags): Promise<Searched> {
  const source = specFromOptions(file, flags)
  const { resolved, objective } = compileSpec(source.spec, source)
  await objective.close?.()
  return { source, name: defaultName(resolved, source.file, 'tune'), seed: Number(resolved.seed) }
}

async function attackGiven(file: string | undefined, flags: Flags): Promise<Searched> {
  const other = (['function', 'exec', 'http', 'module'] as const).find((key) => flags[key] !== undefined)
  if (other !== undefined)
    throw new ZerothError('invalid-option', `--${other} does not go with a model: give one of them`)
  const source = attackFromOptions(file, flags)
  const { resolved } = compileAttack(tunableAttack(source.spec), source)
  return { source, name: attackName(resolved, source.file, 'tune'), seed: Number(resolved.seed) }
}
