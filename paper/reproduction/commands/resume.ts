import { resolve } from 'node:path'
import { Command } from 'commander'
import { type WatchFlags, watcher, withWatchOptions } from '../../../src/cli/watch.ts'
import { performReproduction } from '../perform-reproduction.ts'
import { existingReproduction } from '../reproduce-record.ts'

/** `npm run reproduce -- resume`: continues an interrupted reproduction as the same command would. */
export function resume(): Command {
  const described = new Command('resume')
    .description('continue an interrupted reproduction as the same command would')
    .argument('<folder>', 'the folder of a reproduction')
  return withWatchOptions(described).action(async (folder: string, flags: WatchFlags) => {
    const out = resolve(folder)
    const record = existingReproduction(out)
    const watching = watcher(flags)
    try {
      process.exitCode = await performReproduction(out, record, { ...record.conduct, json: flags.json }, watching)
    } finally {
      watching.close()
    }
  })
}
