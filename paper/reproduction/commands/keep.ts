import { resolve } from 'node:path'
import { Command } from 'commander'
import { print } from '../../../src/app/cli/program.ts'
import { makeFolder } from '../../../src/app/jobs/folders.ts'
import { ZerothError } from '../../../src/index.ts'
import { keepAttacks } from '../kept/keep-attacks.ts'
import { subjectOf, writeSubject } from '../kept/kept-subject.ts'
import { existingReproduction } from '../reproduce-record.ts'

interface Flags {
  readonly into: string
  readonly network?: string
  readonly images?: string
  readonly computed?: string
}

/** `npm run reproduce -- keep`: what is worth committing of the attacks of a reproduction. */
export function keep(): Command {
  return new Command('keep')
    .description('keep the attacks, short enough to commit: --kept takes them up again')
    .argument('<folder>', 'the folder of a reproduction')
    .requiredOption('--into <folder>', 'where attacks are kept, those that are there already extended')
    .option('--network <file>', 'the network, for its checksum')
    .option('--images <folder>', 'the images with their labels.csv, for their checksums')
    .option('--computed <text>', 'what computed the network, in words: a service does not say it')
    .action(async (folder: string, { into, network, images, computed }: Flags) => {
      const record = existingReproduction(folder)
      await makeFolder(into)
      if ((network === undefined) !== (images === undefined)) {
        throw new ZerothError('invalid-option', '--network and --images belong together: both, or none')
      }
      if (network !== undefined && images !== undefined) {
        const { preprocessing } = record.settings.subject ?? {}
        writeSubject(into, subjectOf(network, images, preprocessing === undefined ? {} : ({ preprocessing } as never)))
      }
      const files = await keepAttacks(resolve(folder), record, into, computed)
      print(files.join('\n'))
    })
}
