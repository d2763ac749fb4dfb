import { Command } from 'commander'
import { runPlace } from '../../work/folders.ts'
import { type Limits, openWork } from '../../work/index.ts'
import { performWork } from '../conclude.ts'
import { milliseconds, number, wholeNumber } from '../option-values.ts'
import { withPageOptions } from '../page-beside.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const examples = `
A run that has finished prints its result again and asks nothing. One that
failed repeats what failed. New limits apply from where the run is, also to one
that has finished. An attack retries the images that got no answer.

Examples:
  $ zeroth resume zeroth-runs/problem-auto-7
  $ zeroth resume problem-auto-7 --max-queries 20000
  $ zeroth resume problem-auto-seeds-0-4           all runs of a series
  $ zeroth resume digits-strongest-constrained-0   an attack`

interface Flags extends WatchFlags, Limits {}

/** `zeroth resume`: continues a run, a series, a tuning or an attack. */
export function command(): Command {
  const described = new Command()
    .argument('<run>', 'the folder of a run, a series, a tuning or an attack, or its name in zeroth-runs')
    .optionsGroup('Other limits:')
    .option('--max-queries <n>', 'queries at most, all of the run counted', wholeNumber(1))
    .option('--max-iterations <n>', 'iterations at most, all of the run counted', wholeNumber(0))
    .option('--max-time <time>', 'time at most, all of the run counted', milliseconds)
    .option('--target <value>', 'stop when a point has this value or a better one', number)
  return withPageOptions(withWatchOptions(described)).addHelpText('after', examples).action(resumeCommand)
}

async function resumeCommand(run: string, flags: Flags): Promise<void> {
  const folder = runPlace(run)
  const watching = watcher(flags)
  try {
    await watching.page?.open(folder)
    process.exitCode = await performWork(await openWork(folder, flags), flags, watching)
  } finally {
    watching.close()
  }
  await watching.page?.stay()
}
