import { Command } from 'commander'
import { specSchema } from '../../spec/index.ts'
import { print } from '../output.ts'

/** `zeroth schema`: what editors need to complete and check spec files. */
export function command(): Command {
  return new Command()
    .addHelpText(
      'after',
      `
The package holds it as schema/zeroth.schema.json, too. An editor uses it for a
YAML file that begins with
  # yaml-language-server: $schema=node_modules/zeroth/schema/zeroth.schema.json

Example:
  $ zeroth schema > zeroth.schema.json`,
    )
    .action(() => {
      print(JSON.stringify(specSchema(), null, 2))
    })
}
