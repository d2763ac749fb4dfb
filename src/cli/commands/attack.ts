import { Command } from 'commander'
import { mostCanaries, mostChecks, mostNoiseCalls } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { modelText, rateText } from '../../report/attack/attack-settings.ts'
import { countText } from '../../report/number-text.ts'
import { type CompiledAttack, compileAttack, limitsOf, type OpenedAttack, openAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { attackName } from '../../work/evaluation/attack-record.ts'
import { openCompiled } from '../../work/evaluation/evaluation.ts'
import { closeWithin } from '../../work/work.ts'
import { type AttackFlags, withAttackOptions } from '../attack/attack-flags.ts'
import { attackFromOptions } from '../attack/attack-from-options.ts'
import { type CiFlags, ciWork, withCiOptions } from '../attack/ci-options.ts'
import { runAttack } from '../attack/run-attack.ts'
import { print } from '../output.ts'
import { withPageOptions } from '../page-beside.ts'
import { millisecondsText } from '../terminal-text.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'
import { type OutFlags, placeWork } from '../work-folder.ts'

const examples = `
Measures a classifier's robustness through queries alone: how often it is
fooled, by how large a change, after how many queries. Every image is a run of
its own: Ctrl-C saves, zeroth resume continues. index.html shows all results.

Exit codes: 0 success, 1 more images than --allow-unfinished failed or are
unfinished, or the model changed its answers meanwhile, 2 wrong usage, 3 the
robust accuracy is below --fail-under or worse than --baseline, 130 interrupted
and saved. An image whose model fell silent is unfinished: zeroth resume goes on
with it.

Attack only what is yours or what its owner lets you test: a model that is asked
over HTTP needs --permitted. See docs/responsible-use.md.

Examples:
  $ zeroth attack --model digits --count 10
  $ zeroth attack --model cifar10 --problem unconstrained --max-queries 5001
  $ zeroth attack --model net.onnx --images photos --resize imagenet --count 20
  $ zeroth attack --model digits --universal --linf 0.3
  $ zeroth attack --model http://host/v2/models/m --images photos --permitted
  $ zeroth attack --model cifar10 --linf 2/255,4/255,8/255 --target cat
  $ zeroth attack robustness.yaml --fail-under 0.5 --junit robustness.xml
  $ zeroth attack robustness.yaml --baseline release.json --tolerance 0.02
  $ zeroth attack robustness.yaml --out attack --resume   begins or continues`

interface Flags extends AttackFlags, WatchFlags, OutFlags, CiFlags {
  readonly dryRun?: boolean
}

/** `zeroth attack`: how robust a classifier is, from a spec file, from options, or from both. */
export function command(): Command {
  const described = withAttackOptions(
    new Command().argument('[spec]', 'a YAML or JSON file; options overrule its keys'),
  )
    .optionsGroup('The attack:')
    .option('-o, --out <folder>', 'its folder (default: a new one in zeroth-runs)')
    .option('--resume', 'continue the attack in the folder of --out if there is one')
    .option('--dry-run', 'say what would be done instead of doing it')
  return withPageOptions(withWatchOptions(withCiOptions(described)))
    .addHelpText('after', examples)
    .action(attackCommand)
}

async function attackCommand(argument: string | undefined, flags: Flags): Promise<void> {
  const given = attackFromOptions(argument, flags)
  const compiled = compileAttack(given.spec, given)
  if (flags.dryRun === true) return dryRun(compiled, flags.json === true)
  const ci = ciWork(flags, compiled.resolved)
  const name = attackName(compiled.resolved, given.file, String(compiled.resolved.seed))
  const watching = watcher(flags)
  try {
    const folder = await placeWork('evaluation', flags, name, watching.page)
    const evaluation = await openCompiled(folder, compiled)
    process.exitCode = await runAttack(evaluation, flags, watching, ci)
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}

async function dryRun(compiled: CompiledAttack, json: boolean): Promise<void> {
  const opened = await openAttack(compiled)
  try {
    print(attackDryRun(opened, json))
  } finally {
    await closeWithin(opened.model)
  }
}

/** What an attack would do at most, without doing it. */
export function attackDryRun({ model, dataset, resolved, rateSource }: OpenedAttack, json: boolean): string {
  const { count, maxQueries, universal, rate } = resolved as Record<string, number | undefined> & {
    universal?: unknown
  }
  const available = dataset.count
  const attacked = Math.min(count ?? available, available)
  const limits = limitsOf(resolved)?.sizes.length ?? 1
  const queries = universal === true ? (maxQueries ?? 0) : attacked * limits * (maxQueries ?? 0)
  const perQuery = universal === true ? attacked : 1
  const aside = Math.min(mostCanaries, available) + mostNoiseCalls
  const checks = attacked * (universal === true ? 1 : limits) * mostChecks + aside
  const modelCalls = available + queries * perQuery + checks
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
