import { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import { compileSpec } from '../../spec/index.ts'
import { openRun } from '../../trace/index.ts'
import { conclude } from '../conclude.ts'
import { milliseconds, number, wholeNumber } from '../option-values.ts'
import { perform } from '../perform.ts'
import { runPlace } from '../run-places.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
Examples:
  $ zeroth resume zeroth-runs/problem-zo-adamm-7
  $ zeroth resume problem-zo-adamm-7 --max-queries 20000   a finished run goes on with a larger budget`

interface Flags extends WatchFlags {
  readonly maxQueries?: number
  readonly maxIterations?: number
  readonly maxTime?: number
  readonly target?: number
}

/** `zeroth resume`: goes on where a run stands; one that has finished prints its result again and asks nothing. */
export function command(): Command {
  const described = new Command()
    .argument('<run>', 'the folder of a run, or its name in zeroth-runs')
    .option('--max-queries <n>', 'another limit of queries', wholeNumber(1))
    .option('--max-iterations <n>', 'another limit of iterations', wholeNumber(0))
    .option('--max-time <time>', 'another limit of time, all of the run counted', milliseconds)
    .option('--target <value>', 'another target', number)
  return withWatchOptions(described).addHelpText('after', examples).action(resumeCommand)
}

async function resumeCommand(run: string, flags: Flags): Promise<void> {
  const folder = runPlace(run)
  const store = await openRun(folder)
  const watching = watcher(flags)
  try {
    const { maxQueries, maxIterations, maxTime, target } = flags
    const changes = Object.entries({ maxQueries, maxIterations, maxTime, target }).filter(
      ([, value]) => value !== undefined,
    )
    if (changes.length > 0) {
      if (store.result === undefined) {
        throw new ZerothError('invalid-option', `${folder} has not ended: resume it without other limits first`)
      }
      await store.extend(Object.fromEntries(changes) as Record<string, number>)
    }
    const result =
      store.result?.status === 'finished' ? store.result : await perform(compileSpec(store.meta.spec), store, watching)
    process.exitCode = conclude(result, folder, flags, watching)
  } finally {
    watching.close()
    await store.close()
  }
}
