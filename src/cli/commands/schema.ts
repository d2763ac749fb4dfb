import { Command } from 'commander'
import { specSchema } from '../../spec/index.ts'
import { print } from '../output.ts'

/** `zeroth schema`: what editors need to complete and check spec files. */
export function command(): Command {
  return new Command()
    .option('--attack', 'that of attack specs')
    .addHelpText(
      'after',
      `
The package holds it as schema/zeroth.schema.json, too, that of attack specs as
schema/attack.schema.json. An editor uses it for a YAML file that begins with
  # yaml-language-server: $schema=node_modules/zeroth/schema/zeroth.schema.json

Example:
  $ zeroth schema > zeroth.schema.json`,
    )
    .action(async ({ attack }: { attack?: boolean }) => {
      const schema = attack === true ? (await import('../../spec/attack/index.ts')).attackSchema() : specSchema()
      print(JSON.stringify(schema, null, 2))
    })
}
