import { Command } from 'commander'
import { compileSpec, readSpec } from '../../spec/index.ts'
import { print } from '../output.ts'

const examples = `
Examples:
  $ zeroth validate problem.yaml
  $ zeroth validate problem.yaml --json > resolved.json   written out`

/** `zeroth validate`: checks a spec file and shows what it means, without asking anything. */
export function command(): Command {
  return new Command()
    .argument('<spec>', 'a YAML or JSON file')
    .option('--json', 'print nothing but the spec with every default filled in')
    .addHelpText('after', examples)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const source = readSpec(file)
      const { objective, resolved } = compileSpec(source.spec, source)
      await objective.close?.()
      if (json === true) print(JSON.stringify(resolved))
      else print(`${file} is fine. With every default filled in it says:\n\n${JSON.stringify(resolved, null, 2)}`)
    })
}
