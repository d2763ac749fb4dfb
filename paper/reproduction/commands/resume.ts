import { resolve } from 'node:path'
import { Command } from 'commander'
import { milliseconds } from '../../../src/app/cli/option-values.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../../../src/app/cli/terminal.ts'
import { performReproduction } from '../perform-reproduction.ts'
import { existingReproduction } from '../reproduce-record.ts'

interface Flags extends WatchFlags {
  readonly maxTime?: number
}

/** `npm run reproduce -- resume`: continues an interrupted reproduction as the same command would. */
export function resume(): Command {
  const described = new Command('resume')
    .description('continue an interrupted reproduction as the same command would')
    .argument('<folder>', 'the folder of a reproduction')
    .option('--max-time <time>', 'for this session: then attacks are saved, and what there is is drawn', milliseconds)
  return withWatchOptions(described).action(async (folder: string, flags: Flags) => {
    const out = resolve(folder)
    const record = existingReproduction(out)
    const watching = watcher(flags)
    try {
      process.exitCode = await performReproduction(
        out,
        record,
        { ...record.conduct, json: flags.json, maxTime: flags.maxTime },
        watching,
      )
    } finally {
      watching.close()
    }
  })
}
