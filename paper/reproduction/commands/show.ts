import { Command } from 'commander'
import { print } from '../../../src/app/cli/program.ts'
import { shownReproduction } from '../show-reproduction.ts'

/** `npm run reproduce -- show`: what a reproduction is and how far it is. */
export function show(): Command {
  return new Command('show')
    .description('show what a reproduction is and how far it is')
    .argument('<folder>', 'the folder of a reproduction')
    .option('--json', 'print one JSON object')
    .action((folder: string, { json }: { json?: boolean }) => print(shownReproduction(folder, json === true)))
}
