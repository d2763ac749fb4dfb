import { Command } from 'commander'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import { attackName } from '../../jobs/evaluation/attack-record.ts'
import { closeWithin } from '../../jobs/job.ts'
import { modelText, rateText } from '../../report/attack/settings.ts'
import { countText } from '../../report/number-text.ts'
import { type CompiledAttack, limitsOf, type OpenedAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { type AttackFlags, attackFromOptions, withAttackOptions } from '../attack-options.ts'
import { type CiFlags, ciReports, runAttack, withCiOptions } from '../perform-attack.ts'
import { type OutFlags, placeJob } from '../place-job.ts'
import { print } from '../program.ts'
import { millisecondsText, type WatchFlags, watcher, withPageOptions, withWatchOptions } from '../terminal.ts'
import { checkTuneSolver, performTuneSolver, type TuneSolverFlags, withTuneSolverOptions } from '../tune-solver.ts'

const attackExamples = `
Measures a classifier's robustness through queries alone: how often it is
fooled, by how large a change, after how many queries. Every image is a run of
its own: Ctrl-C saves, zeroth resume continues. index.html shows all results.

Exit codes: 0 success, 1 more images than --allow-unfinished failed, are
unfinished or unconfirmed, or the model changed its answers meanwhile, 2 wrong
usage, 3 the robust accuracy is below --fail-under or worse than --baseline, 130
interrupted and saved. If the model stops responding, an image is unfinished; if
a success does not show again when the model is asked again, it is unconfirmed:
zeroth resume tries them again.

Attack only what is yours or what its owner lets you test: a model that is asked
over HTTP needs --permitted. See docs/responsible-use.md.

Examples:
  $ zeroth attack --model digits --count 10
  $ zeroth attack --model digits --problem unconstrained --max-queries 5001
  $ zeroth attack --model net.onnx --images photos --resize imagenet --count 20
  $ zeroth attack --model digits --universal --linf 0.3
  $ zeroth attack --model http://host/v2/models/m --images photos --permitted
  $ zeroth attack --model digits --linf 0.1,0.2,0.3 --target 8
  $ zeroth attack robustness.yaml --fail-under 0.5 --junit robustness.xml
  $ zeroth attack robustness.yaml --baseline release.json --tolerance 0.02
  $ zeroth attack robustness.yaml --out attack --resume   begins or continues
  $ zeroth attack --model digits --images digits:tuning --tune-solver`

/** Options that are about one attack, which a search for a learning rate has many of. */
const notWithTuning = [
  'dryRun',
  'junit',
  'sarif',
  'baseline',
  'tolerance',
  'writeBaseline',
  'failUnder',
  'allowUnfinished',
]

interface Flags extends AttackFlags, WatchFlags, OutFlags, CiFlags, TuneSolverFlags {
  readonly dryRun?: boolean
}

/** `zeroth attack`: how robust a classifier is, from a spec file, from options, or from both. */
export function attackCommand(): Command {
  const described = withAttackOptions(
    new Command().argument('[spec]', 'a YAML or JSON file; options overrule its keys'),
  )
    .optionsGroup('Folder:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'continue the attack in the folder of --out if there is one')
    .option('--dry-run', 'say what would be done instead of doing it')
  return withPageOptions(withWatchOptions(withTuneSolverOptions(withCiOptions(described))))
    .addHelpText('after', attackExamples)
    .action(performAttack)
}

async function performAttack(argument: string | undefined, flags: Flags): Promise<void> {
  checkTuneSolver(flags, notWithTuning)
  const given = attackFromOptions(argument, flags)
  const { compileAttack } = await import('../../spec/attack/index.ts')
  if (flags.tuneSolver === true) {
    const { tunableAttack } = await import('../../jobs/tuning.ts')
    const { resolved } = await compileAttack(tunableAttack(given.spec), given)
    const name = attackName(resolved, given.file, 'tune')
    return performTuneSolver({ source: given, name, seed: Number(resolved.seed), seeds: 1 }, flags)
  }
  const compiled = await compileAttack(given.spec, given)
  if (flags.dryRun === true) return dryRun(compiled, flags.json === true)
  const ci = ciReports(flags, compiled.resolved)
  const name = attackName(compiled.resolved, given.file, String(compiled.resolved.seed))
  const { openCompiled } = await import('../../jobs/evaluation/evaluation.ts')
  const watching = watcher(flags)
  try {
    process.exitCode = await placeJob('evaluation', flags, name, watching.page, async (folder) =>
      runAttack(await openCompiled(folder, compiled), flags, watching, ci),
    )
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}

async function dryRun(compiled: CompiledAttack, json: boolean): Promise<void> {
  const { openAttack } = await import('../../spec/attack/index.ts')
  const opened = await openAttack(compiled)
  try {
    print(await attackDryRun(opened, json))
  } finally {
    await closeWithin(opened.model)
  }
}

/** What an attack would do at most, without doing it. */
async function attackDryRun({ model, dataset, resolved, rateSource }: OpenedAttack, json: boolean): Promise<string> {
  const limits = limitsOf(resolved)?.sizes.length ?? 1
  const { mostAlone, mostCanaries, mostChecks, mostConfirmations, mostNoiseCalls } = await import(
    '../../../robustness/index.ts'
  )
  const { count, maxQueries, universal, rate } = resolved as Record<string, number | undefined> & {
    universal?: unknown
  }
  const available = dataset.count
  const attacked = Math.min(count ?? available, available)
  const queries = universal === true ? (maxQueries ?? 0) : attacked * limits * (maxQueries ?? 0)
  const perQuery = universal === true ? attacked : 1
  const canaries = Math.min(mostCanaries, available) + Math.min(mostAlone, available)
  const again =
    universal === true
      ? mostConfirmations(maxQueries ?? 0, attacked)
      : attacked * limits * mostConfirmations(maxQueries ?? 0, 1)
  // An image that seems to be misclassified is asked about once more.
  const pictures = attacked * (universal === true ? 1 : limits) * mostChecks
  const checks = pictures + again + canaries + mostNoiseCalls
  const modelCalls = 2 * available + queries * perQuery + checks
  const least = rate === undefined ? undefined : (modelCalls / model.batch / rate) * 1000
  const most = { images: { available, attacked }, queries, modelCalls, rate: rate ?? null }
  if (json) return JSON.stringify(jsonSafe({ ...most, settings: { ...resolved, rateSource } }))
  const { name: solver } = resolved.solver as JsonObject
  const rows: [string, string][] = [
    ['model', `${modelText(resolved.model as JsonObject)}, ${model.runtime}`],
    ['images', `${dataset.name}: ${countText(available)}, of which ${countText(attacked)} at most are attacked`],
    ['method', `${solver}, ${(resolved.problem as JsonObject).name}${universal === true ? ', universal' : ''}`],
    ['learning rate', rateText(resolved.solver as JsonObject, rateSource)],
    [
      'queries',
      `${countText(queries)} at most, ${countText(maxQueries ?? 0)} ${universal === true ? 'in all' : limits > 1 ? 'per image and limit' : 'per image'}`,
    ],
    ['model calls', `${countText(modelCalls)} images classified at most, ${countText(model.batch)} per call`],
  ]
  if (rate !== undefined)
    rows.push(['rate', `${rate} calls per second at most: ${millisecondsText(least ?? 0)} or more for all of it`])
  return [...rows.map(([title, text]) => `${title.padEnd(15)}${text}`), 'nothing was asked'].join('\n')
}
