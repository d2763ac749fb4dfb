import { Command } from 'commander'
import { compileSpec, type JsonObject, readSpec, type SpecSource } from '../../spec/index.ts'
import { print } from '../output.ts'

const examples = `
Examples:
  $ zeroth validate problem.yaml
  $ zeroth validate problem.yaml --json > resolved.json   written out
  $ zeroth validate robustness.yaml                       a spec of an attack`

/** `zeroth validate`: checks a spec file and shows what it means, without asking anything. */
export function command(): Command {
  return new Command()
    .argument('<spec>', 'a YAML or JSON file')
    .option('--json', 'print nothing but the spec with every default filled in')
    .addHelpText('after', examples)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const resolved = await resolvedOf(readSpec(file))
      if (json === true) print(JSON.stringify(resolved))
      else print(`${file} is fine. With every default filled in it says:\n\n${JSON.stringify(resolved, null, 2)}`)
    })
}

/** What a spec says with every default filled in; one with a model is an attack. */
async function resolvedOf(source: SpecSource): Promise<JsonObject> {
  if ('model' in source.spec && !('objective' in source.spec)) {
    const { compileAttack } = await import('../../spec/attack/index.ts')
    return compileAttack(source.spec, source).resolved
  }
  const { objective, resolved } = compileSpec(source.spec, source)
  await objective.close?.()
  return resolved
}
