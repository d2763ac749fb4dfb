import { Command } from 'commander'
import { type CompiledAttack, compileAttack, openAttack } from '../../spec/attack/index.ts'
import { closeWithin } from '../../work/close-within.ts'
import { attackName } from '../../work/evaluation/attack-record.ts'
import { openCompiled } from '../../work/evaluation/evaluation.ts'
import { attackDryRun } from '../attack/attack-dry-run.ts'
import { type AttackFlags, withAttackOptions } from '../attack/attack-flags.ts'
import { attackFromOptions } from '../attack/attack-from-options.ts'
import { runAttack } from '../attack/run-attack.ts'
import { print } from '../output.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'
import { type OutFlags, workFolder } from '../work-folder.ts'

const examples = `
Measures a classifier's robustness through queries alone: how often it is
fooled, by how large a change, after how many queries. Every image is a run of
its own: Ctrl-C saves, zeroth resume continues. index.html shows all results.

Exit codes: 0 all is well, 1 every image failed, or too little was measured to
judge --fail-under, 2 wrong usage, 3 the robust accuracy is below --fail-under,
130 interrupted and saved. Resuming retries images that got no answer.

Attack only what is yours or what its owner lets you test: a model that is asked
over HTTP needs --permitted. See docs/responsible-use.md.

Examples:
  $ zeroth attack --model digits --count 10
  $ zeroth attack --model cifar10 --problem unconstrained --max-queries 5001
  $ zeroth attack --model net.onnx --images photos --resize imagenet --count 20
  $ zeroth attack --model digits --universal --linf 0.3
  $ zeroth attack --model http://host/v2/models/m --images photos --permitted
  $ zeroth attack robustness.yaml --fail-under 0.5 --json
  $ zeroth attack robustness.yaml --out attack --resume   begins or continues`

interface Flags extends AttackFlags, WatchFlags, OutFlags {
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
  return withWatchOptions(described).addHelpText('after', examples).action(attackCommand)
}

async function attackCommand(argument: string | undefined, flags: Flags): Promise<void> {
  const given = attackFromOptions(argument, flags)
  const compiled = compileAttack(given.spec, given)
  if (flags.dryRun === true) return dryRun(compiled, flags.json === true)
  const name = attackName(compiled.resolved, given.file, String(compiled.resolved.seed))
  const watching = watcher(flags)
  try {
    const evaluation = await openCompiled(workFolder('evaluation', flags, name), compiled)
    process.exitCode = await runAttack(evaluation, flags, watching)
  } finally {
    watching.close()
  }
}

async function dryRun(compiled: CompiledAttack, json: boolean): Promise<void> {
  const opened = await openAttack(compiled)
  try {
    print(attackDryRun(opened, json))
  } finally {
    await closeWithin(opened.model)
  }
}
