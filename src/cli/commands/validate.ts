import { Command } from 'commander'
import { compileSpec, readSpec } from '../../spec/index.ts'

/** `zeroth validate`: checks a spec file and shows what it means, without asking anything. */
export function command(): Command {
  return new Command()
    .argument('<spec>', 'a YAML or JSON file')
    .option('--json', 'print the spec with every default filled in')
    .addHelpText('after', '\nExample:\n  $ zeroth validate problem.yaml')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const source = readSpec(file)
      const compiled = compileSpec(source.spec, source)
      await compiled.objective.close?.()
      const text = JSON.stringify(compiled.resolved, null, json === true ? undefined : 2)
      process.stdout.write(
        json === true ? `${text}\n` : `${file} is fine. With every default filled in it says:\n\n${text}\n`,
      )
    })
}
